package dat

// MatrixDoc is the tables of this package as data, for GET /matrix, with the
// words that a form or a page shows for them. Its order and content never
// change while a version of the service runs.
//
// A Title is what a page calls something, a Meaning one sentence or two.
type MatrixDoc struct {
	States             []StateDoc      `json:"states"`
	Inputs             []InputDoc      `json:"inputs"`
	Operations         []OperationDoc  `json:"operations"`
	Groups             []GroupDoc      `json:"groups"`
	Parameters         []ParamDoc      `json:"parameters"`
	Sections           []SectionDoc    `json:"sections"`
	Transitions        []TransitionDoc `json:"transitions"`
	FlagRules          []RuleDoc       `json:"flag_rules"`
	WatermarkRules     []RuleDoc       `json:"watermark_rules"`
	Enums              []EnumDoc       `json:"enums"`
	Streams            []StreamDoc     `json:"streams"`
	Events             []EventDoc      `json:"events"`
	Returns            []Return        `json:"returns"`
	ObjectTypes        []ObjectTypeDoc `json:"object_types"`
	IAAttributes       []AttributeDoc  `json:"ia_attributes"`
	ProviderAttributes []AttributeDoc  `json:"provider_attributes"`
	ConnQual           RangeDoc        `json:"conn_qual"`
}

// StateDoc is an endpoint state: whether it ever occurs, as which state it is
// judged, and the subtype that it gives DAT_INVALID_STATE.
type StateDoc struct {
	State    EPState `json:"state"`
	Title    string  `json:"title"`
	Meaning  string  `json:"meaning"`
	Occurs   bool    `json:"occurs"`
	JudgedAs EPState `json:"judged_as"`
	Subtype  Subtype `json:"subtype"`
}

// InputDoc is an input of the transition table: kind is `operation` or
// `event`, cause the word of the change log.
type InputDoc struct {
	Input Input  `json:"input"`
	Kind  string `json:"kind"`
	Cause string `json:"cause"`
}

// OperationDoc is a word of an endpoint's `operations` with the inputs behind
// it: the operation is possible where one of them is.
type OperationDoc struct {
	Operation string  `json:"operation"`
	Title     string  `json:"title"`
	Meaning   string  `json:"meaning"`
	Inputs    []Input `json:"inputs"`
}

// GroupDoc is a group of parameters that can be modified in the same states.
type GroupDoc struct {
	Group  Group     `json:"group"`
	States []EPState `json:"states"`
}

// ParamDoc is a row of the modify matrix. Limit names the IA attribute that
// bounds a count or size, Choices are the allowed words, Stream is what an EVD
// must have been made for, Type the type of the object that a handle names,
// Names the named attributes that it can hold; each is null or empty where it
// has no meaning.
type ParamDoc struct {
	Name    string    `json:"name"`
	Title   string    `json:"title"`
	Meaning string    `json:"meaning"`
	Page    *string   `json:"page"`
	Group   Group     `json:"group"`
	States  []EPState `json:"states"`
	Kind    ValueKind `json:"kind"`
	Limit   *string   `json:"limit"`
	Choices []string  `json:"choices"`
	Stream  *Stream   `json:"stream"`
	// Create reports whether dat_ep_create takes it.
	Create bool `json:"create"`
	// NeedsRecvIdle reports whether it can be modified only while no receive
	// is outstanding (M8).
	NeedsRecvIdle bool        `json:"needs_recv_idle"`
	Type          *ObjectType `json:"type"`
	Names         []NamedDoc  `json:"names"`
}

// NamedDoc is a named attribute of a transport- or provider-specific parameter
// with the range of its value, which is a whole number. Max is null where each
// provider says its own.
type NamedDoc struct {
	Name string `json:"name"`
	Min  int64  `json:"min"`
	Max  *int64 `json:"max"`
	// Everywhere reports whether every provider knows it.
	Everywhere bool `json:"everywhere"`
}

// SectionDoc is a heading under which a form shows parameters, by their names.
type SectionDoc struct {
	Title      string   `json:"title"`
	Parameters []string `json:"parameters"`
}

// TransitionDoc is a cell of the transition table, for a state that occurs.
// Return is that of the call, null for an event.
type TransitionDoc struct {
	State   EPState     `json:"state"`
	Input   Input       `json:"input"`
	Kind    VerdictKind `json:"kind"`
	Next    *EPState    `json:"next"`
	Event   EventNumber `json:"event"`
	Return  *Return     `json:"return"`
	Subtype Subtype     `json:"subtype"`
	Rule    string      `json:"rule"`
}

// RuleDoc is a rule in words.
type RuleDoc struct {
	Rule string `json:"rule"`
	Text string `json:"text"`
}

