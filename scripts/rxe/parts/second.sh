# second.sh: the second of two hosts; it only serves, and falls silent while the first asks for that.
rm -f ready2 silent2
rxe_up 10.77.0.2/24 eth0 && ip address add fd00:77::2/64 dev eth0 nodad && rxe_up 10.87.0.2/24 eth1 rxe1 &&
  siw_up 10.78.0.2/24 eth2 && . ./service.sh beta || exit 1
# on_links COMMAND: what tc does on every link.
on_links() { for link in eth0 eth1 eth2; do tc qdisc "$1" dev $link root ${2:-} || return; done; }
touch ready2
for ((i = 0; i < 8000; i++)); do
  [ -e end1 ] && break
  if [ -e silence2 ] && [ ! -e silent2 ]; then on_links add "netem loss 100%" && touch silent2; fi
  if [ ! -e silence2 ] && [ -e silent2 ]; then on_links del && rm silent2; fi
  sleep 0.1
done
rm -f ready2
kill $service && wait $service
