package dat

// Input is an operation of a caller or an event of the engine that can act on
// an endpoint.
type Input uint8

// The operations of a caller, then the events of the engine, with the rules
// that speak of them.
const (
	OpModify             Input = iota // T42
	OpSetWatermark                    // T43, W3
	OpQuery                           // dat_ep_query
	OpGetStatus                       // S1
	OpRecvQuery                       // dat_ep_recv_query
	OpConnect                         // T20, T21
	OpDupConnect                      // T20, T21
	OpAccept                          // a request on the consumer's own endpoint, T13, T16
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
	EvDisconnected                    // the peer disconnected, T36
	EvBroken                          // the connection is lost, T37
	EvHardWatermark                   // T37, W7
	EvEPError                         // T38
	EvDeviceGone                      // T48
	EvDeviceBack                      // T49
	EvRequestGone                     // T46
	numInputs
)

// inputs holds for each input a word of its own and the cause that the log
// shows: DAT's name of the call or event.
var inputs = [numInputs]struct{ word, cause string }{
	OpModify:             {"modify", "dat_ep_modify"},
	OpSetWatermark:       {"set_watermark", "dat_ep_set_watermark"},
	OpQuery:              {"query", "dat_ep_query"},
	OpGetStatus:          {"get_status", "dat_ep_get_status"},
	OpRecvQuery:          {"recv_query", "dat_ep_recv_query"},
	OpConnect:            {"connect", "dat_ep_connect"},
	OpDupConnect:         {"dup_connect", "dat_ep_dup_connect"},
	OpAccept:             {"accept", "dat_cr_accept"},
	OpAcceptOwn:          {"accept_own", "dat_cr_accept"},
	OpReject:             {"reject", "dat_cr_reject"},
	OpHandoff:            {"handoff", "dat_cr_handoff"},
	OpDisconnectAbrupt:   {"disconnect_abrupt", "dat_ep_disconnect"},
	OpDisconnectGraceful: {"disconnect_graceful", "dat_ep_disconnect"},
	OpReset:              {"reset", "dat_ep_reset"},
	OpFree:               {"free", "dat_ep_free"},
	OpCreateRSP:          {"create_rsp", "dat_rsp_create"},
	OpFreeRSP:            {"free_rsp", "dat_rsp_free"},
	OpPostRecv:           {"post_recv", "dat_ep_post_recv"},
	OpPostSend:           {"post_send", "dat_ep_post_send"},
	OpPostRDMAWrite:      {"post_rdma_write", "dat_ep_post_rdma_write"},
	OpPostRDMARead:       {"post_rdma_read", "dat_ep_post_rdma_read"},
	OpBindRMR:            {"bind_rmr", "dat_rmr_bind"},
	EvRequest:            {"request", "DAT_CONNECTION_REQUEST_EVENT"},
	EvEstablished:        {"established", "DAT_CONNECTION_EVENT_ESTABLISHED"},
	EvPeerRejected:       {"peer_rejected", "DAT_CONNECTION_EVENT_PEER_REJECTED"},
	EvNonPeerRejected:    {"non_peer_rejected", "DAT_CONNECTION_EVENT_NON_PEER_REJECTED"},
	EvUnreachable:        {"unreachable", "DAT_CONNECTION_EVENT_UNREACHABLE"},
	EvTimedOut:           {"timed_out", "DAT_CONNECTION_EVENT_TIMED_OUT"},
	EvAcceptFailed:       {"accept_failed", "DAT_CONNECTION_EVENT_ACCEPT_COMPLETION_ERROR"},
	EvDrained:            {"drained", "DAT_CONNECTION_EVENT_DISCONNECTED"},
	EvDisconnected:       {"disconnected", "DAT_CONNECTION_EVENT_DISCONNECTED"},
	EvBroken:             {"broken", "DAT_CONNECTION_EVENT_BROKEN"},
	EvHardWatermark:      {"hard_watermark", "DAT_CONNECTION_EVENT_BROKEN"},
	EvEPError:            {"ep_error", "DAT_ASYNC_ERROR_EP_BROKEN"},
	EvDeviceGone:         {"device_gone", "DAT_CONNECTION_EVENT_BROKEN"},
	EvDeviceBack:         {"device_back", "device_back"},
	EvRequestGone:        {"request_gone", "request_gone"},
}

// inputWords are the words alone, for encoders.
var inputWords = func() (words [numInputs]string) {
	for i, in := range inputs {
		words[i] = in.word
	}
	return words
}()

// Cause returns the word of the change log: DAT's name of the call or event. Two
// inputs can share it; Word distinguishes them.
func (i Input) Cause() string {
	if i < numInputs {
		return inputs[i].cause
	}
	return i.Word()
}

// String returns Cause, for sentences.
func (i Input) String() string { return i.Cause() }

// Word returns a word that no other input has; for an operation it is the one of
// an endpoint's `operations`.
func (i Input) Word() string { return nameOf(inputWords[:], i) }

// Operation reports whether a caller asks for the input; else the engine reports it.
func (i Input) Operation() bool { return i < EvRequest }

// MarshalText writes Word.
func (i Input) MarshalText() ([]byte, error) { return textOf(inputWords[:], i) }

// UnmarshalText reads Word; another word is an error.
func (i *Input) UnmarshalText(b []byte) error { return parse(inputWords[:], b, i) }
