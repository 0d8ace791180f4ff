package store

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"

	"github.com/datapi/datapi/internal/dat"
)

// formMember is the member of a recorded object that holds the version of its
// form: which members the JSON has and what they mean. Only this package sees it: it
// is added when a row is written, ignored when an object is decoded, and removed from
// the whole objects that a change has. It is in the JSON and not in a column beside
// it, so that a program that does not know forms and writes the object again cannot
// leave a wrong version behind. Rows without it are of form 1.
//
// The present form of a type is 1 + the number of its upgrades in kinds:
//
//   - A new member whose value in older objects is the default that dat.ReadObject
//     gives it needs nothing here. One with another value needs an upgrade:
//     addMember, with the value in objects that were recorded without it. Programs
//     of the form before may run beside this one, since a program keeps the members
//     that it does not know.
//   - A member with another name, unit or meaning, or a new word of an enum, needs
//     an upgrade and a migration, an empty one if nothing else: a program that
//     knows fewer migrations does not start on the database.
//   - SQL sees a row as it was written and not upgraded. A new member that a list
//     filters or sorts by, or that a constraint names, needs a migration that
//     fills it in.
//
// The partial objects of a change (its before and after) stay as they were written.
const formMember = "form_version"

// upgrade brings an object from one form to the next. It is given all members of
// the row but the form's version, and changes them in place.
type upgrade func(members) error

// addMember returns the upgrade for a new member with this dotted wire name
// (`attributes.max_recv_dtos`): it gets the value unless it is there. An enclosing
// object that is null stays null.
func addMember(name string, value any) upgrade {
	path := strings.Split(name, ".")
	return func(m members) error { return m.add(path, value) }
}

// presentForm returns the version of the form that this program writes.
func presentForm(t dat.ObjectType) int { return 1 + len(kinds[t].upgrades) }

// whole returns the SQL that selects a storedObject from a jsonb column.
func whole(column string) string {
	return fmt.Sprintf("%[1]s, coalesce((%[1]s ->> '%[2]s')::integer, 1)", column, formMember)
}

// storedObject is a whole object as a row holds it.
type storedObject struct {
	// Body is the JSON, with or without the version of its form; nil if the column is
	// null.
	Body json.RawMessage
	// Form is the version of the form, 1 or more.
	Form int
}

// present returns the JSON in the present form. JSON of a newer form, which a newer
// program wrote, is returned as it is.
func (o storedObject) present(t dat.ObjectType) (json.RawMessage, error) {
	if o.Form >= presentForm(t) || o.Body == nil {
		return o.Body, nil
	}
	if o.Form < 1 {
		return nil, fmt.Errorf("%s is of form %d; the first one is 1", t, o.Form)
	}
	var m members
	if err := json.Unmarshal(o.Body, &m); err != nil {
		return nil, err
	}
	delete(m, formMember)
	for _, step := range kinds[t].upgrades[o.Form-1:] {
		if err := step(m); err != nil {
			return nil, err
		}
	}
	return json.Marshal(m)
}

// read returns the object, without the members of a newer form that this program
// does not know.
func (o storedObject) read(t dat.ObjectType) (dat.Object, error) {
	var obj dat.Object
	body, err := o.present(t)
	if err == nil {
		obj, err = dat.ReadObject(t, body)
	}
	if err != nil {
		return nil, &dat.Error{Return: dat.RetInternalError, Cause: err, Detail: "a recorded " + t.String() + " cannot be read; this is a fault of the service"}
	}
	return obj, nil
}

// image returns the object together with the members of a newer form that this
// program does not know.
func (o storedObject) image(t dat.ObjectType) (image, error) {
	obj, err := o.read(t)
	if err != nil {
		return image{}, err
	}
	img, err := newImage(obj)
	if err != nil || o.Form <= presentForm(t) {
		return img, err
	}
	unknown, err := unknownMembers(o.Body, img.body)
	img.newer = &newerForm{version: o.Form, unknown: unknown}
	return img, err
}

// newerForm is what a newer program recorded of an object and this one does not
// know. It is written again whenever this program writes the object.
type newerForm struct {
	version int
	// unknown are the members by name; unknown members of a nested object are in an
	// object that has only them.
	unknown members
}

// unknownMembers returns the members of a stored object that are not among the
// known ones.
func unknownMembers(stored, known json.RawMessage) (members, error) {
	s, k, err := bothMembers(stored, known)
	if err != nil {
		return nil, err
	}
	unknown := s.without(k)
	delete(unknown, formMember)
	for name := range nestedObjects {
		if !isObject(s[name]) || !isObject(k[name]) {
			continue
		}
		inner, outer, err := bothMembers(s[name], k[name])
		if err != nil {
			return nil, err
		}
		if inner = inner.without(outer); len(inner) == 0 {
			continue
		}
		if unknown[name], err = json.Marshal(inner); err != nil {
			return nil, err
		}
	}
	return unknown, nil
}

// withMembers returns an object with the unknown members added.
func withMembers(body json.RawMessage, unknown members) (json.RawMessage, error) {
	var all members
	if err := json.Unmarshal(body, &all); err != nil {
		return nil, err
	}
	for name, value := range unknown {
		if nestedObjects[name] && isObject(all[name]) && isObject(value) {
			inner, more, err := bothMembers(all[name], value)
			if err != nil {
				return nil, err
			}
			maps.Copy(inner, more)
			if value, err = json.Marshal(inner); err != nil {
				return nil, err
			}
		}
		all[name] = value
	}
	return json.Marshal(all)
}
