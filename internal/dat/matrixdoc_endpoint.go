package dat

import (
	"maps"
	"slices"
	"strings"
)

// wording is what a page calls something and one line on what it means.
type wording struct{ title, meaning string }

// stateWordings are the words for the states that occur.
var stateWordings = [numStates]wording{
	EPUnconnected:                {"Unconnected", "Made and quiet. Its parameters may be changed, and it may connect or accept."},
	EPReserved:                   {"Reserved", "Kept for a reserved service point, which waits for its one request."},
	EPPassiveConnectionPending:   {"Passive pending", "A request arrived at its reserved service point and waits to be accepted or rejected."},
	EPActiveConnectionPending:    {"Active pending", "Asked for a connection and waits for the answer."},
	EPTentativeConnectionPending: {"Tentative", "Made by the provider for a request that waits. Give it a protection zone and EVDs, then accept."},
	EPConnected:                  {"Connected", "Transfers flow."},
	EPDisconnectPending:          {"Disconnect pending", "Closing gracefully: outstanding requests are finishing, new ones are refused."},
	EPDisconnected:               {"Disconnected", "The connection ended or failed. Reset makes the endpoint usable again."},
	EPCompletionPending:          {"Completion pending", "Accepted a request; the transport has still to finish."},
}

// wording is the words for a state; those of a state that never occurs say so.
func (e EPState) wording() (title, meaning string) {
	if e.Occurs() {
		return stateWordings[e].title, stateWordings[e].meaning
	}
	lower := strings.ToLower(strings.ReplaceAll(e.String(), "_", " "))
	return strings.ToUpper(lower[:1]) + lower[1:], "Never occurs; it would be judged as " + siblings[e].String() + "."
}

// operationWordings are the words for each of an endpoint's operations.
var operationWordings = map[string]wording{
	"modify":          {"Modify", "Changes parameters, as many as the call names and all of them or none."},
	"set_watermark":   {"Set watermarks", "Sets and arms both high watermarks."},
	"connect":         {"Connect", "Asks the service point at the other end for a connection."},
	"dup_connect":     {"Connect like another", "Connects to where another endpoint of the IA is connected."},
	"accept":          {"Accept a request", "Accepts a connection request that waits."},
	"create_rsp":      {"Reserve for a service point", "Keeps it for the one request of a reserved service point."},
	"disconnect":      {"Disconnect", "Ends the connection at both ends."},
	"reset":           {"Reset", "Makes it UNCONNECTED again, with its parameters and watermarks."},
	"free":            {"Free", "Ends the endpoint for good."},
	"post_recv":       {"Post receives", "Gives it buffers for messages of the peer."},
	"post_send":       {"Post sends", "Sends messages to receives of the peer."},
	"post_rdma_write": {"Post RDMA write", "Writes local memory to memory of the peer."},
	"post_rdma_read":  {"Post RDMA read", "Reads memory of the peer to local memory."},
	"bind_rmr":        {"Bind an RMR", "Lets the peer reach a part of a local memory region."},
}

func operationDocs() []OperationDoc {
	docs := make([]OperationDoc, 0, len(operations))
	for _, op := range operations {
		w := operationWordings[op.word]
		docs = append(docs, OperationDoc{op.word, w.title, w.meaning, op.inputs})
	}
	return docs
}

// paramWording is the words for a parameter by its wire name.
type paramWording struct {
	name string
	wording
}

// paramSection is a heading and the parameters under it. A parameter without a
// member in an endpoint is under none.
type paramSection struct {
	title  string
	params []paramWording
}

