// Package store remembers: recorded objects, the append-only log of changes,
// kept answers and nodes, in PostgreSQL. It also runs the private PostgreSQL of
// a service that was given no database.
//
// Every write of an object goes through the Recorder, one goroutine per process
// that commits what many requests bring at once; reads go to the pool. The
// package knows DAT's objects and nothing of the engines that act on them.
package store
