# write_bw.sh DEVICE ADDRESS N: ib_write_bw with writes of 1 MiB, 8 at once, its result as a benchmark's line.
options="-d $1 -R -F -s 1048576 -t 8 -n $3"
timeout 120 ib_write_bw $options >/tmp/write_bw 2>&1 &
server=$!
wait_for 'ib_write_bw serves' 'rdma resource show cm_id | grep -q "LISTEN.*ib_write_bw"' || { cat /tmp/write_bw; exit 1; }
out=$(timeout 120 ib_write_bw $options "$2" 2>&1) && wait $server || { echo "$out"; cat /tmp/write_bw; exit 1; }
# Its columns: bytes, iterations, peak, average MiB/s, messages.
echo "$out" | awk '$1 == 1048576 { printf "Benchmark/ib_write_bw\t%d\t%.0f ns/op\n", $2, 1e9 / $4 }'
