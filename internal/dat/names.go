package dat

import "fmt"

// nameOf is the word of an enum value, or a marked number where the value is
// outside its table.
func nameOf[E ~uint8](names []string, e E) string {
	if int(e) < len(names) {
		return names[e]
	}
	return fmt.Sprintf("?%d", uint8(e))
}

// textOf is nameOf for encoders: a value outside its table is an error, so
// that nothing nameless is ever stored or sent.
func textOf[E ~uint8](names []string, e E) ([]byte, error) {
	if int(e) < len(names) {
		return []byte(names[e]), nil
	}
	return nil, fmt.Errorf("value %d has no name", uint8(e))
}

// parse finds a word in its table.
func parse[E ~uint8](names []string, text []byte, into *E) error {
	for i, n := range names {
		if n == string(text) {
			*into = E(i)
			return nil
		}
	}
	return fmt.Errorf("%q is not one of %q", text, names)
}
