package dat

import (
	"slices"
	"testing"
)

func TestMasksHoldEveryAttributeOnce(t *testing.T) {
	for _, names := range [][]string{IAAttributeNames(), ProviderAttributeNames()} {
		sorted := slices.Sorted(slices.Values(names))
		if len(slices.Compact(sorted)) != len(names) || slices.Contains(names, "") {
			t.Errorf("a name is missing or twice: %v", names)
		}
	}
	if n := len(IAAttributeNames()); n != 38 {
		t.Errorf("there are %d IA attributes, dat_ia_query has 38", n)
	}
	if n := len(ProviderAttributeNames()); n != 31 {
		t.Errorf("there are %d provider attributes, dat_ia_query has 31", n)
	}
}

// TestFactsKnowTheInlineLimitOfTheProvider holds what bounds max_inline_data.
func TestFactsKnowTheInlineLimitOfTheProvider(t *testing.T) {
	f := NewFacts(ourIA, IAAttributes{}, ProviderAttributes{ProviderSpecificAttr: map[string]string{"max_inline_data": "64"}})
	if got := f.ProviderAttrs["max_inline_data"]; got != (NamedAttr{0, 64}) {
		t.Errorf("max_inline_data is %+v", got)
	}
}

func TestD34NamesOfOneMaskAreUnknownInTheOther(t *testing.T) {
	for _, name := range IAAttributeNames() {
		if slices.Contains(ProviderAttributeNames(), name) {
			t.Errorf("%s is in both masks", name)
		}
	}
	if names := IAAttributeNames(); !slices.Contains(names, "max_dto_per_ep") {
		t.Errorf("max_dto_per_ep is missing: %v", names)
	}
}
