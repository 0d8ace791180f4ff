# yardstick.sh: the reference's own tests on the same devices, so that a device that does
# not work is told from a provider that does not.
rxe_up && siw_up || exit 1
status=0

# both IA ADDRESS TEST...: a test's server and its client.
both() {
  local ia=$1 address=$2 server client
  shift 2
  : >/tmp/server # what the server before said must not be taken for this one's
  timeout 60 "$@" -P "$ia" >/tmp/server 2>&1 &
  local pid=$!
  wait_for 'the server waits' "grep -q 'waiting for' /tmp/server" || status=1
  timeout 60 "$@" -P "$ia" -h "$address" >/tmp/client 2>&1
  client=$?
  wait $pid
  server=$?
  echo "$ia $*: server $server client $client: $(grep -hE 'PASSED|FAILED' /tmp/client | tail -1)"
  [ "$server$client" = 00 ] || { tail -n 20 /tmp/server /tmp/client; status=1; }
}

both ofa-v2-rxe0 10.77.0.1 dtest -B 10 -b 64
both ofa-v2-rxe0 10.77.0.1 dtest -W -D -B 10 -b 4096
both ofa-v2-siw0 10.78.0.1 dtest -B 10 -b 64

: >/tmp/server
timeout 120 dapltest -T S -D ofa-v2-rxe0 >/tmp/server 2>&1 &
wait_for 'dapltest serves' "grep -q 'Service Point Ready' /tmp/server" || status=1
timeout 30 dapltest -T T -s 10.77.0.1 -D ofa-v2-rxe0 -i 10 -t 1 -w 1 client SR 64 server SR 64 >/tmp/client 2>&1
grep -q 'Total WQE' /tmp/client && echo 'dapltest: passed' || { cat /tmp/client; status=1; }
timeout 30 dapltest -T Q -s 10.77.0.1 -D ofa-v2-rxe0 >/dev/null 2>&1
wait
exit $status