// Matrix gives the tables as data, from the same arrays that judge the calls.
func Matrix() MatrixDoc {
	doc := MatrixDoc{
		Operations: operationDocs(), Sections: sectionDocs(), WatermarkRules: watermarkRules[:],
		Enums: enumDocs(), Streams: streamDocs[:], Events: eventDocs(), Returns: allOf[Return](), ObjectTypes: objectTypeDocs(),
		IAAttributes: docsOfAttributes(iaAttributeSections[:]), ProviderAttributes: docsOfAttributes(providerAttributeSections[:]),
		ConnQual: RangeDoc{minConnQual, maxConnQual},
	}
	for s := range EPState(numStates) {
		title, meaning := s.wording()
		doc.States = append(doc.States, StateDoc{s, title, meaning, s.Occurs(), siblings[s], stateSubtypes[s]})
	}
	for in := range numInputs {
		kind := "event"
		if in.Operation() {
			kind = "operation"
		}
		doc.Inputs = append(doc.Inputs, InputDoc{in, kind, in.Cause()})
	}
	for g := range numGroups {
		doc.Groups = append(doc.Groups, GroupDoc{g, listed(groupStates(g))})
	}
	for p := range numParams {
		doc.Parameters = append(doc.Parameters, withWords(p.doc()))
	}
	for s := range EPState(numStates) {
		for in := Input(0); s.Occurs() && in < numInputs; in++ {
			doc.Transitions = append(doc.Transitions, Judge(s, in).doc(s, in))
		}
	}
	for _, r := range flagRules {
		doc.FlagRules = append(doc.FlagRules, RuleDoc{r.rule, r.text})
	}
	return doc
}

func (p Param) doc() ParamDoc {
	row := &params[p]
	d := ParamDoc{
		Name: row.name, Page: wordOrNull(row.page), Group: row.group, States: listed(groupStates(row.group)),
		Kind: row.kind, Limit: wordOrNull(row.limitName), Choices: listed(row.choices), Create: row.createArg != 0,
	}
	if row.kind == ValueHandle && p != ParamPZ {
		d.Stream = &row.stream
	}
	return d
}

func (v Verdict) doc(s EPState, in Input) TransitionDoc {
	d := TransitionDoc{State: s, Input: in, Kind: v.Kind, Event: v.Event, Subtype: v.Subtype, Rule: v.Rule}
	if v.Kind != End {
		d.Next = &v.Next
	}
	if in.Operation() {
		d.Return = &v.Return
	}
	return d
}

// wordOrNull is nil for an empty word.
func wordOrNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// listed is the slice, never nil: an empty list is [] on the wire.
func listed[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}

// watermarkRules are the rules of dat_ep_set_watermark in words. B is the
// number of posted, uncompleted receives at the endpoint.
var watermarkRules = [...]RuleDoc{
	{"W1", "One call sets both marks."},
	{"W2", "Until a call both marks are infinite."},
	{"W3", "The call succeeds in every state."},
	{"W4", "Every successful call arms both marks anew."},
	{"W5", "An armed soft mark below B makes one event on the IA's async EVD and is disarmed by it."},
	{"W6", "After its event the soft mark is silent until it is set again."},
	{"W7", "A hard mark below B breaks the connection: DAT_CONNECTION_EVENT_BROKEN on the connect EVD, state DISCONNECTED."},
	{"W8", "A mark that equals B makes nothing happen."},
	{"W9", "Marks are judged in the call that sets them and whenever the endpoint takes a receive."},
	{"W10", "A new mark below the present B makes its event during the call."},
	{"W11", "A new mark not below B replaces the old one and stays armed."},
	{"W12", "Neither mark touches the other; the soft one may be the greater."},
	{"W13", "Both marks exceeded at once make both events."},
	{"W14", "An infinite mark makes no event."},
	{"W15", "An infinite mark does not keep a connection alive when a message finds no receive."},
	{"W16", "A hard mark that is below B already breaks the connection right after it is established."},
	{"W17", "A mark of 0 is legal and fires at the first receive."},
	{"W18", "A negative mark is DAT_INVALID_PARAMETER."},
	{"W19", "A mark above max_recv_dtos is legal."},
	{"W20", "A finite mark that the provider lacks is DAT_MODEL_NOT_SUPPORTED, and neither mark changes."},
	{"W21", "The handle is judged before the values, the values before the support."},
	{"W22", "Marks and their arming survive connect, disconnect and reset."},
	{"W23", "Without a connect EVD the state changes all the same and the event is dropped."},
	{"W24", "The soft event names the endpoint, with reason DAT_SRQ_SOFT_HIGH_WATERMARK_EVENT."},
}
