package api

import (
	"github.com/danielgtaylor/huma/v2"

	"github.com/datapi/datapi/internal/dat"
)

// describe gives the members of a schema made from package dat their
// descriptions, and what Go's types cannot say of them.
func describe(name string, s *huma.Schema) {
	for member, property := range s.Properties {
		if correct, ok := corrections[name+"."+member]; ok {
			correct(property)
		} else if correct, ok := corrections[member]; ok {
			correct(property)
		}
		if property.Description == "" {
			property.Description = about[name+"."+member]
		}
		if property.Description == "" {
			property.Description = about[member]
		}
	}
	if masked := name == "IAAttributes" || name == "ProviderAttributes"; masked {
		s.Required = nil // a mask may leave any of them out
	}
	if s.Description == "" {
		s.Description = about[name]
	}
}

// corrections are what the wire form has beyond the Go type, by member or by
// type and member.
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
	"target_address":          decimalPattern,
	"rmr_context":             hexadecimal,
	"name":                    objectName,
	"EventData.software":      anything,
	"IA.provider":             words("soft", "verbs"),
	"AttributeDoc.name":       plainName,
	"EventDoc.kind": words(string(dat.EventKindCompletion), string(dat.EventKindRequest), string(dat.EventKindConnection),
		string(dat.EventKindFailure), string(dat.EventKindWatermark), string(dat.EventKindSoftware)),
	"InputDoc.kind":      words("operation", "event"),
	"NamedDoc.name":      plainName,
	"ParamDoc.group":     words(enumOf[dat.Group]("").words...),
	"ParamDoc.kind":      words(enumOf[dat.ValueKind]("").words...),
	"ParamDoc.name":      plainName,
	"StreamDoc.fed_by":   words(string(dat.FeederEndpoint), string(dat.FeederServicePoint), string(dat.FeederConsumer), string(dat.FeederIA)),
	"TransitionDoc.kind": words(enumOf[dat.VerdictKind]("").words...),
	"Node.state":         words("UP", "DOWN"),
	"Node.name":          plainName,
	"Check.name":         plainName,
	"Whoami.name":        plainName,
	"SessionInfo.name":   plainName,
}

func anything(s *huma.Schema) { *s = huma.Schema{} }

func notNull(s *huma.Schema) { s.Nullable = false }

func decimal(s *huma.Schema) {
	*s = huma.Schema{Type: huma.TypeString, Pattern: "^[0-9]{1,20}$", Description: s.Description}
}

func decimalPattern(s *huma.Schema) {
	if s.Type == huma.TypeString {
		s.Pattern = "^[0-9]{1,20}$"
	}
}

func hexadecimal(s *huma.Schema) {
	if s.Type == huma.TypeString {
		s.Pattern = "^0x[0-9a-fA-F]{1,8}$"
	}
}

func objectName(s *huma.Schema) {
	if s.Type == huma.TypeString {
		s.Pattern = "^[a-z0-9._-]{1,63}$"
	}
}

func plainName(s *huma.Schema) { s.Nullable = false }

func words(all ...string) func(*huma.Schema) {
	return func(s *huma.Schema) {
		for _, w := range all {
			s.Enum = append(s.Enum, w)
		}
	}
}
