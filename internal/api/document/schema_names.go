package document

import (
	"reflect"
	"strings"
	"unicode"
)

// initialisms begin the names of Go types in lower case and those of schemas in upper case.
var initialisms = []string{"pz", "evd", "srq", "lmr", "rmr", "psp", "rsp", "rdma", "ia", "cr"}

// componentName returns the name of a Go type's schema: PZCreate for pzCreate, EndpointPage for PageOf[Endpoint],
// hint for a type without a name.
func componentName(t reflect.Type, hint string) string {
	name := t.Name()
	if name == "" {
		name = hint
	}
	name, argument, generic := strings.Cut(name, "[")
	if !generic {
		return capitalised(name)
	}
	argument = strings.TrimSuffix(argument, "]")
	return capitalised(argument[strings.LastIndex(argument, ".")+1:]) + strings.TrimSuffix(capitalised(name), "Of")
}

// capitalised returns a name with its first letter, or the initialism that it begins with, in upper case.
func capitalised(name string) string {
	for _, short := range initialisms {
		if rest, ok := strings.CutPrefix(name, short); ok && (rest == "" || unicode.IsUpper(rune(rest[0]))) {
			return strings.ToUpper(short) + rest
		}
	}
	runes := []rune(name)
	runes[0] = unicode.ToUpper(runes[0])
	return string(runes)
}
