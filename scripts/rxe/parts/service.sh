# service.sh: start PostgreSQL and the program in the guest, reachable from the other guest too.
export DATAPI=/host/datapi DATAPI_ADMIN_TOKEN=only-for-this-guest
export DATABASE_URL='postgres://postgres@127.0.0.1:5432/datapi?sslmode=disable'
export DATAPI_SECOND_DATABASE='postgres://postgres@127.0.0.1:5432/second?sslmode=disable'
postgres_up && psql -qh 127.0.0.1 -U postgres -c 'CREATE DATABASE second' || exit 1
# A start gives up where a database does not answer in time, as on a loaded machine: then it is tried again, as systemd does.
for attempt in 1 2 3 4 5; do
  "$DATAPI" serve --listen "0.0.0.0:8480" --insecure-http --node "$1" >/tmp/datapi.log 2>&1 &
  service=$!
  wait_for 'the service is ready, or has ended' "grep -q 'is ready' /tmp/datapi.log || ! kill -0 $service" || break
  cat /tmp/datapi.log
  grep -q 'is ready' /tmp/datapi.log && break
done
grep -q 'is ready' /tmp/datapi.log || exit 1
