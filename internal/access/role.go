package access

import (
	"fmt"
	"slices"
)

// Role says what a principal may do. Each role may do what those before it may. The zero value is no role.
type Role uint8

// The roles: a viewer reads, an operator also writes objects, an admin also manages who may, and the nodes.
const (
	NoRole Role = iota
	Viewer
	Operator
	Admin
)

// roleNames are the roles' names on the wire.
var roleNames = [...]string{NoRole: "", Viewer: "viewer", Operator: "operator", Admin: "admin"}

// String returns the role's name, "" for none.
func (r Role) String() string { return roleNames[min(r, Admin)] }

// ParseRole returns the role of a name.
func ParseRole(name string) (Role, error) {
	if i := slices.Index(roleNames[:], name); i > 0 {
		return Role(i), nil
	}
	return NoRole, fmt.Errorf("%q is none of viewer, operator and admin", name)
}
