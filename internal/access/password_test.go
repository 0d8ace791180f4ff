package access

import (
	"context"
	"errors"
	"testing"
)

func TestAPasswordIsToldFromOthers(t *testing.T) {
	hash, err := HashPassword(t.Context(), "correct horse battery")
	if err != nil {
		t.Fatal(err)
	}
	for password, want := range map[string]bool{"correct horse battery": true, "correct horse batterz": false, "": false} {
		if got, err := CheckPassword(t.Context(), hash, password); got != want || err != nil {
			t.Errorf("%q: %v, %v", password, got, err)
		}
	}
	if again, _ := HashPassword(t.Context(), "correct horse battery"); again == hash {
		t.Error("two hashes of a password have the same salt")
	}
	if ok, err := CheckPassword(t.Context(), "", ""); ok || err != nil {
		t.Errorf("where there is no password: %v, %v", ok, err)
	}
	if _, err := CheckPassword(t.Context(), "$argon2id$nonsense", "x"); err == nil {
		t.Error("nonsense is taken for a hash")
	}
}

func TestWhoWaitsForOthersPasswordsMayGiveUp(t *testing.T) {
	hashing <- struct{}{}
	hashing <- struct{}{}
	defer func() { <-hashing; <-hashing }()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := HashPassword(ctx, "correct horse battery"); !errors.Is(err, context.Canceled) {
		t.Errorf("the error is %v", err)
	}
}

func TestARoleHasTheRightsOfThoseBeforeIt(t *testing.T) {
	for i, name := range []string{"viewer", "operator", "admin"} {
		role, err := ParseRole(name)
		if err != nil || role.String() != name {
			t.Errorf("%s: %v, %v", name, role, err)
		}
		for j, need := range []Role{Viewer, Operator, Admin} {
			if (Principal{Role: role}).May(need) != (i >= j) {
				t.Errorf("a %s may %s: not %v", name, need, i >= j)
			}
		}
	}
	for _, wrong := range []string{"", "root", "Viewer"} {
		if _, err := ParseRole(wrong); err == nil {
			t.Errorf("%q is taken for a role", wrong)
		}
	}
}
