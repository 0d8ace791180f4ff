# second.sh: the second of two hosts; it only serves.
rm -f ready2
rxe_up 10.77.0.2/24 eth0 && ip address add fd00:77::2/64 dev eth0 nodad && rxe_up 10.87.0.2/24 eth1 rxe1 && siw_up 10.78.0.2/24 eth2 && . ./service.sh beta || exit 1
touch ready2
for ((i = 0; i < 2000; i++)); do [ -e end1 ] && break; sleep 0.1; done
rm -f ready2
kill $service && wait $service
