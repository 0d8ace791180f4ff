# program.sh: the program with its API on both devices of one guest.
rxe_up && siw_up && . ./service.sh alpha || exit 1
export DATAPI_HERE=http://127.0.0.1:8480 DATAPI_THERE=http://127.0.0.1:8480
status=0
DATAPI_TEST_DEVICE=rxe0 DATAPI_TEST_NETDEV=dummy0 ./guest.test -test.v -test.timeout 560s -test.skip 'NothingPasses|TwoHosts|Silent' || status=1
DATAPI_TEST_DEVICE=siw0 DATAPI_TEST_NETDEV=dummy1 ./guest.test -test.v -test.timeout 560s -test.skip 'NothingPasses|TwoHosts|Silent' || status=1
kill $service && wait $service || { echo "the service ended with $?"; status=1; }
[ $status = 0 ] || tail -n 40 /tmp/datapi.log
exit $status
