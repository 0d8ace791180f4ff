package manager

import (
	"context"
	"fmt"

	"github.com/datapi/datapi/internal/dat"
)

type scopeKey struct{}

// WithScope returns a context for the writes of somebody who is restricted to the objects that holds reports true for.
// Other objects are to these writes as if they were not there, and what a write makes or changes must stay among them.
// holds is called with locks held, and takes none.
func WithScope(ctx context.Context, holds func(dat.Object) bool) context.Context {
	return context.WithValue(ctx, scopeKey{}, holds)
}

// scopeOf returns the restriction of a context, nil for none.
func scopeOf(ctx context.Context) func(dat.Object) bool {
	holds, _ := ctx.Value(scopeKey{}).(func(dat.Object) bool)
	return holds
}

// holds reports whether the unit's caller may use an object, as the unit sees it. What has no image yet is being made.
func (u *unit) holds(o *object) bool {
	return u.scope == nil || u.image(o) == nil || u.scope(u.image(o))
}

// holdsInScope reports whether the caller of a context may use an object.
func holdsInScope(ctx context.Context, o *object) bool {
	holds := scopeOf(ctx)
	return holds == nil || o.recorded() != nil && holds(o.recorded())
}

// checkScope refuses a unit that leaves an object outside of its caller's scope. img is the image of the object that the
// call is about, nil for none: in a dry run the unit has no steps.
func (u *unit) checkScope(img dat.Object) error {
	if u.scope == nil {
		return nil
	}
	for _, s := range u.steps {
		if after := u.image(s.obj); after != nil && !u.scope(after) {
			return errOutside(after)
		}
	}
	if img != nil && !u.scope(img) {
		return errOutside(img)
	}
	return nil
}

// errSharedMemory refuses memory that is shared by its name to a caller with a scope: the names are those of the whole host,
// and so is what lies in the memory.
func errSharedMemory() *dat.Error {
	return &dat.Error{
		Return: dat.RetPrivilegesViolation, Kind: "no-right", Field: "mem_type",
		Detail: "Memory that is shared by its name belongs to the whole host, and your rights are restricted to a scope. Register a region again by its id (mem_type LMR).",
	}
}

// errBeside refuses a write that would change another object too, which lies outside of the caller's scope.
func errBeside(t dat.ObjectType) *dat.Error {
	return &dat.Error{
		Return: dat.RetPrivilegesViolation, Kind: "no-right",
		Detail: fmt.Sprintf("This would change the %s that it belongs to as well, which lies outside of your scope. Ask somebody whose scope has both.", t),
	}
}

// errOutside refuses a write after which an object would lie outside of the caller's scope.
func errOutside(img dat.Object) *dat.Error {
	return &dat.Error{
		Return: dat.RetPrivilegesViolation, Kind: "no-right",
		Detail: fmt.Sprintf("After this the %s would lie outside of your scope. Give it the labels of your scope, on an adapter of your scope; GET /whoami tells which they are.", img.Type()),
	}
}
