package rdmatest_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/datapi/datapi/internal/rdma/rdmatest"
)

// families are the numbered rules of DAT that the suite must prove, by letter.
var families = map[string]int{"T": 50, "M": 12, "C": 20, "R": 12, "S": 9, "W": 24, "D": 44}

// beyondTheManager are the rules that a suite over the Manager cannot prove, with the reason.
var beyondTheManager = map[string]string{
	"T45": "there is no graceful dat_ia_close: adapters are closed with the service",
	"D34": "the masks of dat_ia_query are part of GET /ias/{id}; the API's tests prove it",
}

// A case that does not prove what it claims fails (claims.go), so a rule that a case
// claims is proved by an assertion wherever the provider has what the rule is about.
func TestEveryRuleIsClaimedByACase(t *testing.T) {
	claimed := map[string]bool{}
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
			claimed[r] = true
		}
	}
	for letter, n := range families {
		for i := range n {
			rule := fmt.Sprint(letter, i+1)
			if reason := beyondTheManager[rule]; claimed[rule] == (reason != "") {
				t.Errorf("%s: claimed by a case: %t; beyond the Manager: %q", rule, claimed[rule], reason)
			}
		}
	}
}