var paramSections = [...]paramSection{
	{"Protection and events", []paramWording{
		{"pz", wording{"Protection zone", "Memory of this zone alone may be used in transfers."}},
		{"recv_evd", wording{"Receive EVD", "Completions of receives go here."}},
		{"request_evd", wording{"Request EVD", "Completions of sends, RDMA and binds go here."}},
		{"connect_evd", wording{"Connect EVD", "Events of the connection go here."}},
		{"srq", wording{"SRQ", "Receives are taken from this shared queue; chosen at creation."}},
	}},
	{"Transfers", []paramWording{
		{"attributes.service_type", wording{"Service type", "Reliable connected is the only one."}},
		{"attributes.max_message_size", wording{"Max message size", "Bytes of one send."}},
		{"attributes.max_rdma_size", wording{"Max RDMA size", "Bytes of one RDMA read or write."}},
		{"attributes.qos", wording{"Quality of service", "What the connection asks of the fabric."}},
		{"attributes.recv_completion_flags", wording{"Recv completion flags", "How completed receives wake a waiter. Not while receives are posted."}},
		{"attributes.request_completion_flags", wording{"Request completion flags", "How completed requests wake a waiter."}},
	}},
	{"Depths", []paramWording{
		{"attributes.max_recv_dtos", wording{"Max receives", "Outstanding receives at most."}},
		{"attributes.max_request_dtos", wording{"Max requests", "Outstanding sends, RDMA and binds at most."}},
		{"attributes.max_recv_iov", wording{"Max recv IOV", "Segments of one receive."}},
		{"attributes.max_request_iov", wording{"Max request IOV", "Segments of one request."}},
		{"attributes.max_rdma_read_in", wording{"RDMA reads in", "Outstanding RDMA reads with this endpoint as target."}},
		{"attributes.max_rdma_read_out", wording{"RDMA reads out", "Outstanding RDMA reads from this endpoint."}},
		{"attributes.max_rdma_read_iov", wording{"RDMA read IOV", "Segments of one RDMA read."}},
		{"attributes.max_rdma_write_iov", wording{"RDMA write IOV", "Segments of one RDMA write."}},
		{"attributes.srq_soft_hw", wording{"SRQ soft high watermark", "Set with the watermarks."}},
	}},
	{"Named attributes", []paramWording{
		{"attributes.ep_transport_specific", wording{"Transport specific", "Attributes of the transport, as names with values."}},
		{"attributes.ep_provider_specific", wording{"Provider specific", "Attributes of the provider, as names with values."}},
	}},
	{"Identity", []paramWording{
		{"ia", wording{"IA", "Chosen at creation."}},
		{"local_ia_address", wording{"Local IA address", "The IA's."}},
		{"local_port_qual", wording{"Local port qualifier", "Given with the connection."}},
		{"remote_ia_address", wording{"Remote IA address", "Given with the connection."}},
		{"remote_port_qual", wording{"Remote port qualifier", "Given with the connection."}},
	}},
}

// sectionless are the words for the parameters that are under no heading.
var sectionless = []paramWording{
	{"state", wording{"State", "Where the endpoint is in its life; calls and events move it."}},
	{"comm", wording{"Communicator", "Not supported."}},
}

func sectionDocs() []SectionDoc {
	docs := make([]SectionDoc, 0, len(paramSections))
	for _, s := range paramSections {
		doc := SectionDoc{Title: s.title}
		for _, p := range s.params {
			doc.Parameters = append(doc.Parameters, p.name)
		}
		docs = append(docs, doc)
	}
	return docs
}

// wordingByParam finds the words for a parameter by its wire name.
var wordingByParam = func() map[string]wording {
	found := map[string]wording{}
	for _, s := range append(paramSections[:], paramSection{params: sectionless}) {
		for _, p := range s.params {
			found[p.name] = p.wording
		}
	}
	return found
}()

// handleTypes are the types of the objects that parameters name.
var handleTypes = map[string]ObjectType{
	"ia": TypeIA, "pz": TypePZ, "recv_evd": TypeEVD, "request_evd": TypeEVD, "connect_evd": TypeEVD, "srq": TypeSRQ,
}

// withWords adds the words for a parameter to its row, and what the judges
// know of it beyond the row.
func withWords(d ParamDoc) ParamDoc {
	w := wordingByParam[d.Name]
	d.Title, d.Meaning = w.title, w.meaning
	if t, ok := handleTypes[d.Name]; ok {
		d.Type = &t
	}
	e := Endpoint{} // UNCONNECTED: whatever can be modified at all can be now
	d.NeedsRecvIdle = slices.Contains(Modifiable(&e, true), d.Name) && !slices.Contains(Modifiable(&e, false), d.Name)
	d.Names = namedDocs(d.Name)
	return d
}

// everyProviderAttr are the attributes of a provider that knows every named attribute and
// says no bound of its own.
var everyProviderAttr = map[string]string{"max_inline_data": "0", "comp_vectors": "1", "min_rnr_timer": "0"}

// namedDocs are the named attributes of a parameter in the order of their
// names, none for a parameter that has no such attributes.
func namedDocs(param string) []NamedDoc {
	known := map[string]map[string]NamedAttr{
		"attributes.ep_transport_specific": transportAttrs,
		"attributes.ep_provider_specific":  providerAttrs(everyProviderAttr),
	}[param]
	few := providerAttrs(nil)
	docs := []NamedDoc{}
	for _, name := range slices.Sorted(maps.Keys(known)) {
		d := NamedDoc{Name: name, Min: known[name].Min, Everywhere: true}
		if param == "attributes.ep_provider_specific" {
			_, d.Everywhere = few[name]
		}
		if most := known[name].Max; most > 0 {
			d.Max = &most
		}
		docs = append(docs, d)
	}
	return docs
}
