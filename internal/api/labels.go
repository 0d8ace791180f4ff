package api

import (
	"encoding/json"
	"errors"
	"maps"
	"strconv"

	"github.com/danielgtaylor/huma/v2"

	"github.com/datapi/datapi/internal/api/document"
	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/manager"
)

// labelPatch is the member labels of a merge patch (RFC 7396): the labels that are there are set, null removes one,
// and null in place of all removes all.
type labelPatch struct {
	// present reports whether the member was sent.
	present bool
	// set is nil where all are removed.
	set map[string]*string
}

// Schema returns the schema of an object of strings or nulls, or null (huma.SchemaProvider).
func (labelPatch) Schema(huma.Registry) *huma.Schema {
	value := &huma.Schema{Type: huma.TypeString, Nullable: true}
	value.PrecomputeMessages()
	return &huma.Schema{Type: huma.TypeObject, Nullable: true, AdditionalProperties: value}
}

// UnmarshalJSON reads the labels or null; encoding/json calls it only where the member was sent.
func (p *labelPatch) UnmarshalJSON(b []byte) error {
	p.present, p.set = true, nil
	return json.Unmarshal(b, &p.set)
}

// merged returns the labels after the patch. The error is a problem where there are more than an object may have, and
// more than there were: what an object had before that bound may be taken away one by one.
func (p labelPatch) merged(now map[string]string) (map[string]string, error) {
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
	if len(after) > document.MaxLabels && len(after) > len(now) {
		return nil, tooManyLabels(len(after))
	}
	return after, nil
}

// tooManyLabels returns the refusal of a patch after which an object would have n labels.
func tooManyLabels(n int) *document.Problem {
	must := "must have at most " + strconv.Itoa(document.MaxLabels) + " members"
	p := document.NewProblem(document.KindInvalidMember, "An object has at most "+strconv.Itoa(document.MaxLabels)+" labels; with these it would have "+strconv.Itoa(n)+". Take others away first, or in the same patch.")
	p.Errors = []document.ProblemError{{Location: "body.labels", Message: must}}
	p.Field = nullIfEmpty("labels")
	return p
}

// errChanged reports that the object has another version than the labels that were merged.
var errChanged = errors.New("the object has changed meanwhile")

// relabelled carries out a change with the labels of its patch merged into the object's; do gets nil where the patch
// has none. The write demands the version whose labels were merged and is repeated with those of a newer one, so that
// of patches at once each keeps its labels.
func relabelled[T any](a *API, c manager.Call, t dat.ObjectType, id dat.Handle, patch labelPatch, do func(manager.Call, *map[string]string) (T, error)) (T, error) {
	if !patch.present {
		return do(c, nil)
	}
	asked := c.Match
	for {
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
				return errChanged
			}
			return nil
		}
		after, err := patch.merged(now.Head().Labels)
		if err != nil {
			var none T
			return none, err
		}
		out, err := do(c, &after)
		if !errors.Is(err, errChanged) {
			return out, err
		}
	}
}

// nameOf returns the new name of a patch: nil leaves the name as it is, an empty one takes it away.
func nameOf(n document.Nullable[string]) *dat.Name {
	if !n.Present {
		return nil
	}
	name := dat.Name("")
	if n.Value != nil {
		name = dat.Name(*n.Value)
	}
	return &name
}
