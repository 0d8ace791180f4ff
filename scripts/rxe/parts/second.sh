# second.sh: the second of two hosts; it only serves, and does what the first asks for with files: silence2
# (while it is there nothing leaves this host) and swap1 (siw in place of rxe).
rm -f ready2 silent2 swapped2
rxe_up 10.77.0.2/24 eth0 && . ./service.sh beta || exit 1
touch ready2
for ((i = 0; i < 8000; i++)); do
  [ -e end1 ] && break
  if [ -e silence2 ] && [ ! -e silent2 ]; then tc qdisc add dev eth0 root netem loss 100% && touch silent2; fi
  if [ ! -e silence2 ] && [ -e silent2 ]; then tc qdisc del dev eth0 root && rm silent2; fi
  if [ -e swap1 ] && [ ! -e swapped2 ]; then rdma link delete rxe0 && siw_up 10.78.0.2/24 eth0 && touch swapped2; fi
  sleep 0.1
done
rm -f ready2
kill $service && wait $service
