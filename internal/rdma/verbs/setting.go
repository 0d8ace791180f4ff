package verbs

import (
	"strconv"

	"github.com/datapi/datapi/internal/dat"
)

// Why a named attribute cannot be set: what librdmacm and the kernel's connection manager
// decide by themselves. Source: cma.c, ucma.c of the kernel; cma.c of rdma-core.
const (
	becausePath = "the connection manager takes it from the path to the peer; on RoCE the attribute tos chooses it"
	becauseGID  = "the connection manager takes the GID of the local address; connect from another address of the port"
	becauseMode = "the connection manager uses one type for all connections of a port; /sys/kernel/config/rdma_cm holds it (default_roce_mode)"
	becausePKey = "the connection manager takes the partition of the IPoIB interface, on RoCE the default one"
	// becauseIWARP is the reason for what only InfiniBand and RoCE have.
	becauseIWARP = "iWARP has no such thing"
)

// settings returns the attributes of the provider that say which named attributes
// endpoints can have: those of completion vectors and of the timer for a receiver that is
// not ready, and of each that cannot be set why not (dat.NotSettable).
func (f *portFacts) settings() map[string]string {
	not := func(why string) string {
		if f.dev.iwarp {
			why = becauseIWARP
		}
		return dat.NotSettable + why
	}
	m := map[string]string{
		"comp_vectors":  strconv.Itoa(f.dev.vectors),
		"min_rnr_timer": "SETTABLE",
		"service_level": not(becausePath), "gid_index": not(becauseGID), "gid_type": not(becauseMode), "pkey": not(becausePKey),
	}
	if f.dev.iwarp {
		m["min_rnr_timer"] = not("")
	}
	return m
}
