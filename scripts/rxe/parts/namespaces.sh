# namespaces.sh: network namespaces of one guest, with siw (rxe has one socket for all of them and passes nothing).
modprobe -a siw rdma_ucm ib_uverbs dummy veth || exit 1
status=0
# say WHAT COMMAND: a check with its outcome.
say() { if eval "$2"; then echo "namespaces: $1: ok"; else echo "namespaces: $1: FAILED"; status=1; fi; }

# Each device in one namespace: a process that sees none is told why. Like that before any other namespace is there.
rdma system set netns exclusive && ip netns add lonely && siw_up || exit 1
ip netns exec lonely ip link set lo up
. ./service.sh alpha || exit 1
unix='postgres://postgres@/second?host=/run/postgresql&sslmode=disable'
DATABASE_URL=$unix ip netns exec lonely "$DATAPI" serve --engine verbs --listen 127.0.0.1:8480 --node lonely >/tmp/lonely.log 2>&1 &
lonely=$!
wait_for 'the service in the empty namespace' 'grep -q "is ready" /tmp/lonely.log' || status=1
say 'a process that sees no device is told why' 'grep -q "no RDMA device is in the network namespace of this process" /tmp/lonely.log'
say 'it has no adapter' 'grep -q "no adapter" /tmp/lonely.log'
kill $lonely && wait $lonely
kill $service && wait $service || status=1
rdma link delete siw0 && ip link delete dummy1 && ip netns delete lonely || status=1
wait_for 'one namespace' 'rdma system set netns shared' || exit 1

# All devices everywhere: two hosts, each with its end of a link and its program.
# The far end is up first: siw of kernel 6.1 says for ever that a port is down which had no carrier when it was made.
ip link add veth0 type veth peer name veth1 && ip netns add far && ip link set veth1 netns far || exit 1
ip netns exec far bash -c 'ip link set lo up && ip address add 10.78.0.2/24 dev veth1 && ip link set veth1 up' || exit 1
siw_up 10.78.0.1/24 veth0 || exit 1
ip netns exec far rdma link add siw1 type siw netdev veth1 || exit 1
"$DATAPI" serve --listen 0.0.0.0:8480 --insecure-http --node alpha >/tmp/datapi.log 2>&1 &
service=$!
DATABASE_URL=$unix ip netns exec far "$DATAPI" serve --listen 0.0.0.0:8480 --insecure-http --node far >/tmp/far.log 2>&1 &
far=$!
wait_for 'both services' 'grep -q "is ready" /tmp/datapi.log && grep -q "is ready" /tmp/far.log' || status=1
export DATAPI_TEST_DEVICE=siw0 DATAPI_THERE_DEVICE=siw1 DATAPI_HERE=http://127.0.0.1:8480 DATAPI_THERE=http://10.78.0.2:8480
./guest.test -test.v -test.timeout 300s -test.run 'Life|Harm' || status=1
detail=$(curl -s -H "Authorization: Bearer $DATAPI_ADMIN_TOKEN" 127.0.0.1:8480/api/v1/ias/siw1-1@alpha)
say 'a device whose network device is elsewhere says so' '[[ $detail == *"No network device of the port is in the network namespace"* ]]'
kill $service $far && wait $service && wait $far || { echo "a service ended with $?"; status=1; }
[ $status = 0 ] || tail -n 20 /tmp/*.log
exit $status
