package rdmatest_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/datapi/datapi/internal/rdma/rdmatest"
)

// families are the numbered rules of DAT that the suite must hold, by letter.
var families = map[string]int{"T": 50, "M": 12, "C": 20, "R": 12, "S": 9, "W": 24, "D": 44}

func TestEveryRuleHasACase(t *testing.T) {
	held := map[string]bool{}
	names := map[string]bool{}
	for _, c := range append(rdmatest.Cases(), rdmatest.FaultCases()...) {
		if c.Rules == "" || c.Name == "" || c.Do == nil {
			t.Errorf("the case %q of %q lacks something", c.Name, c.Rules)
		}
		if names[c.Rules+c.Name] {
			t.Errorf("%q is there twice", c.Name)
		}
		names[c.Rules+c.Name] = true
		for _, r := range strings.Fields(c.Rules) {
			held[r] = true
		}
	}
	for letter, n := range families {
		for i := range n {
			if rule := fmt.Sprint(letter, i+1); !held[rule] {
				t.Errorf("no case holds %s", rule)
			}
		}
	}
}
