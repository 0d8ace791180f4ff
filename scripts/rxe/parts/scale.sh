# scale.sh: as many pairs as the engine is meant for, all connected at once, and a storm on a service point with a small backlog.
rxe_up && siw_up || exit 1
status=0
# pairs DEVICE N: N pairs at once.
pairs() { DATAPI_TEST_DEVICE=$1 DATAPI_TEST_PAIRS=$2 ./verbs.test -test.v -test.timeout 1700s -test.run ManyPairs || status=1; }
for n in 100 500; do
  pairs rxe0 $n
  pairs siw0 $n
done
pairs rxe0 1000
for device in rxe0 siw0; do
  DATAPI_TEST_DEVICE=$device DATAPI_TEST_SEQUENCE=2000 ./verbs.test -test.v -test.run ComeAndGo || status=1
done
echo 'With a backlog of 16:'
echo 16 >/proc/sys/net/rdma_ucm/max_backlog || status=1
pairs rxe0 300
pairs siw0 300
exit $status
