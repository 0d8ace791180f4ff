package manager

import (
	"maps"
	"time"

	"github.com/datapi/datapi/internal/dat"
)

// imageOf returns the recorded image of an object with its type, or nil before the
// first record.
func imageOf[T dat.Object](o *object) T {
	img, _ := o.recorded().(T)
	return img
}

// asEndpoint returns an image as an endpoint's, or nil if the endpoint has ended.
func asEndpoint(img dat.Object) *dat.Endpoint {
	e, _ := img.(*dat.Endpoint)
	return e
}

// rename changes the name and the labels of an image; nil leaves them as they are.
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

// sameMeta reports whether two heads have the same name and labels.
func sameMeta(a, b *dat.Meta) bool { return a.Name == b.Name && maps.Equal(a.Labels, b.Labels) }

// withoutIdentity returns a copy of an image without id, version and times: the
// answer to a dry run of a creation.
func withoutIdentity[T dat.Object](img T) T {
	o := img.Clone()
	h := o.Head()
	h.ID, h.Version, h.CreatedAt, h.UpdatedAt = "", 0, dat.Time{}, dat.Time{}
	return o.(T)
}

// now returns the present time as images have it.
func now() dat.Time { return dat.At(time.Now()) }

// optional returns a pointer to v, or nil if v is the zero value.
func optional[T comparable](v T) *T {
	var zero T
	if v == zero {
		return nil
	}
	return &v
}

// deref returns what p points to, or the zero value if p is nil.
func deref[T any](p *T) T {
	var zero T
	if p == nil {
		return zero
	}
	return *p
}
