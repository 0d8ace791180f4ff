// Package manager lives the life of every DAT object of one node: it judges each
// call by the tables of package dat, is the only writer of endpoint state, keeps
// the EVD queues, counts DTOs and watermarks, drives the providers of package
// rdma, and records every change.
package manager
