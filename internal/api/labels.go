package api

import (
	"encoding/json"
	"errors"
	"maps"

	"github.com/datapi/datapi/internal/manager"

	"github.com/danielgtaylor/huma/v2"

	"github.com/datapi/datapi/internal/dat"
)

// labelPatch is the labels of a merge patch (RFC 7396): those that are there are
// set, null removes one, and null instead of all removes all.
type labelPatch struct {
	present bool
	// set is nil where all are removed.
	set map[string]*string
}

// Schema is an object of texts or nulls, or null.
func (labelPatch) Schema(huma.Registry) *huma.Schema {
	value := &huma.Schema{Type: huma.TypeString, Nullable: true}
	value.PrecomputeMessages()
	return &huma.Schema{Type: huma.TypeObject, Nullable: true, AdditionalProperties: value}
}

// UnmarshalJSON remembers that the member was there.
func (p *labelPatch) UnmarshalJSON(b []byte) error {
	p.present, p.set = true, nil
	return json.Unmarshal(b, &p.set)
}

// merged are the labels after the patch.
func (p labelPatch) merged(now map[string]string) map[string]string {
	after := map[string]string{}
	if p.set != nil {
		maps.Copy(after, now)
	}
	for key, value := range p.set {
		if value == nil {
			delete(after, key)
			continue
		}
		after[key] = *value
	}
	return after
}

// errMoved says that the object got another version since its labels were read.
var errMoved = errors.New("the object has changed meanwhile")

// relabelled carries a change out with its labels merged. The labels are those of
// a version that the write then demands, so that two patches at once lose none.
func relabelled[T any](a *API, c manager.Call, t dat.ObjectType, id dat.Handle, patch labelPatch, do func(manager.Call, *map[string]string) (T, error)) (T, error) {
	if !patch.present {
		return do(c, nil)
	}
	for asked := c.Match; ; {
		now, ok := a.manager.Get(t, id)
		if !ok {
			var none T
			return none, noSuch(t)
		}
		c.Match = func(version int64) error {
			if asked != nil {
				if err := asked(version); err != nil {
					return err
				}
			}
			if version != now.Head().Version {
				return errMoved
			}
			return nil
		}
		after := patch.merged(now.Head().Labels)
		out, err := do(c, &after)
		if !errors.Is(err, errMoved) {
			return out, err
		}
	}
}

// relabelled is the same within a batch, whose objects are locked: the labels are
// as the batch left them, else as they are recorded.
func (u *unit) relabelled(t dat.ObjectType, id dat.Handle, patch labelPatch) *map[string]string {
	if !patch.present {
		return nil
	}
	now, known := u.labels[id]
	if o, ok := u.api.manager.Get(t, id); ok && !known {
		now = o.Head().Labels
	}
	after := patch.merged(now)
	return &after
}
