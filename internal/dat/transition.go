package dat

// numStates counts the endpoint states, those that never occur included.
const numStates = int(EPConnectedMultiPath) + 1

// cell is one entry of the transition table. The zero cell is no entry: a test
// refuses it.
type cell struct {
	kind  VerdictKind
	next  EPState
	event EventNumber
	rule  string
}

func to(next EPState, rule string) cell { return cell{kind: Move, next: next, rule: rule} }
func end(rule string) cell              { return cell{kind: End, rule: rule} }
func stay(rule string) cell             { return cell{kind: Stay, rule: rule} }
func noop(rule string) cell             { return cell{kind: NoEffect, rule: rule} }
func no(rule string) cell               { return cell{kind: Refuse, rule: rule} }
func void(rule string) cell             { return cell{kind: Ignore, rule: rule} }

func toWith(next EPState, event EventNumber, rule string) cell {
	return cell{kind: Move, next: next, event: event, rule: rule}
}

// gone is the end of a connection or of its setup.
func gone(event EventNumber, rule string) cell { return toWith(EPDisconnected, event, rule) }

// transitions says for each state that occurs and each input what becomes of
// the endpoint. Source: the rules T1–T50 and the post rules beside them; `S1`
// is dat_ep_get_status.
//
// A transport failure that is reported with another word than the state
// expects is the failure that the state knows: T26 while connecting, T15 while
// accepting. An endpoint so never waits for an event that cannot come (D18, D40).
// A second graceful disconnect changes nothing (D17).
// A device that goes ends the requests, and with them goes the endpoint as
// after a rejection (T48 with T17, T18): else nothing could ever free it.
var transitions = [numStates][numInputs]cell{
	EPUnconnected: {
		OpModify: stay("T42"), OpSetWatermark: stay("T43"),
		OpQuery: stay("dat_ep_query"), OpGetStatus: stay("S1"), OpRecvQuery: stay("dat_ep_recv_query"),
		OpConnect: to(EPActiveConnectionPending, "T20"), OpDupConnect: to(EPActiveConnectionPending, "T20"),
		OpAccept: to(EPCompletionPending, "T13"), OpAcceptOwn: no("T16"),
		OpReject: no("T17"), OpHandoff: no("T19"),
		OpDisconnectAbrupt: no("T34"), OpDisconnectGraceful: no("T34"),
		OpReset: noop("T40"), OpFree: end("T2"),
		OpCreateRSP: to(EPReserved, "T4"), OpFreeRSP: noop("T7"),
		OpPostRecv: stay("dat_ep_post_recv"), OpPostSend: no("dat_ep_post_send"),
		OpPostRDMAWrite: no("dat_ep_post_rdma_write"), OpPostRDMARead: no("dat_ep_post_rdma_read"), OpBindRMR: no("dat_rmr_bind"),
		EvRequest: void("T50"), EvEstablished: void("T50"), EvPeerRejected: void("T50"),
		EvNonPeerRejected: void("T50"), EvUnreachable: void("T50"), EvTimedOut: void("T50"),
		EvAcceptFailed: void("T50"), EvDrained: void("T50"), EvDisconnected: void("T50"), EvBroken: void("T50"),
		EvHardWatermark: void("T50"), EvEPError: void("T50"),
		EvDeviceGone: stay("T48"), EvDeviceBack: stay("T49"), EvRequestGone: void("T50"),
	},
	EPReserved: {
		OpModify: stay("T42"), OpSetWatermark: stay("T43"),
		OpQuery: stay("dat_ep_query"), OpGetStatus: stay("S1"), OpRecvQuery: stay("dat_ep_recv_query"),
		OpConnect: no("T21"), OpDupConnect: no("T21"),
		OpAccept: no("T16"), OpAcceptOwn: no("T16"),
		OpReject: no("T17"), OpHandoff: no("T19"),
		OpDisconnectAbrupt: no("T34"), OpDisconnectGraceful: no("T34"),
		OpReset: no("T41"), OpFree: no("T3"),
		OpCreateRSP: no("T5"), OpFreeRSP: to(EPUnconnected, "T6"),
		OpPostRecv: stay("dat_ep_post_recv"), OpPostSend: no("dat_ep_post_send"),
		OpPostRDMAWrite: no("dat_ep_post_rdma_write"), OpPostRDMARead: no("dat_ep_post_rdma_read"), OpBindRMR: no("dat_rmr_bind"),
		EvRequest:     toWith(EPPassiveConnectionPending, EventConnectionRequest, "T8"),
		EvEstablished: void("T50"), EvPeerRejected: void("T50"),
		EvNonPeerRejected: void("T50"), EvUnreachable: void("T50"), EvTimedOut: void("T50"),
		EvAcceptFailed: void("T50"), EvDrained: void("T50"), EvDisconnected: void("T50"), EvBroken: void("T50"),
		EvHardWatermark: void("T50"), EvEPError: void("T50"),
		EvDeviceGone: stay("T48"), EvDeviceBack: stay("T49"), EvRequestGone: void("T50"),
	},
	EPPassiveConnectionPending: {
		OpModify: stay("T42"), OpSetWatermark: stay("T43"),
		OpQuery: stay("dat_ep_query"), OpGetStatus: stay("S1"), OpRecvQuery: stay("dat_ep_recv_query"),
		OpConnect: no("T21"), OpDupConnect: no("T21"),
		OpAccept: no("T16"), OpAcceptOwn: to(EPCompletionPending, "T12"),
		OpReject: to(EPUnconnected, "T17"), OpHandoff: to(EPUnconnected, "T19"),
		OpDisconnectAbrupt: no("T34"), OpDisconnectGraceful: no("T34"),
		OpReset: no("T41"), OpFree: no("T3"),
		OpCreateRSP: no("T5"), OpFreeRSP: noop("T7"),
		OpPostRecv: stay("dat_ep_post_recv"), OpPostSend: no("dat_ep_post_send"),
		OpPostRDMAWrite: no("dat_ep_post_rdma_write"), OpPostRDMARead: no("dat_ep_post_rdma_read"), OpBindRMR: no("dat_rmr_bind"),
		EvRequest: void("T9"), EvEstablished: void("T50"), EvPeerRejected: void("T50"),
		EvNonPeerRejected: void("T50"), EvUnreachable: void("T50"), EvTimedOut: void("T50"),
		EvAcceptFailed: void("T50"), EvDrained: void("T50"), EvDisconnected: void("T50"), EvBroken: void("T50"),
		EvHardWatermark: void("T50"), EvEPError: void("T50"),
		EvDeviceGone: to(EPUnconnected, "T48, T17"), EvDeviceBack: stay("T49"), EvRequestGone: stay("T46"),
	},
	EPActiveConnectionPending: {
		OpModify: stay("T42"), OpSetWatermark: stay("T43"),
		OpQuery: stay("dat_ep_query"), OpGetStatus: stay("S1"), OpRecvQuery: stay("dat_ep_recv_query"),
		OpConnect: no("T21"), OpDupConnect: no("T21"),
		OpAccept: no("T16"), OpAcceptOwn: no("T16"),
		OpReject: no("T17"), OpHandoff: no("T19"),
		OpDisconnectAbrupt: gone(EventDisconnected, "T32"), OpDisconnectGraceful: gone(EventDisconnected, "T32"),
		OpReset: no("T41"), OpFree: end("T2"),
		OpCreateRSP: no("T5"), OpFreeRSP: noop("T7"),
		OpPostRecv: stay("dat_ep_post_recv"), OpPostSend: no("dat_ep_post_send"),
		OpPostRDMAWrite: no("dat_ep_post_rdma_write"), OpPostRDMARead: no("dat_ep_post_rdma_read"), OpBindRMR: no("dat_rmr_bind"),
		EvRequest: void("T50"), EvEstablished: toWith(EPConnected, EventEstablished, "T22"),
		EvPeerRejected:    gone(EventPeerRejected, "T23"),
		EvNonPeerRejected: gone(EventNonPeerRejected, "T26"),
		EvUnreachable:     gone(EventUnreachable, "T24"), EvTimedOut: gone(EventTimedOut, "T25"),
		EvAcceptFailed: void("T50"), EvDrained: void("T50"),
		EvDisconnected: gone(EventNonPeerRejected, "T26"), EvBroken: gone(EventNonPeerRejected, "T26"),
		EvHardWatermark: void("T50"), EvEPError: gone(EventNonPeerRejected, "T26"),
		EvDeviceGone: gone(EventBroken, "T48"), EvDeviceBack: stay("T49"), EvRequestGone: void("T50"),
	},
	EPTentativeConnectionPending: {
		OpModify: stay("T42"), OpSetWatermark: stay("T43"),
		OpQuery: stay("dat_ep_query"), OpGetStatus: stay("S1"), OpRecvQuery: stay("dat_ep_recv_query"),
		OpConnect: no("T21"), OpDupConnect: no("T21"),
		OpAccept: no("T16"), OpAcceptOwn: to(EPCompletionPending, "T12"),
		OpReject: end("T18"), OpHandoff: end("T19"),
		OpDisconnectAbrupt: no("T34"), OpDisconnectGraceful: no("T34"),
		OpReset: no("T41"), OpFree: no("T3"),
		OpCreateRSP: no("T5"), OpFreeRSP: noop("T7"),
		OpPostRecv: stay("dat_ep_post_recv"), OpPostSend: no("dat_ep_post_send"),
		OpPostRDMAWrite: no("dat_ep_post_rdma_write"), OpPostRDMARead: no("dat_ep_post_rdma_read"), OpBindRMR: no("dat_rmr_bind"),
		EvRequest: void("T50"), EvEstablished: void("T50"), EvPeerRejected: void("T50"),
		EvNonPeerRejected: void("T50"), EvUnreachable: void("T50"), EvTimedOut: void("T50"),
		EvAcceptFailed: void("T50"), EvDrained: void("T50"), EvDisconnected: void("T50"), EvBroken: void("T50"),
		EvHardWatermark: void("T50"), EvEPError: void("T50"),
		EvDeviceGone: end("T48, T18"), EvDeviceBack: stay("T49"), EvRequestGone: stay("T46"),
	},
	EPConnected: {
		OpModify: stay("T42"), OpSetWatermark: stay("T43"),
		OpQuery: stay("dat_ep_query"), OpGetStatus: stay("S1"), OpRecvQuery: stay("dat_ep_recv_query"),
		OpConnect: no("T21"), OpDupConnect: no("T21"),
		OpAccept: no("T16"), OpAcceptOwn: no("T16"),
		OpReject: no("T17"), OpHandoff: no("T19"),
		OpDisconnectAbrupt: gone(EventDisconnected, "T29"), OpDisconnectGraceful: to(EPDisconnectPending, "T28"),
		OpReset: no("T41"), OpFree: end("T2"),
		OpCreateRSP: no("T5"), OpFreeRSP: noop("T7"),
		OpPostRecv: stay("dat_ep_post_recv"), OpPostSend: stay("dat_ep_post_send"),
		OpPostRDMAWrite: stay("dat_ep_post_rdma_write"), OpPostRDMARead: stay("dat_ep_post_rdma_read"), OpBindRMR: stay("dat_rmr_bind"),
		EvRequest: void("T50"), EvEstablished: void("T50"), EvPeerRejected: void("T50"),
		EvNonPeerRejected: void("T50"), EvUnreachable: void("T50"), EvTimedOut: void("T50"),
		EvAcceptFailed: void("T50"), EvDrained: void("T50"),
		EvDisconnected: gone(EventDisconnected, "T36"), EvBroken: gone(EventBroken, "T37"),
		EvHardWatermark: gone(EventBroken, "T37, W7"), EvEPError: gone(EventAsyncErrorEPBroken, "T38"),
		EvDeviceGone: gone(EventBroken, "T48"), EvDeviceBack: stay("T49"), EvRequestGone: void("T50"),
	},
	EPDisconnectPending: {
		OpModify: stay("T42"), OpSetWatermark: stay("T43"),
		OpQuery: stay("dat_ep_query"), OpGetStatus: stay("S1"), OpRecvQuery: stay("dat_ep_recv_query"),
		OpConnect: no("T21"), OpDupConnect: no("T21"),
		OpAccept: no("T16"), OpAcceptOwn: no("T16"),
		OpReject: no("T17"), OpHandoff: no("T19"),
		OpDisconnectAbrupt: gone(EventDisconnected, "T30"), OpDisconnectGraceful: noop("T31"),
		OpReset: no("T41"), OpFree: end("T2"),
		OpCreateRSP: no("T5"), OpFreeRSP: noop("T7"),
		OpPostRecv: stay("dat_ep_post_recv"), OpPostSend: no("dat_ep_post_send"),
		OpPostRDMAWrite: no("dat_ep_post_rdma_write"), OpPostRDMARead: no("dat_ep_post_rdma_read"), OpBindRMR: no("dat_rmr_bind"),
		EvRequest: void("T50"), EvEstablished: void("T50"), EvPeerRejected: void("T50"),
		EvNonPeerRejected: void("T50"), EvUnreachable: void("T50"), EvTimedOut: void("T50"),
		EvAcceptFailed: void("T50"), EvDrained: gone(EventDisconnected, "T28"),
		EvDisconnected: gone(EventDisconnected, "T36"), EvBroken: gone(EventBroken, "T37"),
		EvHardWatermark: gone(EventBroken, "T37, W7"), EvEPError: gone(EventAsyncErrorEPBroken, "T38"),
		EvDeviceGone: gone(EventBroken, "T48"), EvDeviceBack: stay("T49"), EvRequestGone: void("T50"),
	},
	EPDisconnected: {
		OpModify: stay("T42"), OpSetWatermark: stay("T43"),
		OpQuery: stay("dat_ep_query"), OpGetStatus: stay("S1"), OpRecvQuery: stay("dat_ep_recv_query"),
		OpConnect: no("T21"), OpDupConnect: no("T21"),
		OpAccept: no("T16"), OpAcceptOwn: no("T16"),
		OpReject: no("T17"), OpHandoff: no("T19"),
		OpDisconnectAbrupt: noop("T33"), OpDisconnectGraceful: noop("T33"),
		OpReset: to(EPUnconnected, "T39"), OpFree: end("T2"),
		OpCreateRSP: no("T5"), OpFreeRSP: noop("T7"),
		OpPostRecv: stay("dat_ep_post_recv"), OpPostSend: stay("dat_ep_post_send"),
		OpPostRDMAWrite: stay("dat_ep_post_rdma_write"), OpPostRDMARead: stay("dat_ep_post_rdma_read"), OpBindRMR: stay("dat_rmr_bind"),
		EvRequest: void("T50"), EvEstablished: void("T50"), EvPeerRejected: void("T50"),
		EvNonPeerRejected: void("T50"), EvUnreachable: void("T50"), EvTimedOut: void("T50"),
		EvAcceptFailed: void("T50"), EvDrained: void("T50"), EvDisconnected: void("T50"), EvBroken: void("T50"),
		EvHardWatermark: void("T50"), EvEPError: void("T50"),
		EvDeviceGone: stay("T48"), EvDeviceBack: stay("T49"), EvRequestGone: void("T50"),
	},
	EPCompletionPending: {
		OpModify: stay("T42"), OpSetWatermark: stay("T43"),
		OpQuery: stay("dat_ep_query"), OpGetStatus: stay("S1"), OpRecvQuery: stay("dat_ep_recv_query"),
		OpConnect: no("T21"), OpDupConnect: no("T21"),
		OpAccept: no("T16"), OpAcceptOwn: no("T16"),
		OpReject: no("T17"), OpHandoff: no("T19"),
		OpDisconnectAbrupt: gone(EventDisconnected, "T32"), OpDisconnectGraceful: gone(EventDisconnected, "T32"),
		OpReset: no("T41"), OpFree: end("T2"),
		OpCreateRSP: no("T5"), OpFreeRSP: noop("T7"),
		OpPostRecv: stay("dat_ep_post_recv"), OpPostSend: no("dat_ep_post_send"),
		OpPostRDMAWrite: no("dat_ep_post_rdma_write"), OpPostRDMARead: no("dat_ep_post_rdma_read"), OpBindRMR: no("dat_rmr_bind"),
		EvRequest: void("T50"), EvEstablished: toWith(EPConnected, EventEstablished, "T14"),
		EvPeerRejected:    gone(EventAcceptCompletionError, "T15"),
		EvNonPeerRejected: gone(EventAcceptCompletionError, "T15"),
		EvUnreachable:     gone(EventAcceptCompletionError, "T15"), EvTimedOut: void("T50"),
		EvAcceptFailed: gone(EventAcceptCompletionError, "T15"), EvDrained: void("T50"),
		EvDisconnected: gone(EventAcceptCompletionError, "T15"), EvBroken: gone(EventAcceptCompletionError, "T15"),
		EvHardWatermark: void("T50"), EvEPError: gone(EventAcceptCompletionError, "T15"),
		EvDeviceGone: gone(EventBroken, "T48"), EvDeviceBack: stay("T49"), EvRequestGone: void("T50"),
	},
}
