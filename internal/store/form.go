package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"

	"github.com/datapi/datapi/internal/dat"
)

// formMember is the member of a recorded object that holds the version of its
// form: which members the JSON has and what they mean. It is added when a row is
// written and taken off when it is read, so nobody above sees it. It lies in the
// JSON and not beside it, so that a program that does not know it and writes an
// object again leaves no wrong version behind. Rows without it are of form 1.
//
// The present form of a type is 1 + the number of its upgrades:
//
//   - A new member is one more upgrade in the row of its type in kinds, with the value that it has
//     in objects that were recorded without it (addMember). Programs of the form
//     before may go on beside this one: they keep what they do not know.
//   - A member with another name, unit or meaning is an upgrade too, and so is a
//     new word of an enum; but it also needs a migration, if only an empty one: a
//     program that knows fewer migrations does not start on the database.
//   - SQL sees a row as it was written, not upgraded. A new member that a list
//     filters or sorts by, or that a constraint names, needs a migration that
//     fills it in.
//
// The partial objects of a change (its before and after) stay as they were written.
const formMember = "form_version"

// upgrade brings an object from one form to the next. It gets all members that
// the row has, without the form, and changes them in place.
type upgrade func(members) error

// addMember returns the upgrade for a new member, by its dotted wire name
// (`attributes.max_recv_dtos`): where it is missing it gets the value. An
// enclosing object that is null stays so.
func addMember(name string, value any) upgrade {
	return func(m members) error {
		path := strings.Split(name, ".")
		return m.add(path, value)
	}
}

func (m members) add(path []string, value any) error {
	if len(path) == 1 {
		if _, there := m[path[0]]; there {
			return nil
		}
		raw, err := json.Marshal(value)
		m[path[0]] = raw
		return err
	}
	var inner members
	if err := json.Unmarshal(orNull(m[path[0]]), &inner); err != nil || inner == nil {
		return err
	}
	if err := inner.add(path[1:], value); err != nil {
		return err
	}
	raw, err := json.Marshal(inner)
	m[path[0]] = raw
	return err
}

// presentForm returns the version of the form that this program writes.
func presentForm(t dat.ObjectType) int { return 1 + len(kinds[t].upgrades) }

// whole returns the two columns of a storedObject for a jsonb column.
func whole(column string) string {
	return fmt.Sprintf("%[1]s - '%[2]s', coalesce((%[1]s ->> '%[2]s')::integer, 1)", column, formMember)
}

// storedObject is a whole object as a row holds it, selected with whole. Body is
// nil for a null column.
type storedObject struct {
	Body json.RawMessage
	Form int
}

// present returns the JSON in the present form. That of a newer form, which
// another program wrote, stays as it is.
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
	for _, step := range kinds[t].upgrades[o.Form-1:] {
		if err := step(m); err != nil {
			return nil, err
		}
	}
	return json.Marshal(m)
}

// read returns the object. Members of a newer form that this program does not
// know are left out; see image for how they are kept.
func (o storedObject) read(t dat.ObjectType) (dat.Object, error) {
	obj := kinds[t].empty()
	body, err := o.present(t)
	if err == nil {
		err = json.Unmarshal(body, obj)
	}
	if err != nil {
		return nil, &dat.Error{Return: dat.RetInternalError, Cause: err, Detail: "a recorded " + t.String() + " cannot be read; this is a fault of the service"}
	}
	return obj, nil
}

// image returns the object with what a newer form has beyond this program's.
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

// newerForm is what a program of a newer form recorded of an object and this one
// does not know. It stays with the object when this one writes it again.
type newerForm struct {
	version int
	// unknown are the members by name; those of a nested object as an object of
	// these alone.
	unknown members
}

// unknownMembers returns the members of a stored object that the known ones lack.
func unknownMembers(stored, known json.RawMessage) (members, error) {
	s, k, err := bothMembers(stored, known)
	if err != nil {
		return nil, err
	}
	unknown := s.without(k)
	for name := range nested {
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
		if nested[name] && isObject(all[name]) && isObject(value) {
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

// without returns the members that the others lack.
func (m members) without(others members) members {
	rest := maps.Clone(m)
	maps.DeleteFunc(rest, func(name string, _ json.RawMessage) bool { _, there := others[name]; return there })
	return rest
}

// bothMembers reads two objects.
func bothMembers(first, second json.RawMessage) (a, b members, err error) {
	return a, b, errors.Join(json.Unmarshal(first, &a), json.Unmarshal(second, &b))
}

func isObject(raw json.RawMessage) bool { return len(raw) > 0 && raw[0] == '{' }
