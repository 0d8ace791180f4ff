package store

import (
	"encoding/json"
	"fmt"

	"github.com/datapi/datapi/internal/dat"
)

// image is an object as it is recorded, and its JSON. The zero image stands for an
// object that is not there.
type image struct {
	obj dat.Object
	// body is the JSON of obj.
	body json.RawMessage
	// newer is what a newer program recorded beside; nil if there is nothing.
	newer *newerForm
	// createdChange is the id of the change that created the object, by which lists
	// are ordered; 0 until it is committed.
	createdChange int64
}

// stored returns the JSON as a row holds it: with the version of its form, and with
// the members that only a newer program knows.
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

// newImage returns the image of an object. The object belongs to the image from
// then on; its live members are emptied.
func newImage(obj dat.Object) (image, error) {
	dat.ClearLive(obj)
	if h := obj.Head(); h.Labels == nil {
		h.Labels = map[string]string{}
	}
	body, err := json.Marshal(obj)
	if err != nil {
		return image{}, fmt.Errorf("%s %s cannot be written: %w", obj.Type(), obj.Head().ID, err)
	}
	return image{obj: obj, body: body}, nil
}
