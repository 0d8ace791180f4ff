package api

import (
	"os"
	"strings"
	"testing"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/store"
)

func TestUnknownErrorsTellNothingOfTheirCause(t *testing.T) {
	p := problemOf(os.ErrPermission)
	if p.Status != 500 || strings.Contains(p.Detail, "permission") {
		t.Errorf("problem %+v", p)
	}
}

func TestTheKindsOfTheStoreAreKindsOfProblems(t *testing.T) {
	for _, kind := range []string{store.KindNameTaken, store.KindStoreAway, store.KindKeyRunning, store.KindOutcomeUnknown} {
		if p := problemOf(&dat.Error{Return: dat.RetInternalError, Kind: kind, Detail: "x"}); p.Type != "/problems/"+kind {
			t.Errorf("an error of kind %s is a problem of type %s", kind, p.Type)
		}
	}
}
