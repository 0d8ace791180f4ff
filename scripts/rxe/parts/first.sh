# first.sh: the first of two hosts; its endpoints connect to those of the second.
rm -f end1 silence2
rxe_up 10.77.0.1/24 eth0 && siw_up 10.78.0.1/24 eth0 && . ./service.sh alpha || exit 1
wait_for 'the other host' 'test -e ready2' || exit 1
export DATAPI_TEST_DEVICE=rxe0 DATAPI_HERE=http://127.0.0.1:8480 DATAPI_THERE=http://10.77.0.2:8480
status=0
./guest.test -test.v -test.timeout 300s -test.run 'Life|Harm' || status=1
DATAPI_TEST_DEVICE=siw0 ./guest.test -test.v -test.timeout 300s -test.run 'Life|Harm' || status=1
for device in rxe0 siw0; do # once with each, as after a silence the other host is there again
  rm -f silence2
  DATAPI_TEST_DEVICE=$device ./guest.test -test.v -test.timeout 300s -test.run Silent || status=1
  rm -f silence2
  wait_for 'the other host speaks again' '! test -e silent2 && ping -c 1 -W 1 10.77.0.2' || status=1
done
touch end1
kill $service && wait $service
exit $status
