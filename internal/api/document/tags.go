package document

import "github.com/danielgtaylor/huma/v2"

// The tags of the calls, in the order in which the document shows them.
const (
	TagIA       = "Interface adapters"
	TagPZ       = "Protection zones"
	TagEVD      = "Event dispatchers"
	TagSRQ      = "Shared receive queues"
	TagMemory   = "Memory"
	TagEndpoint = "Endpoints"
	TagDTO      = "Data transfer"
	TagPoint    = "Service points"
	TagCR       = "Connection requests"
	TagChange   = "Changes"
	TagAccess   = "Access"
	TagService  = "Service"
)

var tags = []*huma.Tag{
	{Name: TagIA, Description: "The RDMA ports of all nodes and what they can do (dat_ia_query)."},
	{Name: TagPZ, Description: "Protection zones: which endpoints may reach which memory (dat_pz_*)."},
	{Name: TagEVD, Description: "Event dispatchers: queues of events (dat_evd_*)."},
	{Name: TagSRQ, Description: "Receive queues that several endpoints share (dat_srq_*)."},
	{Name: TagMemory, Description: "Local and remote memory regions (dat_lmr_*, dat_rmr_*)."},
	{Name: TagEndpoint, Description: "Endpoints: create, query, modify, watch, connect, disconnect (dat_ep_*)."},
	{Name: TagDTO, Description: "Receives, sends, RDMA and binds of an endpoint (dat_ep_post_*, dat_rmr_bind)."},
	{Name: TagPoint, Description: "Public and reserved service points: where connection requests arrive (dat_psp_*, dat_rsp_*)."},
	{Name: TagCR, Description: "Connection requests that wait for an answer (dat_cr_*)."},
	{Name: TagChange, Description: "The log of all changes, its stream, and batches of writes."},
	{Name: TagAccess, Description: "Who may: tokens, users, sessions, and the audit of what was done about them."},
	{Name: TagService, Description: "The service itself: nodes, how long changes are kept, the rules of DAT as data."},
}
