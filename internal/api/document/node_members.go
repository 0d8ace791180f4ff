package document

import (
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"github.com/datapi/datapi/internal/dat"
)

// isObject names the components that are objects.
var isObject = func() map[string]bool {
	all := map[string]bool{}
	for _, name := range []string{"IA", "PZ", "EVD", "SRQ", "LMR", "RMR", "Endpoint", "PSP", "RSP", "CR"} {
		all[name] = true
	}
	return all
}()

// onlyTheOwnerKnows are the members of objects that are null where another node has the object and was not asked.
var onlyTheOwnerKnows = map[string][]string{"IA": {"usage"}, "EVD": {"depth", "dropped", "mode", "in_use_by"}}

// addNodeMembers adds the members of every object that are about its node, and lets those be null that the node alone
// knows.
func (s *Schemas) addNodeMembers(name string, object *huma.Schema) {
	state := &huma.Schema{Type: huma.TypeString}
	words("UP", "SUSPECT", "DOWN", "LEFT")(state)
	object.Properties["node_state"], object.Properties["known_at"] = state, s.Schema(reflect.TypeFor[*dat.Time](), true, "")
	object.Required = append(object.Required, "node_state", "known_at")
	for _, member := range onlyTheOwnerKnows[name] {
		if schema := object.Properties[member]; schema.Ref != "" {
			object.Properties[member] = orNull(schema, true)
		} else if !isNullable(schema) {
			schema.Nullable = true
		}
	}
}
