# Functions for what runs in the guest; /init reads this before the command.

# rxe_up [ADDRESS/PREFIX] [NETDEV] [NAME]: a Soft-RoCE device rxe0, on a dummy link unless a netdev is named.
rxe_up() { _device_up rdma_rxe rxe "${3:-rxe0}" "${1:-10.77.0.1/24}" "${2:-dummy0}"; }

# siw_up [ADDRESS/PREFIX] [NETDEV]: a Soft-iWARP device siw0, likewise.
siw_up() { _device_up siw siw siw0 "${1:-10.78.0.1/24}" "${2:-dummy1}"; }

_device_up() {
  local module=$1 type=$2 name=$3 address=$4 netdev=$5
  modprobe -a "$module" rdma_ucm ib_uverbs dummy 8021q || return
  [ -e "/sys/class/net/$netdev" ] || ip link add "$netdev" type dummy || return
  ip addr add "$address" dev "$netdev" && ip link set "$netdev" up &&
    rdma link add "$name" type "$type" netdev "$netdev" || return
  # The IPv6 link-local address is tentative for a while, a GID of it comes late: wait, so that nothing changes under a test.
  wait_for 'no tentative address on the netdev' "! ip -6 addr show dev $netdev | grep -q tentative"
}

# wait_for WHAT COMMAND: try the command ten times a second, for longer than a loaded machine needs.
wait_for() {
  local end=$((SECONDS + 240))
  while ((SECONDS < end)); do
    eval "$2" >/dev/null 2>&1 && return 0
    sleep 0.1
  done
  echo "wait_for $1: gave up after 240 s" >&2
  return 1
}

# postgres_up: a PostgreSQL server on 127.0.0.1:5432, superuser postgres without a password, database datapi.
postgres_up() {
  local as="chroot --userspec=101:101 --skip-chdir / env HOME=/tmp" data=/run/postgresql/data
  mkdir -p /run/postgresql && chown 101:101 /run/postgresql || return
  $as initdb -D "$data" -U postgres -A trust -E UTF8 --locale=C.UTF-8 --no-sync >/tmp/initdb.log 2>&1 || { cat /tmp/initdb.log; return 1; }
  printf "jit = off\nfsync = off\nlisten_addresses = '127.0.0.1'\nunix_socket_directories = '/run/postgresql'\n" >>"$data/postgresql.conf"
  $as pg_ctl -D "$data" -l /tmp/postgres.log -w start >/tmp/pg_ctl.log 2>&1 || { cat /tmp/pg_ctl.log /tmp/postgres.log; return 1; }
  psql -qh 127.0.0.1 -U postgres -c 'CREATE DATABASE datapi'
}

export -f rxe_up siw_up _device_up wait_for postgres_up
