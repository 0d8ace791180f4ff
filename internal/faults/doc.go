// Package faults is the harness that attacks what datapi promises about data.
//
// It works from outside on the program as it is built: over HTTP, on PostgreSQL's
// processes and connections, on the service's process. A World has a service and its
// database; Clients write to it and record each call with its answer; Watchers follow
// the stream of changes; faults happen meanwhile; in the end the checks compare calls,
// answers, streams, the state and its history, and return what does not agree.
//
// Every run has a seed. It decides what the clients do and when the faults happen, but
// not how the processes interleave: a run that is repeated does the same, and what it
// finds it finds again most of the time.
//
// The settings are variables of the environment: DATAPI_FAULT_SEED, DATAPI_FAULT_ROUNDS
// (how often each fault is tried) and DATAPI_FAULT_SECONDS (how long the clients write in each
// round). Scenarios with build tags of their own need more than PostgreSQL: ha a cluster that
// Patroni looks after, upgrade the history of the repository. docs/guarantees.md names the test that attacks each promise.
package faults
