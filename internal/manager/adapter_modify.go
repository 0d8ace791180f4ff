package manager

import (
	"context"

	"github.com/datapi/datapi/internal/dat"
)

// IAModify has what can be changed of an adapter. A nil member stays as it is.
type IAModify struct {
	Labels *map[string]string
	// TransportDefaults and ProviderDefaults are named attributes that new endpoints
	// start with: those named are set, a nil value removes one, others stay.
	TransportDefaults, ProviderDefaults map[string]*string
	// NoDefaults removes all defaults first.
	NoDefaults bool
}

// causeIAModify is the cause of a change of an adapter that a caller made; DAT has none.
const causeIAModify = "ia_modify"

// ModifyIA changes the labels of an adapter and the attributes that its new endpoints
// start with; those that are there stay as they are. A modification that changes nothing is
// not recorded. Errors: DAT_INVALID_HANDLE, DAT_INVALID_PARAMETER.
func (m *Manager) ModifyIA(ctx context.Context, c Call, id dat.Handle, in IAModify) (*dat.IA, error) {
	return write(ctx, m, c, id, causeIAModify, func(u *unit) (*object, *dat.IA, error) {
		return u.modifyIA(c, id, in)
	})
}

func (u *unit) modifyIA(c Call, id dat.Handle, in IAModify) (*object, *dat.IA, error) {
	ia, before, err := targetImage[*adapter, *dat.IA](u, c, dat.TypeIA, id)
	if err != nil {
		return nil, nil, err
	}
	defaults := before.EndpointDefaults
	if in.NoDefaults {
		defaults = dat.NoEndpointDefaults()
	}
	defaults, derr := defaults.Change(in.TransportDefaults, in.ProviderDefaults, ia.facts.Load())
	if derr != nil {
		return nil, nil, derr
	}
	change := func(o *dat.IA) {
		o.EndpointDefaults = defaults.Clone()
		rename(&o.Meta, nil, in.Labels)
	}
	after := before.Clone().(*dat.IA)
	change(after)
	if c.DryRun || after.EndpointDefaults.Equal(before.EndpointDefaults) && sameMeta(&before.Meta, &after.Meta) {
		return &ia.object, after, nil
	}
	u.add(c, &ia.object, causeIAModify, applyChange(change), nil)
	return &ia.object, after, nil
}

// endpointDefaults returns the defaults of an adapter as the unit sees them; u may be nil.
func (ia *adapter) endpointDefaults(u *unit) dat.EndpointDefaults {
	img := ia.recorded()
	if u != nil {
		img = u.image(&ia.object)
	}
	if o, ok := img.(*dat.IA); ok {
		return o.EndpointDefaults
	}
	return dat.NoEndpointDefaults()
}
