# second.sh: the second of two hosts; it only serves.
rm -f ready2
rxe_up 10.77.0.2/24 eth0 && . ./service.sh beta || exit 1
touch ready2
for ((i = 0; i < 2000; i++)); do [ -e end1 ] && break; sleep 0.1; done
rm -f ready2
kill $service && wait $service
