package dat

import (
	"fmt"
	"slices"
)

// operations are the words of an endpoint's `operations` in their order, each
// with the inputs behind it: the word is shown where one of them is possible.
var operations = [...]struct {
	word   string
	inputs []Input
}{
	{"modify", []Input{OpModify}},
	{"set_watermark", []Input{OpSetWatermark}},
	{"connect", []Input{OpConnect}},
	{"dup_connect", []Input{OpDupConnect}},
	{"accept", []Input{OpAccept, OpAcceptOwn}},
	{"create_rsp", []Input{OpCreateRSP}},
	{"disconnect", []Input{OpDisconnectAbrupt, OpDisconnectGraceful}},
	{"reset", []Input{OpReset}},
	{"free", []Input{OpFree}},
	{"post_recv", []Input{OpPostRecv}},
	{"post_send", []Input{OpPostSend}},
	{"post_rdma_write", []Input{OpPostRDMAWrite}},
	{"post_rdma_read", []Input{OpPostRDMARead}},
	{"bind_rmr", []Input{OpBindRMR}},
}

// OperationWords returns the words that Operations can return, in their order.
func OperationWords() []string {
	words := make([]string, len(operations))
	for i, op := range operations {
		words[i] = op.word
	}
	return words
}

// Operations returns the operations that would not be refused for the endpoint's
// state or readiness now, those without effect included, in the order of the
// table. `modify` is among them while any parameter is modifiable.
func Operations(e *Endpoint) []string {
	words := make([]string, 0, len(operations))
	for _, op := range operations {
		if slices.ContainsFunc(op.inputs, func(in Input) bool { return possible(e, in) }) {
			words = append(words, op.word)
		}
	}
	return words
}

func possible(e *Endpoint, in Input) bool {
	if in == OpModify && !anyModifiable(e.State) {
		return false
	}
	return Judge(e.State, in).Kind != Refuse && readiness[in].met(e)
}

// needs is what an operation needs of an endpoint beyond its state.
type needs struct{ pz, ownRecvs bool }

// met reports whether the endpoint has what is needed.
func (n needs) met(e *Endpoint) bool {
	return (!n.pz || e.PZ != HandleNull) && (!n.ownRecvs || e.SRQ == HandleNull)
}

// readiness holds the needs of the operations that have any: a PZ to connect,
// accept or post, and an own receive queue to post receives.
var readiness = [numInputs]needs{
	OpConnect:       {pz: true},
	OpDupConnect:    {pz: true},
	OpAccept:        {pz: true},
	OpAcceptOwn:     {pz: true},
	OpPostRecv:      {pz: true, ownRecvs: true},
	OpPostSend:      {pz: true},
	OpPostRDMAWrite: {pz: true},
	OpPostRDMARead:  {pz: true},
	OpBindRMR:       {pz: true},
}

// Ready judges what an operation needs of the endpoint beyond its state: it is
// DAT_INVALID_STATE with DAT_INVALID_STATE_EP_NOTREADY where a protection zone
// is missing, and with DAT_INVALID_STATE_SRQ_IN_USE for receives on an endpoint
// that takes them from a shared receive queue. No operation needs a connect EVD
// (W23). The caller judges the state first (D44).
func Ready(e *Endpoint, in Input) *Error {
	need := readiness[in]
	switch {
	case need.met(e):
		return nil
	case need.ownRecvs && e.SRQ != HandleNull:
		return &Error{
			Return: RetInvalidState, Subtype: SubInvalidStateSRQInUse, Field: "srq", State: clonePtr(&e.State),
			Detail: fmt.Sprintf("the endpoint takes its receives from shared receive queue %s; post them there", e.SRQ),
		}
	default:
		return &Error{
			Return: RetInvalidState, Subtype: SubInvalidStateEPNotready, Field: "pz", State: clonePtr(&e.State),
			Detail: fmt.Sprintf("%s needs a protection zone and the endpoint's pz is null; set pz with dat_ep_modify in %s",
				in, listStates(groupStates(GroupPZ))),
		}
	}
}
