package manager

import (
	"maps"
	"time"

	"github.com/datapi/datapi/internal/dat"
)

// imageOf is the recorded image with its type.
func imageOf[T dat.Object](o *object) T {
	img, _ := o.recorded().(T)
	return img
}

// asEndpoint is an image as an endpoint's, nil where it ended.
func asEndpoint(img dat.Object) *dat.Endpoint {
	e, _ := img.(*dat.Endpoint)
	return e
}

// rename changes the consumer's own words for an object.
func rename(h *dat.Meta, name *dat.Name, labels *map[string]string) {
	if name != nil {
		h.Name = *name
	}
	if labels != nil {
		h.Labels = maps.Clone(*labels)
		if h.Labels == nil {
			h.Labels = map[string]string{}
		}
	}
}

func sameMeta(a, b *dat.Meta) bool { return a.Name == b.Name && maps.Equal(a.Labels, b.Labels) }

// scrub is the answer of a dry run of a creation: without id and version.
func withoutIdentity[T dat.Object](img T) T {
	o := img.Clone()
	h := o.Head()
	h.ID, h.Version, h.CreatedAt, h.UpdatedAt = "", 0, dat.Time{}, dat.Time{}
	return o.(T)
}

// now is the present moment as images bear it.
func now() dat.Time { return dat.At(time.Now()) }

// ptr is a pointer to a copy, nil for the zero value.
func optional[T comparable](v T) *T {
	var zero T
	if v == zero {
		return nil
	}
	return &v
}

// deref is what p points to, the zero value for nil.
func deref[T any](p *T) T {
	var zero T
	if p == nil {
		return zero
	}
	return *p
}
