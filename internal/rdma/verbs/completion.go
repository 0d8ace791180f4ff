package verbs

import "github.com/datapi/datapi/internal/dat"

// pollBatch is how many completions one poll takes.
const pollBatch = 64

// completion is one entry of a completion queue (struct ibv_wc).
type completion struct {
	// token is the work request's id in verbs.
	token  uint64
	status uint8
	length uint32
	qpNum  uint32
	// solicited: its sender asked to wake the waiter.
	solicited bool
}

// The completion statuses of verbs (enum ibv_wc_status), in their order.
const (
	wcSuccess uint8 = iota
	wcLocLenErr
	wcLocQPOpErr
	wcLocEECOpErr
	wcLocProtErr
	wcFlushErr
	wcMWBindErr
	wcBadRespErr
	wcLocAccessErr
	wcRemInvReqErr
	wcRemAccessErr
	wcRemOpErr
	wcRetryExcErr
	wcRNRRetryExcErr
	wcLocRDDViolErr
	wcRemInvRDReqErr
	wcRemAbortErr
	wcInvEECNErr
	wcInvEECStateErr
	wcFatalErr
	wcRespTimeoutErr
	wcGeneralErr
)

// wcTable has the status in DAT and the name of each completion status of verbs. Source:
// docs/rules/transport.md.
var wcTable = [...]struct {
	status dat.DTOStatus
	name   string
}{
	wcSuccess:        {dat.DTOSuccess, "IBV_WC_SUCCESS"},
	wcLocLenErr:      {dat.DTOErrLocalLength, "IBV_WC_LOC_LEN_ERR"},
	wcLocQPOpErr:     {dat.DTOErrLocalEP, "IBV_WC_LOC_QP_OP_ERR"},
	wcLocEECOpErr:    {dat.DTOErrTransport, "IBV_WC_LOC_EEC_OP_ERR"},
	wcLocProtErr:     {dat.DTOErrLocalProtection, "IBV_WC_LOC_PROT_ERR"},
	wcFlushErr:       {dat.DTOErrFlushed, "IBV_WC_WR_FLUSH_ERR"},
	wcMWBindErr:      {dat.RMROperationFailed, "IBV_WC_MW_BIND_ERR"},
	wcBadRespErr:     {dat.DTOErrBadResponse, "IBV_WC_BAD_RESP_ERR"},
	wcLocAccessErr:   {dat.DTOErrLocalProtection, "IBV_WC_LOC_ACCESS_ERR"},
	wcRemInvReqErr:   {dat.DTOErrRemoteResponder, "IBV_WC_REM_INV_REQ_ERR"},
	wcRemAccessErr:   {dat.DTOErrRemoteAccess, "IBV_WC_REM_ACCESS_ERR"},
	wcRemOpErr:       {dat.DTOErrRemoteResponder, "IBV_WC_REM_OP_ERR"},
	wcRetryExcErr:    {dat.DTOErrTransport, "IBV_WC_RETRY_EXC_ERR"},
	wcRNRRetryExcErr: {dat.DTOErrReceiverNotReady, "IBV_WC_RNR_RETRY_EXC_ERR"},
	wcLocRDDViolErr:  {dat.DTOErrLocalProtection, "IBV_WC_LOC_RDD_VIOL_ERR"},
	wcRemInvRDReqErr: {dat.DTOErrRemoteResponder, "IBV_WC_REM_INV_RD_REQ_ERR"},
	wcRemAbortErr:    {dat.DTOErrRemoteResponder, "IBV_WC_REM_ABORT_ERR"},
	wcInvEECNErr:     {dat.DTOErrTransport, "IBV_WC_INV_EECN_ERR"},
	wcInvEECStateErr: {dat.DTOErrTransport, "IBV_WC_INV_EEC_STATE_ERR"},
	wcFatalErr:       {dat.DTOErrTransport, "IBV_WC_FATAL_ERR"},
	wcRespTimeoutErr: {dat.DTOErrReceiverNotReady, "IBV_WC_RESP_TIMEOUT_ERR"},
	wcGeneralErr:     {dat.DTOErrTransport, "IBV_WC_GENERAL_ERR"},
}

// outcome returns the status in DAT and the name of the status of a completion of w.
//
// Two things are not in the table. A receive that was posted under another PZ than the
// connection's fails on its protection whatever the device calls it (M7). And the
// software devices call a message that is longer than its receive an operation error:
// under the right PZ nothing else can be wrong with a receive.
func outcome(w *work, status uint8) (dat.DTOStatus, string) {
	if int(status) >= len(wcTable) {
		return dat.DTOErrTransport, "IBV_WC_GENERAL_ERR"
	}
	row := wcTable[status]
	failed := status != wcSuccess && status != wcFlushErr
	switch {
	case failed && w.kind == dat.KindRecv && w.foreignPZ:
		return dat.DTOErrLocalProtection, row.name
	case status == wcLocQPOpErr && w.kind == dat.KindRecv:
		return dat.DTOErrLocalLength, row.name
	default:
		return row.status, row.name
	}
}

// qpStates are the names of enum ibv_qp_state.
var qpStates = [...]string{"RESET", "INIT", "RTR", "RTS", "SQD", "SQE", "ERR"}

// qpStateName returns the name of a QP's state, nil if there is none.
func qpStateName(state int) *string {
	if state < 0 || state >= len(qpStates) {
		return nil
	}
	return &qpStates[state]
}

// qpReadyToSend is the state of a connected QP.
const qpReadyToSend = 3
