package dat

import (
	"reflect"
	"slices"
	"strings"
)

// The names of dat_ia_query's masks, in the order of the attributes (D34).
var (
	iaAttributeNames       = jsonNames(reflect.TypeFor[IAAttributes]())
	providerAttributeNames = jsonNames(reflect.TypeFor[ProviderAttributes]())
)

// jsonNames returns the wire names of a struct's members.
func jsonNames(t reflect.Type) []string {
	names := make([]string, t.NumField())
	for i := range names {
		names[i], _, _ = strings.Cut(t.Field(i).Tag.Get("json"), ",")
	}
	return names
}

// IAAttributeNames returns the names that an ia_attributes mask may hold.
func IAAttributeNames() []string { return slices.Clone(iaAttributeNames) }

// ProviderAttributeNames returns the names that a provider_attributes mask may hold.
func ProviderAttributeNames() []string { return slices.Clone(providerAttributeNames) }
