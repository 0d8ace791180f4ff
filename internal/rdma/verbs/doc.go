// Package verbs is the provider that runs endpoints on real RDMA devices through
// libibverbs and librdmacm.
//
// A protection zone is a PD, an EVD that DTOs feed a CQ, an LMR an MR, an RMR a
// memory window, an endpoint a QP and a CM id made at connect or accept, never
// before: receives posted earlier wait in the endpoint. cgo.go is the only file
// that imports "C"; it and everything that calls it stand behind the build tag
// verbs. What translates between the two vocabularies is plain Go and is built
// and tested everywhere.
package verbs
