// Package faultpoint names points of the program at which a test lets something fail.
//
// Without the build tag `faultpoints`, which no released program has, it is empty: Hit
// returns nil and Handle does nothing.
//
// With the tag DATAPI_FAULT says what happens where, as `point:action:n`, several
// separated by commas. The actions are `kill` (the process ends as by SIGKILL), `stop` (it
// stops as by SIGSTOP), `fail` (Hit returns an error) and `sleep=200ms`; `kill=20ms` waits
// before it acts, so that what already left the point gets out of the process. n is the hit
// at which it happens, from 1 on; `*n` is every n-th hit.
//
// DATAPI_FAULT_CONTROL is the path of a Unix socket on which the process takes commands, one
// a line, and answers each with one line: `arm point:action:n`, `disarm`, and those that
// Handle was given.
package faultpoint
