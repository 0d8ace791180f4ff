package dat

// numStates counts the endpoint states, those that never occur included.
const numStates = int(EPConnectedMultiPath) + 1

// cell is one entry of the transition table. The zero cell is a missing entry;
// a test finds it.
type cell struct {
	kind  VerdictKind
	next  EPState
	event EventNumber
	rule  string
}

func moves(next EPState, rule string) cell { return cell{kind: Move, next: next, rule: rule} }
func ends(rule string) cell                { return cell{kind: End, rule: rule} }
func stays(rule string) cell               { return cell{kind: Stay, rule: rule} }
func noEffect(rule string) cell            { return cell{kind: NoEffect, rule: rule} }
func refused(rule string) cell             { return cell{kind: Refuse, rule: rule} }
func ignored(rule string) cell             { return cell{kind: Ignore, rule: rule} }

func movesWith(next EPState, event EventNumber, rule string) cell {
	return cell{kind: Move, next: next, event: event, rule: rule}
}

// disconnects is the end of a connection or of its setup.
func disconnects(event EventNumber, rule string) cell { return movesWith(EPDisconnected, event, rule) }

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
		OpModify: stays("T42"), OpSetWatermark: stays("T43"),
		OpQuery: stays("dat_ep_query"), OpGetStatus: stays("S1"), OpRecvQuery: stays("dat_ep_recv_query"),
		OpConnect: moves(EPActiveConnectionPending, "T20"), OpDupConnect: moves(EPActiveConnectionPending, "T20"),
		OpAccept: moves(EPCompletionPending, "T13"), OpAcceptOwn: refused("T16"),
		OpReject: refused("T17"), OpHandoff: refused("T19"),
		OpDisconnectAbrupt: refused("T34"), OpDisconnectGraceful: refused("T34"),
		OpReset: noEffect("T40"), OpFree: ends("T2"),
		OpCreateRSP: moves(EPReserved, "T4"), OpFreeRSP: noEffect("T7"),
		OpPostRecv: stays("dat_ep_post_recv"), OpPostSend: refused("dat_ep_post_send"),
		OpPostRDMAWrite: refused("dat_ep_post_rdma_write"), OpPostRDMARead: refused("dat_ep_post_rdma_read"), OpBindRMR: refused("dat_rmr_bind"),
		EvRequest: ignored("T50"), EvEstablished: ignored("T50"), EvPeerRejected: ignored("T50"),
		EvNonPeerRejected: ignored("T50"), EvUnreachable: ignored("T50"), EvTimedOut: ignored("T50"),
		EvAcceptFailed: ignored("T50"), EvDrained: ignored("T50"), EvDisconnected: ignored("T50"), EvBroken: ignored("T50"),
		EvHardWatermark: ignored("T50"), EvEPError: ignored("T50"),
		EvDeviceGone: stays("T48"), EvDeviceBack: stays("T49"), EvRequestGone: ignored("T50"),
	},
	EPReserved: {
		OpModify: stays("T42"), OpSetWatermark: stays("T43"),
		OpQuery: stays("dat_ep_query"), OpGetStatus: stays("S1"), OpRecvQuery: stays("dat_ep_recv_query"),
		OpConnect: refused("T21"), OpDupConnect: refused("T21"),
		OpAccept: refused("T16"), OpAcceptOwn: refused("T16"),
		OpReject: refused("T17"), OpHandoff: refused("T19"),
		OpDisconnectAbrupt: refused("T34"), OpDisconnectGraceful: refused("T34"),
		OpReset: refused("T41"), OpFree: refused("T3"),
		OpCreateRSP: refused("T5"), OpFreeRSP: moves(EPUnconnected, "T6"),
		OpPostRecv: stays("dat_ep_post_recv"), OpPostSend: refused("dat_ep_post_send"),
		OpPostRDMAWrite: refused("dat_ep_post_rdma_write"), OpPostRDMARead: refused("dat_ep_post_rdma_read"), OpBindRMR: refused("dat_rmr_bind"),
		EvRequest:     movesWith(EPPassiveConnectionPending, EventConnectionRequest, "T8"),
		EvEstablished: ignored("T50"), EvPeerRejected: ignored("T50"),
		EvNonPeerRejected: ignored("T50"), EvUnreachable: ignored("T50"), EvTimedOut: ignored("T50"),
		EvAcceptFailed: ignored("T50"), EvDrained: ignored("T50"), EvDisconnected: ignored("T50"), EvBroken: ignored("T50"),
		EvHardWatermark: ignored("T50"), EvEPError: ignored("T50"),
		EvDeviceGone: stays("T48"), EvDeviceBack: stays("T49"), EvRequestGone: ignored("T50"),
	},
	EPPassiveConnectionPending: {
		OpModify: stays("T42"), OpSetWatermark: stays("T43"),
		OpQuery: stays("dat_ep_query"), OpGetStatus: stays("S1"), OpRecvQuery: stays("dat_ep_recv_query"),
		OpConnect: refused("T21"), OpDupConnect: refused("T21"),
		OpAccept: refused("T16"), OpAcceptOwn: moves(EPCompletionPending, "T12"),
		OpReject: moves(EPUnconnected, "T17"), OpHandoff: moves(EPUnconnected, "T19"),
		OpDisconnectAbrupt: refused("T34"), OpDisconnectGraceful: refused("T34"),
		OpReset: refused("T41"), OpFree: refused("T3"),
		OpCreateRSP: refused("T5"), OpFreeRSP: noEffect("T7"),
		OpPostRecv: stays("dat_ep_post_recv"), OpPostSend: refused("dat_ep_post_send"),
		OpPostRDMAWrite: refused("dat_ep_post_rdma_write"), OpPostRDMARead: refused("dat_ep_post_rdma_read"), OpBindRMR: refused("dat_rmr_bind"),
		EvRequest: ignored("T9"), EvEstablished: ignored("T50"), EvPeerRejected: ignored("T50"),
		EvNonPeerRejected: ignored("T50"), EvUnreachable: ignored("T50"), EvTimedOut: ignored("T50"),
		EvAcceptFailed: ignored("T50"), EvDrained: ignored("T50"), EvDisconnected: ignored("T50"), EvBroken: ignored("T50"),
		EvHardWatermark: ignored("T50"), EvEPError: ignored("T50"),
		EvDeviceGone: moves(EPUnconnected, "T48, T17"), EvDeviceBack: stays("T49"), EvRequestGone: stays("T46"),
	},
	EPActiveConnectionPending: {
		OpModify: stays("T42"), OpSetWatermark: stays("T43"),
		OpQuery: stays("dat_ep_query"), OpGetStatus: stays("S1"), OpRecvQuery: stays("dat_ep_recv_query"),
		OpConnect: refused("T21"), OpDupConnect: refused("T21"),
		OpAccept: refused("T16"), OpAcceptOwn: refused("T16"),
		OpReject: refused("T17"), OpHandoff: refused("T19"),
		OpDisconnectAbrupt: disconnects(EventDisconnected, "T32"), OpDisconnectGraceful: disconnects(EventDisconnected, "T32"),
		OpReset: refused("T41"), OpFree: ends("T2"),
		OpCreateRSP: refused("T5"), OpFreeRSP: noEffect("T7"),
		OpPostRecv: stays("dat_ep_post_recv"), OpPostSend: refused("dat_ep_post_send"),
		OpPostRDMAWrite: refused("dat_ep_post_rdma_write"), OpPostRDMARead: refused("dat_ep_post_rdma_read"), OpBindRMR: refused("dat_rmr_bind"),
		EvRequest: ignored("T50"), EvEstablished: movesWith(EPConnected, EventEstablished, "T22"),
		EvPeerRejected:    disconnects(EventPeerRejected, "T23"),
		EvNonPeerRejected: disconnects(EventNonPeerRejected, "T26"),
		EvUnreachable:     disconnects(EventUnreachable, "T24"), EvTimedOut: disconnects(EventTimedOut, "T25"),
		EvAcceptFailed: ignored("T50"), EvDrained: ignored("T50"),
		EvDisconnected: disconnects(EventNonPeerRejected, "T26"), EvBroken: disconnects(EventNonPeerRejected, "T26"),
		EvHardWatermark: ignored("T50"), EvEPError: disconnects(EventNonPeerRejected, "T26"),
		EvDeviceGone: disconnects(EventBroken, "T48"), EvDeviceBack: stays("T49"), EvRequestGone: ignored("T50"),
	},
	EPTentativeConnectionPending: {
		OpModify: stays("T42"), OpSetWatermark: stays("T43"),
		OpQuery: stays("dat_ep_query"), OpGetStatus: stays("S1"), OpRecvQuery: stays("dat_ep_recv_query"),
		OpConnect: refused("T21"), OpDupConnect: refused("T21"),
		OpAccept: refused("T16"), OpAcceptOwn: moves(EPCompletionPending, "T12"),
		OpReject: ends("T18"), OpHandoff: ends("T19"),
		OpDisconnectAbrupt: refused("T34"), OpDisconnectGraceful: refused("T34"),
		OpReset: refused("T41"), OpFree: refused("T3"),
		OpCreateRSP: refused("T5"), OpFreeRSP: noEffect("T7"),
		OpPostRecv: stays("dat_ep_post_recv"), OpPostSend: refused("dat_ep_post_send"),
		OpPostRDMAWrite: refused("dat_ep_post_rdma_write"), OpPostRDMARead: refused("dat_ep_post_rdma_read"), OpBindRMR: refused("dat_rmr_bind"),
		EvRequest: ignored("T50"), EvEstablished: ignored("T50"), EvPeerRejected: ignored("T50"),
		EvNonPeerRejected: ignored("T50"), EvUnreachable: ignored("T50"), EvTimedOut: ignored("T50"),
		EvAcceptFailed: ignored("T50"), EvDrained: ignored("T50"), EvDisconnected: ignored("T50"), EvBroken: ignored("T50"),
		EvHardWatermark: ignored("T50"), EvEPError: ignored("T50"),
		EvDeviceGone: ends("T48, T18"), EvDeviceBack: stays("T49"), EvRequestGone: stays("T46"),
	},
	EPConnected: {
		OpModify: stays("T42"), OpSetWatermark: stays("T43"),
		OpQuery: stays("dat_ep_query"), OpGetStatus: stays("S1"), OpRecvQuery: stays("dat_ep_recv_query"),
		OpConnect: refused("T21"), OpDupConnect: refused("T21"),
		OpAccept: refused("T16"), OpAcceptOwn: refused("T16"),
		OpReject: refused("T17"), OpHandoff: refused("T19"),
		OpDisconnectAbrupt: disconnects(EventDisconnected, "T29"), OpDisconnectGraceful: moves(EPDisconnectPending, "T28"),
		OpReset: refused("T41"), OpFree: ends("T2"),
		OpCreateRSP: refused("T5"), OpFreeRSP: noEffect("T7"),
		OpPostRecv: stays("dat_ep_post_recv"), OpPostSend: stays("dat_ep_post_send"),
		OpPostRDMAWrite: stays("dat_ep_post_rdma_write"), OpPostRDMARead: stays("dat_ep_post_rdma_read"), OpBindRMR: stays("dat_rmr_bind"),
		EvRequest: ignored("T50"), EvEstablished: ignored("T50"), EvPeerRejected: ignored("T50"),
		EvNonPeerRejected: ignored("T50"), EvUnreachable: ignored("T50"), EvTimedOut: ignored("T50"),
		EvAcceptFailed: ignored("T50"), EvDrained: ignored("T50"),
		EvDisconnected: disconnects(EventDisconnected, "T36"), EvBroken: disconnects(EventBroken, "T37"),
		EvHardWatermark: disconnects(EventBroken, "T37, W7"), EvEPError: disconnects(EventAsyncErrorEPBroken, "T38"),
		EvDeviceGone: disconnects(EventBroken, "T48"), EvDeviceBack: stays("T49"), EvRequestGone: ignored("T50"),
	},
	EPDisconnectPending: {
		OpModify: stays("T42"), OpSetWatermark: stays("T43"),
		OpQuery: stays("dat_ep_query"), OpGetStatus: stays("S1"), OpRecvQuery: stays("dat_ep_recv_query"),
		OpConnect: refused("T21"), OpDupConnect: refused("T21"),
		OpAccept: refused("T16"), OpAcceptOwn: refused("T16"),
		OpReject: refused("T17"), OpHandoff: refused("T19"),
		OpDisconnectAbrupt: disconnects(EventDisconnected, "T30"), OpDisconnectGraceful: noEffect("T31"),
		OpReset: refused("T41"), OpFree: ends("T2"),
		OpCreateRSP: refused("T5"), OpFreeRSP: noEffect("T7"),
		OpPostRecv: stays("dat_ep_post_recv"), OpPostSend: refused("dat_ep_post_send"),
		OpPostRDMAWrite: refused("dat_ep_post_rdma_write"), OpPostRDMARead: refused("dat_ep_post_rdma_read"), OpBindRMR: refused("dat_rmr_bind"),
		EvRequest: ignored("T50"), EvEstablished: ignored("T50"), EvPeerRejected: ignored("T50"),
		EvNonPeerRejected: ignored("T50"), EvUnreachable: ignored("T50"), EvTimedOut: ignored("T50"),
		EvAcceptFailed: ignored("T50"), EvDrained: disconnects(EventDisconnected, "T28"),
		EvDisconnected: disconnects(EventDisconnected, "T36"), EvBroken: disconnects(EventBroken, "T37"),
		EvHardWatermark: disconnects(EventBroken, "T37, W7"), EvEPError: disconnects(EventAsyncErrorEPBroken, "T38"),
		EvDeviceGone: disconnects(EventBroken, "T48"), EvDeviceBack: stays("T49"), EvRequestGone: ignored("T50"),
	},
	EPDisconnected: {
		OpModify: stays("T42"), OpSetWatermark: stays("T43"),
		OpQuery: stays("dat_ep_query"), OpGetStatus: stays("S1"), OpRecvQuery: stays("dat_ep_recv_query"),
		OpConnect: refused("T21"), OpDupConnect: refused("T21"),
		OpAccept: refused("T16"), OpAcceptOwn: refused("T16"),
		OpReject: refused("T17"), OpHandoff: refused("T19"),
		OpDisconnectAbrupt: noEffect("T33"), OpDisconnectGraceful: noEffect("T33"),
		OpReset: moves(EPUnconnected, "T39"), OpFree: ends("T2"),
		OpCreateRSP: refused("T5"), OpFreeRSP: noEffect("T7"),
		OpPostRecv: stays("dat_ep_post_recv"), OpPostSend: stays("dat_ep_post_send"),
		OpPostRDMAWrite: stays("dat_ep_post_rdma_write"), OpPostRDMARead: stays("dat_ep_post_rdma_read"), OpBindRMR: stays("dat_rmr_bind"),
		EvRequest: ignored("T50"), EvEstablished: ignored("T50"), EvPeerRejected: ignored("T50"),
		EvNonPeerRejected: ignored("T50"), EvUnreachable: ignored("T50"), EvTimedOut: ignored("T50"),
		EvAcceptFailed: ignored("T50"), EvDrained: ignored("T50"), EvDisconnected: ignored("T50"), EvBroken: ignored("T50"),
		EvHardWatermark: ignored("T50"), EvEPError: ignored("T50"),
		EvDeviceGone: stays("T48"), EvDeviceBack: stays("T49"), EvRequestGone: ignored("T50"),
	},
	EPCompletionPending: {
		OpModify: stays("T42"), OpSetWatermark: stays("T43"),
		OpQuery: stays("dat_ep_query"), OpGetStatus: stays("S1"), OpRecvQuery: stays("dat_ep_recv_query"),
		OpConnect: refused("T21"), OpDupConnect: refused("T21"),
		OpAccept: refused("T16"), OpAcceptOwn: refused("T16"),
		OpReject: refused("T17"), OpHandoff: refused("T19"),
		OpDisconnectAbrupt: disconnects(EventDisconnected, "T32"), OpDisconnectGraceful: disconnects(EventDisconnected, "T32"),
		OpReset: refused("T41"), OpFree: ends("T2"),
		OpCreateRSP: refused("T5"), OpFreeRSP: noEffect("T7"),
		OpPostRecv: stays("dat_ep_post_recv"), OpPostSend: refused("dat_ep_post_send"),
		OpPostRDMAWrite: refused("dat_ep_post_rdma_write"), OpPostRDMARead: refused("dat_ep_post_rdma_read"), OpBindRMR: refused("dat_rmr_bind"),
		EvRequest: ignored("T50"), EvEstablished: movesWith(EPConnected, EventEstablished, "T14"),
		EvPeerRejected:    disconnects(EventAcceptCompletionError, "T15"),
		EvNonPeerRejected: disconnects(EventAcceptCompletionError, "T15"),
		EvUnreachable:     disconnects(EventAcceptCompletionError, "T15"), EvTimedOut: ignored("T50"),
		EvAcceptFailed: disconnects(EventAcceptCompletionError, "T15"), EvDrained: ignored("T50"),
		EvDisconnected: disconnects(EventAcceptCompletionError, "T15"), EvBroken: disconnects(EventAcceptCompletionError, "T15"),
		EvHardWatermark: ignored("T50"), EvEPError: disconnects(EventAcceptCompletionError, "T15"),
		EvDeviceGone: disconnects(EventBroken, "T48"), EvDeviceBack: stays("T49"), EvRequestGone: ignored("T50"),
	},
}
