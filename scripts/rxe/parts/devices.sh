# devices.sh DEVICE: the provider's tests and the conformance suite on a device.
rxe_up && siw_up || exit 1
DATAPI_TEST_DEVICE=$1 ./verbs.test -test.v -test.timeout 1150s
