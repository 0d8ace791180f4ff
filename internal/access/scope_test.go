package access

import "testing"

// Rights: both members of a scope must hold, and an empty one does not restrict
func TestAScopeHoldsWhatHasItsAdapterAndAllItsLabels(t *testing.T) {
	none := map[string]string(nil)
	both := NewScope([]string{"soft0@alpha", "soft1"}, map[string]string{"team": "a", "site": ""})
	for _, c := range []struct {
		scope  *Scope
		ia     string
		labels map[string]string
		holds  bool
	}{
		{nil, "soft0@alpha", none, true},
		{NewScope(nil, none), "soft0@alpha", none, true},
		{NewScope([]string{"soft0@alpha"}, none), "soft0@alpha", none, true},
		{NewScope([]string{"soft0@alpha"}, none), "soft0@beta", none, false},
		{NewScope([]string{"soft0"}, none), "soft0@beta", none, true},
		{NewScope([]string{"soft0"}, none), "soft0-1@beta", none, false},
		{NewScope([]string{"alpha"}, none), "soft0@alpha", none, false},
		{NewScope(nil, map[string]string{"team": "a"}), "soft9@beta", map[string]string{"team": "a", "x": "y"}, true},
		{NewScope(nil, map[string]string{"team": "a"}), "soft9@beta", map[string]string{"team": "b"}, false},
		{NewScope(nil, map[string]string{"team": ""}), "soft9@beta", none, false},
		{both, "soft1@beta", map[string]string{"team": "a", "site": ""}, true},
		{both, "soft1@beta", map[string]string{"team": "a"}, false},
		{both, "soft2@beta", map[string]string{"team": "a", "site": ""}, false},
	} {
		if got := c.scope.Holds(c.ia, c.labels); got != c.holds {
			t.Errorf("%+v holds %s %v: %v", c.scope, c.ia, c.labels, got)
		}
	}
	if !both.Equal(NewScope([]string{"soft1", "soft0@alpha", "soft1"}, map[string]string{"site": "", "team": "a"})) || both.Equal(nil) || !(*Scope)(nil).Equal(NewScope(nil, none)) {
		t.Error("equal scopes differ, or different ones are equal")
	}
}

// Rights: who is restricted to a scope is no admin
func TestAnAdminWithAScopeHasTheRightsOfAnOperator(t *testing.T) {
	p := Principal{Role: Admin, Scope: NewScope([]string{"soft0"}, nil)}
	if p.May(Admin) || !p.May(Operator) || !(Principal{Role: Admin}).May(Admin) {
		t.Error("an admin in a scope may what admins may")
	}
}
