# bench.sh [OPTION...]: the engine's benchmarks beside the C program's and perftest's, on both devices.
rxe_up && siw_up || exit 1
uname -srv
./bench -device rxe0 -address 10.77.0.1 "$@" && ./bench -device siw0 -address 10.78.0.1 "$@"
