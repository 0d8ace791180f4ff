package dat

import (
	"strconv"
	"strings"
)

// NamedAttr is the range of a transport- or provider-specific attribute: its
// value is a whole number Min … Max, written as a string (A15).
type NamedAttr struct{ Min, Max int64 }

// transportAttrs are the transport-specific attributes that both engines know.
// `ack_timeout` is the exponent of the verbs local ACK timeout.
var transportAttrs = map[string]NamedAttr{
	"retry_count":     {0, 7},
	"rnr_retry_count": {0, 6},
	"ack_timeout":     {0, 31},
	"tos":             {0, 255},
}

// maxInlineData is the greatest max_inline_data in bytes, unless the provider
// has an attribute of that name.
const maxInlineData = 256

// Facts are what the judges know of the IA that an object belongs to.
type Facts struct {
	IA         Handle
	Attributes IAAttributes
	Provider   ProviderAttributes
	// TransportAttrs and ProviderAttrs are the named attributes that the
	// provider knows, with their ranges.
	TransportAttrs, ProviderAttrs map[string]NamedAttr
}

// NotSettable begins the provider's attribute of a named attribute that cannot be set;
// behind it stands why not.
const NotSettable = "NOT_SETTABLE: "

// maxMinRNRTimer is the greatest min_rnr_timer, the code of a time in the InfiniBand
// specification.
const maxMinRNRTimer = 31

// providerAttrs returns the provider-specific attributes that the provider knows.
func providerAttrs(of map[string]string) map[string]NamedAttr {
	inline, err := strconv.ParseInt(of["max_inline_data"], 10, 32)
	if err != nil {
		inline = maxInlineData
	}
	known := map[string]NamedAttr{"max_inline_data": {0, inline}}
	if vectors, err := strconv.ParseInt(of["comp_vectors"], 10, 32); err == nil && vectors > 0 {
		known["comp_vector"] = NamedAttr{0, vectors - 1}
	}
	if timer := of["min_rnr_timer"]; timer != "" && !strings.HasPrefix(timer, NotSettable) {
		known["min_rnr_timer"] = NamedAttr{0, maxMinRNRTimer}
	}
	return known
}

// NewFacts returns the facts of an IA with these attributes. It knows the
// transport-specific attributes `retry_count` (0–7), `rnr_retry_count` (0–6),
// `ack_timeout` (0–31) and `tos` (0–255), and the provider-specific
// `max_inline_data`: bytes, up to the provider's attribute of that name, else 256. Where the
// provider says that it has them, `comp_vector` (below its comp_vectors) and
// `min_rnr_timer` (0–31) are known too.
func NewFacts(ia Handle, a IAAttributes, p ProviderAttributes) Facts {
	return Facts{
		IA: ia, Attributes: a, Provider: p,
		TransportAttrs: transportAttrs,
		ProviderAttrs:  providerAttrs(p.ProviderSpecificAttr),
	}
}

// Resolver finds the objects that handles name, for the judges; freed objects
// are not found. The caller holds the locks that keep the answers true until it
// has acted on them.
type Resolver interface {
	// PZ returns the IA of a protection zone.
	PZ(h Handle) (ia Handle, ok bool)
	// EVD returns an Event Dispatcher with everything that feeds it now.
	EVD(h Handle) (EVDUse, bool)
	// SRQ returns a shared receive queue.
	SRQ(h Handle) (*SRQ, bool)
}

// DefaultEPAttributes returns the attributes of an endpoint that is created
// without any: usable values, none beyond the IA's limits.
func DefaultEPAttributes(f *Facts) EPAttributes { return defaultAttributes(&f.Attributes) }
