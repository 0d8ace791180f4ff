package api

import (
	"context"
	"encoding/json"

	"github.com/datapi/datapi/internal/access"
	"github.com/datapi/datapi/internal/dat"
)

// seesSecrets reports whether the caller may see what an object or an event holds beside its description: keys of memory,
// payloads and private data.
func seesSecrets(ctx context.Context) bool { return requestOf(ctx).principal.May(access.Operator) }

// withoutSecrets returns an object as lists show it, and one of its own where the caller may not see more: without the key
// of memory and without private data.
func withoutSecrets(o dat.Object) dat.Object {
	switch o.(type) {
	case *dat.LMR, *dat.RMR, *dat.CR:
		o = o.Clone()
	default:
		return o
	}
	switch o := o.(type) {
	case *dat.LMR:
		o.RMRContext = ""
	case *dat.RMR:
		o.RMRContext = nil
	case *dat.CR:
		o.PrivateData = nil
	}
	return o
}

// lmrForm is a memory region as it is answered with: its key is null where it is not shown.
type lmrForm struct {
	*dat.LMR
	RMRContext *string `json:"rmr_context"`
}

// eventForm is an event as it is shown to a caller who may not see what it carries.
type eventForm struct {
	dat.Event
	Data eventDataForm `json:"data"`
}

type eventDataForm struct {
	dat.EventData
	Payload     *json.RawMessage `json:"payload,omitempty"`
	PrivateData *json.RawMessage `json:"private_data,omitempty"`
	Software    *json.RawMessage `json:"software,omitempty"`
}

// hidden is what stands in place of a member that is not shown.
var hidden = json.RawMessage("null")

// eventsWithoutSecrets returns events with null for payloads and private data.
func eventsWithoutSecrets(events []dat.Event) []eventForm {
	all := make([]eventForm, len(events))
	for i, e := range events {
		all[i] = eventForm{Event: e, Data: eventDataForm{EventData: e.Data}}
		for _, m := range []struct {
			there  bool
			member **json.RawMessage
		}{
			{e.Data.Payload != nil, &all[i].Data.Payload},
			{e.Data.PrivateData != nil, &all[i].Data.PrivateData},
			{e.Data.Software != nil, &all[i].Data.Software},
		} {
			if m.there {
				*m.member = &hidden
			}
		}
	}
	return all
}
