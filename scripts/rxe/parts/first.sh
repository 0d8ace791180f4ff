# first.sh: the first of two hosts; its endpoints connect to those of the second, over two rxe devices and siw.
rm -f end1 silence2
rxe_up 10.77.0.1/24 eth0 && ip address add fd00:77::1/64 dev eth0 nodad && rxe_up 10.87.0.1/24 eth1 rxe1 &&
  siw_up 10.78.0.1/24 eth2 && . ./service.sh alpha || exit 1
wait_for 'the other host' 'test -e ready2' || exit 1
export DATAPI_HERE=http://127.0.0.1:8480 DATAPI_THERE=http://10.77.0.2:8480
status=0
for device in rxe0 rxe1 siw0; do
  DATAPI_TEST_DEVICE=$device ./guest.test -test.v -test.timeout 300s -test.run 'Life|Harm' || status=1
done
DATAPI_TEST_DEVICE=rxe0 DATAPI_THERE_IPV6=fd00:77::2 ./guest.test -test.v -test.timeout 300s -test.run TwoHosts || status=1
# Two rxe devices of one host: nothing passes between them.
DATAPI_TEST_DEVICE=rxe0 DATAPI_OTHER_DEVICE=rxe1 ./guest.test -test.v -test.timeout 300s -test.run NothingPasses || status=1
for device in rxe0 siw0; do # once with each, as after a silence the other host is there again
  rm -f silence2
  DATAPI_TEST_DEVICE=$device ./guest.test -test.v -test.timeout 300s -test.run Silent || status=1
  rm -f silence2
  wait_for 'the other host speaks again' '! test -e silent2 && ping -c 1 -W 1 10.77.0.2' || status=1
done
touch end1
kill $service && wait $service
exit $status
