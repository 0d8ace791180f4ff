package document

import (
	"net/http"
	"reflect"
	"strings"
	"testing"

	"github.com/datapi/datapi/internal/dat"
)

// TestReturnsMapToTheStatusesOfTheContract lays the table beside the contract's.
func TestReturnsMapToTheStatusesOfTheContract(t *testing.T) {
	want := map[dat.Return]int{
		dat.RetInvalidHandle: 404, dat.RetProviderNotFound: 404,
		dat.RetInvalidParameter: 422, dat.RetInvalidAddress: 422, dat.RetLengthError: 422,
		dat.RetInvalidState: 409, dat.RetConnQualInUse: 409, dat.RetPortInUse: 409, dat.RetProviderInUse: 409,
		dat.RetPrivilegesViolation: 403, dat.RetProtectionViolation: 403,
		dat.RetModelNotSupported: 501, dat.RetNotImplemented: 501,
		dat.RetInsufficientResources: 507,
		dat.RetQueueFull:             503, dat.RetConnQualUnavailable: 503, dat.RetInterruptedCall: 503,
		dat.RetTimeoutExpired: 504, dat.RetAbort: 410,
	}
	for i := range returnRows {
		ret := dat.Return(i)
		status, ok := want[ret]
		if !ok {
			status = 500
		}
		p := FromDAT(&dat.Error{Return: ret, Detail: "x"})
		if p.Status != status || p.Title == "" || (p.Status == 503) != (p.GetHeaders().Get("Retry-After") != "") {
			t.Errorf("%s: %d %q, Retry-After %q", ret, p.Status, p.Title, p.GetHeaders().Get("Retry-After"))
		}
	}
	if got := len(enums[reflect.TypeFor[dat.Return]()].words); got != len(returnRows) {
		t.Errorf("%d returns, %d rows", got, len(returnRows))
	}
}

func TestAnInvalidHandleInTheBodyIs422(t *testing.T) {
	p := FromDAT(&dat.Error{Return: dat.RetInvalidHandle, Field: "pz", Detail: "There is no such pz."})
	if p.Status != http.StatusUnprocessableEntity || *p.Field != "pz" || p.Errors[0].Location != "body.pz" {
		t.Errorf("%+v", p)
	}
}

func TestAKindOfTheServicesOwnGoesBeforeTheReturn(t *testing.T) {
	p := FromDAT(&dat.Error{Return: dat.RetInvalidState, Kind: KindNameTaken, Field: "name", Detail: "Take another name."})
	if p.Status != http.StatusConflict || p.Type != "/problems/name-taken" || p.Return != nil || p.Errors[0].Location != "body.name" {
		t.Errorf("%+v", p)
	}
	if p := FromDAT(&dat.Error{Return: dat.RetInvalidState, Kind: "of-another-package", Detail: "x"}); p.Type != "/problems/invalid-state" {
		t.Errorf("a kind without a row: %+v", p)
	}
}

func TestEveryKindOfProblemIsExplained(t *testing.T) {
	for kind, row := range serviceRows {
		if row.name != kind {
			t.Errorf("the row %s is named %s", kind, row.name)
		}
	}
	for _, kind := range ProblemKinds() {
		row := problemRows[kind]
		if row.title == "" || row.explanation == "" || http.StatusText(row.status) == "" || strings.HasSuffix(row.title, ".") {
			t.Errorf("%s: %+v", kind, row)
		}
		if page, ok := ProblemPage(kind); !ok || !strings.Contains(string(page), "/problems/"+kind) {
			t.Errorf("%s has no page", kind)
		}
	}
	if _, ok := ProblemPage("nosuch"); ok {
		t.Error("an unknown kind has a page")
	}
}

func TestAProblemWithoutDetailExplainsItself(t *testing.T) {
	if p := NewProblem(KindSlowBody, ""); !strings.Contains(p.Detail, ExplainProblem(KindSlowBody)) {
		t.Errorf("detail %q", p.Detail)
	}
}

func TestErrorsOfHumaThatNobodyKnowsTellNothing(t *testing.T) {
	p := FromHuma(http.StatusTeapot, "secret words", nil)
	if p.Status != http.StatusInternalServerError || strings.Contains(p.Detail, "secret") {
		t.Errorf("%+v", p)
	}
}
