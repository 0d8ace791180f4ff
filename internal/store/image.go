package store

import (
	"encoding/json"
	"fmt"

	"github.com/datapi/datapi/internal/dat"
)

// image is a recorded object and its JSON.
type image struct {
	obj  dat.Object
	body json.RawMessage
	// newer is what a program of a newer form recorded beyond that; nil but for that.
	newer *newerForm
}

// stored returns the JSON as a row holds it: with the version of its form, and
// with the members that only a newer form has.
func (i image) stored() (json.RawMessage, error) {
	form, body := presentForm(i.obj.Type()), i.body
	if i.newer != nil {
		var err error
		if body, err = withMembers(i.body, i.newer.unknown); err != nil {
			return nil, err
		}
		form = i.newer.version
	}
	return append(fmt.Appendf(nil, `{"%s":%d,`, formMember, form), body[1:]...), nil
}

// empties makes an empty object of each type.
var empties = [...]func() dat.Object{
	dat.TypeIA:       func() dat.Object { return new(dat.IA) },
	dat.TypePZ:       func() dat.Object { return new(dat.PZ) },
	dat.TypeEVD:      func() dat.Object { return new(dat.EVD) },
	dat.TypeSRQ:      func() dat.Object { return new(dat.SRQ) },
	dat.TypeLMR:      func() dat.Object { return new(dat.LMR) },
	dat.TypeRMR:      func() dat.Object { return new(dat.RMR) },
	dat.TypeEndpoint: func() dat.Object { return new(dat.Endpoint) },
	dat.TypePSP:      func() dat.Object { return new(dat.PSP) },
	dat.TypeRSP:      func() dat.Object { return new(dat.RSP) },
	dat.TypeCR:       func() dat.Object { return new(dat.CR) },
}

// stills empty the live members of the types that have some: these are filled
// when an object is read, and never recorded.
var stills = map[dat.ObjectType]func(dat.Object){
	dat.TypeIA: func(o dat.Object) { o.(*dat.IA).Usage = dat.IAUsage{} },
	dat.TypeEVD: func(o dat.Object) {
		e := o.(*dat.EVD)
		e.Depth, e.Dropped, e.Mode, e.InUseBy = 0, 0, dat.ModeNone, dat.EVDUsers{}
	},
	dat.TypeSRQ: func(o dat.Object) {
		s := o.(*dat.SRQ)
		s.AvailableDTOCount, s.OutstandingDTOCount = nil, nil
	},
	dat.TypeCR: func(o dat.Object) { o.(*dat.CR).PrivateData = nil },
}

// newImage takes a recorder's own copy of an object, without its live members.
func newImage(obj dat.Object) (image, error) {
	if still := stills[obj.Type()]; still != nil {
		still(obj)
	}
	if h := obj.Head(); h.Labels == nil {
		h.Labels = map[string]string{}
	}
	body, err := json.Marshal(obj)
	if err != nil {
		return image{}, fmt.Errorf("%s %s cannot be written: %w", obj.Type(), obj.Head().ID, err)
	}
	return image{obj: obj, body: body}, nil
}

// typeOf reads the word of objects.type.
func typeOf(word string) (dat.ObjectType, error) {
	var t dat.ObjectType
	if err := t.UnmarshalText([]byte(word)); err != nil {
		return t, &dat.Error{Return: dat.RetInternalError, Cause: err, Detail: "a recorded object has an unknown type; this is a fault of the service"}
	}
	return t, nil
}
