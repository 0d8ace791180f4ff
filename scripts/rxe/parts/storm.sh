# storm.sh DEVICE: 10,000 pairs on a device, 8 at a time, and the kernel's census afterwards.
rxe_up && siw_up || exit 1
DATAPI_TEST_DEVICE=$1 DATAPI_TEST_CYCLES=10000 ./verbs.test -test.v -test.run Storm -test.timeout 2350s
