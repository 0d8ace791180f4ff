package dat

import "fmt"

// nameOf returns the word of an enum value; of a value outside its table it
// returns the number after a question mark.
func nameOf[E ~uint8](names []string, e E) string {
	if int(e) < len(names) {
		return names[e]
	}
	return fmt.Sprintf("?%d", uint8(e))
}

// textOf is nameOf for encoders: a value outside its table is an error, so that
// a value without a name is never stored or sent.
func textOf[E ~uint8](names []string, e E) ([]byte, error) {
	if int(e) < len(names) {
		return []byte(names[e]), nil
	}
	return nil, fmt.Errorf("value %d has no name", uint8(e))
}

// parse sets an enum to the value of a word; a word outside the table is an
// error.
func parse[E ~uint8](names []string, text []byte, into *E) error {
	for i, n := range names {
		if n == string(text) {
			*into = E(i)
			return nil
		}
	}
	return fmt.Errorf("%q is not one of %q", text, names)
}
