package dat

import "slices"

// Value returns what the endpoint has for a parameter, as Values would set it;
// nil for a parameter that no call sets.
func (e *Endpoint) Value(p Param) any {
	if row := &params[p]; row.kind != ValueOther {
		return valueKinds[row.kind].get(row.field(e))
	}
	return nil
}

// TakeParams copies into e the parameters of another endpoint that
// dat_ep_modify can change, and nothing else.
func (e *Endpoint) TakeParams(from *Endpoint) {
	for p := range numParams {
		if row := &params[p]; row.group != GroupNever {
			copyMember(row.field(e), row.field(from))
		}
	}
}

// SameParams reports whether two endpoints are alike in every parameter that
// dat_ep_modify can change, but for the excepted ones.
func SameParams(a, b *Endpoint, except ...Param) bool {
	for p := range numParams {
		if row := &params[p]; row.group != GroupNever && !slices.Contains(except, p) && !sameMember(row.field(a), row.field(b)) {
			return false
		}
	}
	return true
}

// Differences returns what dat_ep_modify must set in an endpoint that is like
// now so that it has the parameters of then: those in which they differ, of
// named attributes each that differs, nil for one that then has not.
func Differences(now, then *Endpoint) Values {
	v := Values{}
	for p := range numParams {
		row := &params[p]
		if row.group == GroupNever || sameMember(row.field(now), row.field(then)) {
			continue
		}
		v[p] = then.Value(p)
		if row.kind == ValueNamed {
			v[p] = namedDifferences(*row.field(now).(*map[string]string), *row.field(then).(*map[string]string))
		}
	}
	return v
}

func namedDifferences(now, then map[string]string) map[string]*string {
	change := map[string]*string{}
	for name, value := range then {
		if had, ok := now[name]; !ok || had != value {
			change[name] = &value
		}
	}
	for name := range now {
		if _, stays := then[name]; !stays {
			change[name] = nil
		}
	}
	return change
}

// defaultAttributes returns the defaults of all attributes; without limits counts
// and sizes are not bounded by an IA.
func defaultAttributes(limits *IAAttributes) EPAttributes {
	var e Endpoint
	for p := range numParams {
		if row := &params[p]; row.kind != ValueOther {
			valueKinds[row.kind].setDefault(row, row.field(&e), limits)
		}
	}
	return e.Attributes
}

// handleParams are the parameters that name an object which an endpoint uses.
var handleParams = func() []Param {
	var found []Param
	for p := range numParams {
		if row := &params[p]; row.field == nil {
			continue
		} else if _, ok := row.field(new(Endpoint)).(*Handle); ok {
			found = append(found, p)
		}
	}
	return found
}()

// Refs implements Object.
func (e *Endpoint) Refs() []Handle {
	all := make([]Handle, len(handleParams))
	for i, p := range handleParams {
		all[i] = *params[p].field(e).(*Handle)
	}
	return handles(all...)
}
