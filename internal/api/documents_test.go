package api

import (
	"html"
	"regexp"
	"strings"
	"testing"

	"github.com/datapi/datapi/internal/api/document"
)

func TestDocumentsAreServedAtTheirPaths(t *testing.T) {
	r := newRig(t)
	for path, start := range map[string]string{"/openapi.json": "{", "/openapi.yaml": "# Made", "/openapi-3.0.json": "{", "/docs": "<!doctype html>", "/docs.css": ":root"} {
		out := r.raw("GET", path)
		if out.Code != 200 || !strings.HasPrefix(out.Body.String(), start) || out.Header().Get("ETag") == "" {
			t.Errorf("%s: %d %.40q", path, out.Code, out.Body)
		}
		again := r.raw("GET", path, with("If-None-Match", out.Header().Get("ETag")))
		if again.Code != 304 || again.Body.Len() != 0 || again.Header().Get("ETag") == "" {
			t.Errorf("%s is not 304 for who has it: %d", path, again.Code)
		}
	}
}

func TestReferencePageLoadsNothingFromOutside(t *testing.T) {
	r := newRig(t)
	out := r.raw("GET", "/docs")
	page := out.Body.String()
	if found := regexp.MustCompile(`(?i)(src|href)="(https?:)?//`).FindString(page); found != "" {
		t.Errorf("the page refers to %s", found)
	}
	for _, unwanted := range []string{"<script", "style=", "onclick"} {
		if strings.Contains(page, unwanted) {
			t.Errorf("the page has %s, which its policy forbids", unwanted)
		}
	}
	if policy := out.Header().Get("Content-Security-Policy"); !strings.Contains(policy, "default-src 'none'") || strings.Contains(policy, "unsafe") {
		t.Errorf("policy %q", policy)
	}
	if !strings.Contains(page, `id="create-endpoint"`) || !strings.Contains(page, `id="schema-Endpoint"`) {
		t.Error("the page lacks calls or schemas")
	}
}

func TestEveryProblemHasItsPage(t *testing.T) {
	r := newRig(t)
	for _, kind := range document.ProblemKinds() {
		out := r.raw("GET", "/problems/"+kind)
		explanation := document.ExplainProblem(kind)
		if out.Code != 200 || explanation == "" || !strings.Contains(html.UnescapeString(out.Body.String()), explanation) {
			t.Errorf("%s: %d", kind, out.Code)
		}
	}
	if out := r.raw("GET", "/problems/nosuch"); out.Code != 404 {
		t.Errorf("an unknown problem is %d", out.Code)
	}
	if out := r.raw("GET", "/problems"); out.Code != 200 || !strings.Contains(out.Body.String(), "/problems/invalid-state") {
		t.Errorf("the list: %d", out.Code)
	}
}
