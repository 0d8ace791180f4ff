package dat

import (
	"reflect"
	"slices"
	"strings"
)

// The names of dat_ia_query's masks, in the order of the attributes.
var (
	iaAttributeNames       = jsonNames(reflect.TypeFor[IAAttributes]())
	providerAttributeNames = jsonNames(reflect.TypeFor[ProviderAttributes]())
)

// Arguments of dat_ia_query.
const (
	argIAMask       = 3
	argProviderMask = 5
)

// jsonNames are the wire names of a struct's members.
func jsonNames(t reflect.Type) []string {
	names := make([]string, t.NumField())
	for i := range names {
		names[i], _, _ = strings.Cut(t.Field(i).Tag.Get("json"), ",")
	}
	return names
}

// IAAttributeNames are the names that an ia_attributes mask may hold.
func IAAttributeNames() []string { return slices.Clone(iaAttributeNames) }

// ProviderAttributeNames are the names that a provider_attributes mask may hold.
func ProviderAttributeNames() []string { return slices.Clone(providerAttributeNames) }

// CheckIAMasks judges the masks of dat_ia_query before anything is read (D34):
// an unknown name is DAT_INVALID_PARAMETER with DAT_INVALID_ARG3 in the first
// mask and DAT_INVALID_ARG5 in the second.
func CheckIAMasks(iaAttributes, providerAttributes []string) *Error {
	if err := checkMaskNames(argIAMask, "ia_attributes", iaAttributes, iaAttributeNames); err != nil {
		return err
	}
	return checkMaskNames(argProviderMask, "provider_attributes", providerAttributes, providerAttributeNames)
}

func checkMaskNames(argument int, field string, mask, known []string) *Error {
	for _, name := range mask {
		if !slices.Contains(known, name) {
			return badValue(argument, field, "%q is none of the %s; they are %s", name, field, strings.Join(known, ", "))
		}
	}
	return nil
}
