package api

import "github.com/danielgtaylor/huma/v2"

// The tags of the document, in the order in which it shows them.
const (
	tagIA       = "Interface adapters"
	tagPZ       = "Protection zones"
	tagEVD      = "Event dispatchers"
	tagSRQ      = "Shared receive queues"
	tagMemory   = "Memory"
	tagEndpoint = "Endpoints"
	tagDTO      = "Data transfer"
	tagPoint    = "Service points"
	tagCR       = "Connection requests"
	tagChange   = "Changes"
	tagService  = "Service"
)

var tags = []*huma.Tag{
	{Name: tagIA, Description: "The RDMA ports of all nodes and what they can do (dat_ia_query)."},
	{Name: tagPZ, Description: "Protection zones: which endpoints may reach which memory (dat_pz_*)."},
	{Name: tagEVD, Description: "Event dispatchers: queues of events (dat_evd_*)."},
	{Name: tagSRQ, Description: "Receive queues that several endpoints share (dat_srq_*)."},
	{Name: tagMemory, Description: "Local and remote memory regions (dat_lmr_*, dat_rmr_*)."},
	{Name: tagEndpoint, Description: "Endpoints: create, query, modify, watch, connect, disconnect (dat_ep_*)."},
	{Name: tagDTO, Description: "Receives, sends, RDMA and binds of an endpoint (dat_ep_post_*, dat_rmr_bind)."},
	{Name: tagPoint, Description: "Public and reserved service points: where connection requests arrive (dat_psp_*, dat_rsp_*)."},
	{Name: tagCR, Description: "Connection requests that wait for an answer (dat_cr_*)."},
	{Name: tagChange, Description: "The log of all changes, its stream, and batches of writes."},
	{Name: tagService, Description: "The service itself: nodes, sign-in, the rules of DAT as data."},
}
