package dat

import "maps"

// EndpointDefaults are named attributes that new endpoints of an IA start with. Neither
// map is nil. The service's own; DAT has no word for them.
type EndpointDefaults struct {
	EPTransportSpecific map[string]string `json:"ep_transport_specific" doc:"Attributes of the transport that new endpoints start with, name to value."`
	EPProviderSpecific  map[string]string `json:"ep_provider_specific" doc:"Attributes of the provider that new endpoints start with, name to value."`
}

// NoEndpointDefaults returns the defaults of an IA that has none of its own.
func NoEndpointDefaults() EndpointDefaults {
	return EndpointDefaults{EPTransportSpecific: map[string]string{}, EPProviderSpecific: map[string]string{}}
}

// Clone returns a deep copy.
func (d EndpointDefaults) Clone() EndpointDefaults {
	d.EPTransportSpecific, d.EPProviderSpecific = maps.Clone(d.EPTransportSpecific), maps.Clone(d.EPProviderSpecific)
	return d
}

// Equal reports whether two sets of defaults are the same.
func (d EndpointDefaults) Equal(other EndpointDefaults) bool {
	return maps.Equal(d.EPTransportSpecific, other.EPTransportSpecific) && maps.Equal(d.EPProviderSpecific, other.EPProviderSpecific)
}

// Change returns the defaults after a change: named ones are set, a nil value removes one,
// others stay. Names and values are judged as those of an endpoint (A15). The error is
// DAT_INVALID_PARAMETER.
func (d EndpointDefaults) Change(transport, provider map[string]*string, f *Facts) (EndpointDefaults, *Error) {
	e := &Endpoint{Attributes: EPAttributes{EPTransportSpecific: d.EPTransportSpecific, EPProviderSpecific: d.EPProviderSpecific}}
	s := setter{facts: f}
	for _, c := range []struct {
		param Param
		named map[string]*string
	}{{ParamEPTransportSpecific, transport}, {ParamEPProviderSpecific, provider}} {
		if c.named == nil {
			continue
		}
		if err := s.set(e, c.param, c.named); err != nil {
			err.Field = "endpoint_defaults." + lastWord(c.param.String())
			return d, err
		}
	}
	return EndpointDefaults{EPTransportSpecific: e.Attributes.EPTransportSpecific, EPProviderSpecific: e.Attributes.EPProviderSpecific}, nil
}

// Values returns the values that an endpoint is created with: those that were asked for, and
// of the named attributes also the defaults that they do not name. A nil value of a named
// attribute is the provider's own default.
func (d EndpointDefaults) Values(asked Values) Values {
	all := maps.Clone(asked)
	if all == nil {
		all = Values{}
	}
	for p, named := range map[Param]map[string]string{ParamEPTransportSpecific: d.EPTransportSpecific, ParamEPProviderSpecific: d.EPProviderSpecific} {
		if len(named) == 0 {
			continue
		}
		given, ok := all[p].(map[string]*string)
		if !ok && all[p] != nil {
			continue // the judge refuses it
		}
		merged := map[string]*string{}
		for name, value := range named {
			merged[name] = &value
		}
		maps.Copy(merged, given)
		all[p] = merged
	}
	return all
}

// Apply gives attributes the defaults that they do not name.
func (d EndpointDefaults) Apply(a *EPAttributes) {
	for _, both := range []struct {
		to   *map[string]string
		from map[string]string
	}{{&a.EPTransportSpecific, d.EPTransportSpecific}, {&a.EPProviderSpecific, d.EPProviderSpecific}} {
		merged := maps.Clone(both.from)
		if merged == nil {
			merged = map[string]string{}
		}
		maps.Copy(merged, *both.to)
		*both.to = merged
	}
}
