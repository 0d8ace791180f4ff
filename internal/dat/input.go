package dat

// Input is what can happen to an endpoint: an operation of a caller or an
// event of the engine. Its words are the causes of changes.
type Input uint8

// The operations of a caller, then the events of the engine, with the rules
// that speak of them.
const (
	OpModify             Input = iota // T42
	OpSetWatermark                    // T43
	OpQuery                           // dat_ep_query
	OpGetStatus                       // S1
	OpRecvQuery                       // dat_ep_recv_query
	OpConnect                         // T20, T21
	OpDupConnect                      // T20, T21
	OpAccept                          // a request on the consumer's endpoint, T13, T16
	OpAcceptOwn                       // a request on the endpoint that it brought, T12, T16
	OpReject                          // T17, T18
	OpHandoff                         // T19
	OpDisconnectAbrupt                // T29, T30, T32–T34
	OpDisconnectGraceful              // T28, T31–T34
	OpReset                           // T39–T41
	OpFree                            // T2, T3
	OpCreateRSP                       // T4, T5
	OpFreeRSP                         // T6, T7
	OpPostRecv                        // dat_ep_post_recv
	OpPostSend                        // dat_ep_post_send
	OpPostRDMAWrite                   // dat_ep_post_rdma_write
	OpPostRDMARead                    // dat_ep_post_rdma_read
	OpBindRMR                         // dat_rmr_bind
	EvRequest                         // a request arrived on the RSP, T8, T9
	EvEstablished                     // T14, T22
	EvPeerRejected                    // T23
	EvNonPeerRejected                 // T26
	EvUnreachable                     // T24
	EvTimedOut                        // the consumer's timer, T25
	EvAcceptFailed                    // T15
	EvDrained                         // the end of a graceful disconnect, T28
	EvDisconnected                    // by the peer, T36
	EvBroken                          // T37
	EvHardWatermark                   // T37, W7
	EvEPError                         // T38
	EvDeviceGone                      // T48
	EvDeviceBack                      // T49
	EvRequestGone                     // T46
	numInputs
)

var inputNames = [numInputs]string{
	OpModify:             "dat_ep_modify",
	OpSetWatermark:       "dat_ep_set_watermark",
	OpQuery:              "dat_ep_query",
	OpGetStatus:          "dat_ep_get_status",
	OpRecvQuery:          "dat_ep_recv_query",
	OpConnect:            "dat_ep_connect",
	OpDupConnect:         "dat_ep_dup_connect",
	OpAccept:             "dat_cr_accept",
	OpAcceptOwn:          "dat_cr_accept (own endpoint)",
	OpReject:             "dat_cr_reject",
	OpHandoff:            "dat_cr_handoff",
	OpDisconnectAbrupt:   "dat_ep_disconnect",
	OpDisconnectGraceful: "dat_ep_disconnect (graceful)",
	OpReset:              "dat_ep_reset",
	OpFree:               "dat_ep_free",
	OpCreateRSP:          "dat_rsp_create",
	OpFreeRSP:            "dat_rsp_free",
	OpPostRecv:           "dat_ep_post_recv",
	OpPostSend:           "dat_ep_post_send",
	OpPostRDMAWrite:      "dat_ep_post_rdma_write",
	OpPostRDMARead:       "dat_ep_post_rdma_read",
	OpBindRMR:            "dat_rmr_bind",
	EvRequest:            "DAT_CONNECTION_REQUEST_EVENT",
	EvEstablished:        "DAT_CONNECTION_EVENT_ESTABLISHED",
	EvPeerRejected:       "DAT_CONNECTION_EVENT_PEER_REJECTED",
	EvNonPeerRejected:    "DAT_CONNECTION_EVENT_NON_PEER_REJECTED",
	EvUnreachable:        "DAT_CONNECTION_EVENT_UNREACHABLE",
	EvTimedOut:           "DAT_CONNECTION_EVENT_TIMED_OUT",
	EvAcceptFailed:       "DAT_CONNECTION_EVENT_ACCEPT_COMPLETION_ERROR",
	EvDrained:            "drained",
	EvDisconnected:       "DAT_CONNECTION_EVENT_DISCONNECTED",
	EvBroken:             "DAT_CONNECTION_EVENT_BROKEN",
	EvHardWatermark:      "hard_watermark",
	EvEPError:            "DAT_ASYNC_ERROR_EP_BROKEN",
	EvDeviceGone:         "device_gone",
	EvDeviceBack:         "device_back",
	EvRequestGone:        "request_gone",
}

// String names the input alone: no two inputs share it. Cause gives DAT's word.
func (i Input) String() string { return nameOf(inputNames[:], i) }

// MarshalText writes the name of String.
func (i Input) MarshalText() ([]byte, error) { return textOf(inputNames[:], i) }

// UnmarshalText reads the name of String; another word is an error.
func (i *Input) UnmarshalText(b []byte) error { return parse(inputNames[:], b, i) }
