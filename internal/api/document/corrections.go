package document

import (
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/datapi/datapi/internal/dat"
)

// describe gives a component and its members their descriptions, and the members what their Go types cannot say.
func describe(name string, s *huma.Schema) {
	for member, property := range s.Properties {
		if correct, ok := corrections[name+"."+member]; ok {
			correct(property)
		} else if correct, ok := corrections[member]; ok {
			correct(property)
		}
		if member == "labels" && isRequestBody(name) {
			boundLabels(property)
		}
		if property.Description == "" {
			property.Description = descriptions[name+"."+member]
		}
		if property.Description == "" {
			property.Description = descriptions[member]
		}
	}
	if byMask[name] {
		s.Required = nil
	}
	if s.Description == "" {
		s.Description = descriptions[name]
	}
}

// isRequestBody reports whether a component is the body of a call that creates or changes an object.
func isRequestBody(name string) bool {
	return strings.HasSuffix(name, "Create") || strings.HasSuffix(name, "Patch")
}

// byMask are the components of which an answer has only the members that the caller's mask names (dat_ia_query).
var byMask = map[string]bool{"IAAttributes": true, "ProviderAttributes": true}

// corrections say what the wire form has beyond the Go type, by member, or by component and member.
var corrections = map[string]func(*huma.Schema){
	"id":                      notNull,
	"Endpoint.ia":             notNull,
	"PZ.ia":                   notNull,
	"EVD.ia":                  notNull,
	"SRQ.ia":                  notNull,
	"LMR.ia":                  notNull,
	"RMR.ia":                  notNull,
	"PSP.ia":                  notNull,
	"RSP.ia":                  notNull,
	"CR.ia":                   notNull,
	"IA.ia":                   notNull,
	"max_lmr_block_size":      decimal,
	"max_lmr_virtual_address": decimal,
	"max_rmr_target_address":  decimal,
	"target_address":          pattern("^[0-9]{1,20}$"),
	"rmr_context":             pattern("^0x[0-9a-fA-F]{1,8}$"),
	"LMR.target_address":      nullable(pattern("^[0-9]{1,20}$")),
	"LMR.rmr_context":         nullable(pattern("^0x[0-9a-fA-F]{1,8}$")),
	"PSP.conn_qual":           nullable(nil),
	"name":                    pattern("^[a-z0-9._-]{1,63}$"),
	"EventData.payload":       nullable(nil),
	"EventData.private_data":  nullable(nil),
	"EventData.software":      anything,
	"IA.provider":             words("soft", "verbs"),
	"AttributeDoc.name":       notNull,
	"EventDoc.kind": words(string(dat.EventKindCompletion), string(dat.EventKindRequest), string(dat.EventKindConnection),
		string(dat.EventKindFailure), string(dat.EventKindWatermark), string(dat.EventKindSoftware)),
	"InputDoc.kind":      words("operation", "event"),
	"NamedDoc.name":      notNull,
	"ParamDoc.group":     words(enumOf[dat.Group]("").words...),
	"ParamDoc.kind":      words(enumOf[dat.ValueKind]("").words...),
	"ParamDoc.name":      notNull,
	"StreamDoc.fed_by":   words(string(dat.FeederEndpoint), string(dat.FeederServicePoint), string(dat.FeederConsumer), string(dat.FeederIA)),
	"TransitionDoc.kind": words(enumOf[dat.VerdictKind]("").words...),
	"Node.state":         words("UP", "SUSPECT", "DOWN", "LEFT"),
	"Node.name":          notNull,
	"Check.name":         notNull,
	"Whoami.name":        notNull,
	"SessionInfo.name":   notNull,
}

func anything(s *huma.Schema) { *s = huma.Schema{} }

func notNull(s *huma.Schema) { s.Nullable = false }

// nullable returns a correction, after another one that may be nil, for what is null in dry runs as only a device gives it,
// and for what not everybody sees.
func nullable(correct func(*huma.Schema)) func(*huma.Schema) {
	return func(s *huma.Schema) {
		if correct != nil {
			correct(s)
		}
		s.Nullable = true
	}
}

// decimal is a number of 64 bits, which JSON's readers would round: a string of digits.
func decimal(s *huma.Schema) {
	*s = huma.Schema{Type: huma.TypeString, Pattern: "^[0-9]{1,20}$", Description: s.Description}
}

// pattern returns a correction that gives a string its pattern.
func pattern(p string) func(*huma.Schema) {
	return func(s *huma.Schema) {
		if s.Type == huma.TypeString {
			s.Pattern = p
		}
	}
}

// words returns a correction that makes a string one of several words.
func words(all ...string) func(*huma.Schema) {
	return func(s *huma.Schema) {
		for _, w := range all {
			s.Enum = append(s.Enum, w)
		}
	}
}
