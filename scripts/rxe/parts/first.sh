# first.sh: the first of two hosts; its endpoints connect to those of the second, over rxe, then over siw.
rm -f end1 silence2 swap1
rxe_up 10.77.0.1/24 eth0 && . ./service.sh alpha || exit 1
wait_for 'the other host' 'test -e ready2' || exit 1
export DATAPI_HERE=http://127.0.0.1:8480 DATAPI_THERE=http://10.77.0.2:8480
status=0
# both DEVICE: the tests with the other host, and at the end its silence.
both() {
  DATAPI_TEST_DEVICE=$1 ./guest.test -test.v -test.timeout 300s -test.run 'Life|Harm' || status=1
  DATAPI_TEST_DEVICE=$1 ./guest.test -test.v -test.timeout 300s -test.run Silent || status=1
  rm -f silence2
  wait_for 'the other host speaks again' '! test -e silent2 && ping -c 1 -W 1 10.77.0.2' || status=1
}
both rxe0
# One device at a time: both would have the same address.
rdma link delete rxe0 && touch swap1 && wait_for 'the other host has siw' 'test -e swapped2' &&
  siw_up 10.78.0.1/24 eth0 && both siw0 || status=1
touch end1
kill $service && wait $service
exit $status
