package document

import (
	"reflect"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"

	"github.com/datapi/datapi/internal/dat"
)

// body is the body of a call of these tests.
type body struct {
	PZ       dat.Handle         `json:"pz,omitempty"`
	Count    *int64             `json:"count,omitempty" nullable:"false"`
	Data     []byte             `json:"data,omitempty" nullable:"true"`
	Name     Nullable[string]   `json:"name,omitempty"`
	Software AnyJSON            `json:"software,omitempty"`
	Limits   *limits            `json:"limits,omitempty"`
	Labels   map[string]*string `json:"labels,omitempty"`
}

type limits struct {
	Soft int64 `json:"soft" minimum:"1"`
}

func bodySchema(s *Schemas) *huma.Schema { return s.Schema(reflect.TypeFor[body](), true, "") }

func TestABodyIsRefusedForWhatHumaLetsPass(t *testing.T) {
	s := NewSchemas()
	schema := bodySchema(s)
	for _, c := range []struct {
		body, field, says string
		status            int
	}{
		{`{"pz":`, "", "ends too early", 400},
		{`{"pz":x}`, "", "byte 7", 400},
		{`{} {}`, "", "nothing after it", 400},
		{`{"count":1,"count":2}`, "count", "once", 422},
		{`{"labels":{"a":"1","a":"2"}}`, "labels.a", "once", 422},
		{`{"labels":{"\u0061\"":"1" , "a\u0022":"2"}}`, "labels.a\"", "once", 422},
		{`{"software":{"a":1,"b":1,"c":1,"d":1,"e":1,"f":1,"g":1,"h":1,"i":1,"j":1,"i":1}}`, "software.i", "once", 422},
		{`{"labels":{"a":"\ud83d\ude00\\","b":"]}"},"count":null}`, "count", "must not be null", 422},
		{`{"software":[{"a":[{"b":1,"b":2}]}]}`, "software[0].a[0].b", "once", 422},
		{`{"count":null}`, "count", "must not be null", 422},
		{`{"count":1.5}`, "count", "whole number", 422},
		{`{"count":9223372036854775808}`, "count", "64 bits", 422},
		{`{"pz":""}`, "pz", "DAT_HANDLE_NULL", 422},
		{`{"pz":"a\u0000b"}`, "pz", "NUL", 422},
		{`{"labels":{"a\u0000b":"1"}}`, "labels", "NUL", 422},
		{`{"data":"no base64"}`, "data", "base64", 422},
		{`{"limits":{"soft":0}}`, "limits.soft", "1", 422},
		{`{"limits":{}}`, "limits", "required property soft", 422},
	} {
		_, p := s.CheckBody([]byte(c.body), schema)
		if p == nil {
			t.Errorf("%s is taken", c.body)
			continue
		}
		field := ""
		if p.Field != nil {
			field = *p.Field
		}
		if p.Status != c.status || field != c.field || !strings.Contains(p.Detail, c.says) {
			t.Errorf("%s: %d, field %q, %s", c.body, p.Status, field, p.Detail)
		}
	}
}

func TestARightBodyIsTaken(t *testing.T) {
	s := NewSchemas()
	for _, right := range []string{
		`{}`, `{"pz":null}`, `{"pz":"a"}`, `{"count":7}`, `{"data":"aGk="}`, `{"data":null}`, `{"name":null}`, `{"name":"a"}`,
		`{"software":null}`, `{"software":[1.5,{"a":null}]}`, `{"limits":null}`, `{"limits":{"soft":1}}`,
	} {
		if p := s.ValidateBody([]byte(right), bodySchema(s)); p != nil {
			t.Errorf("%s: %s", right, p.Detail)
		}
	}
}

func TestValidateBodyRefusesWhatHumaRefuses(t *testing.T) {
	s := NewSchemas()
	for _, wrong := range []string{`{"nosuch":1}`, `{"count":"7"}`, `[]`, `{"name":7}`} {
		if _, p := s.CheckBody([]byte(wrong), bodySchema(s)); p != nil && wrong != `{"name":7}` {
			t.Errorf("%s is refused twice", wrong)
		}
		if p := s.ValidateBody([]byte(wrong), bodySchema(s)); p == nil || p.Status != 422 || len(p.Errors) == 0 {
			t.Errorf("%s: %+v", wrong, p)
		}
	}
}

func TestAProblemListsAFewWrongPlacesOnly(t *testing.T) {
	s := NewSchemas()
	many := `{"software":[` + strings.Repeat(`"\u0000",`, 100) + `1]}`
	_, p := s.CheckBody([]byte(many), bodySchema(s))
	if len(p.Errors) != maxPlaces || !strings.Contains(p.Detail, "(and 19 more, see errors)") {
		t.Errorf("%d places: %s", len(p.Errors), p.Detail)
	}
}
