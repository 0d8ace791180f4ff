package faults

import "testing"

// Each planted bug can still be planted: its text is where the table says.
func TestMutationsFitTheCode(t *testing.T) {
	for _, m := range mutations {
		if _, err := m.overlay(programs.root); err != nil {
			t.Error(err)
		}
	}
}
