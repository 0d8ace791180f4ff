package api

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

const adminToken = "a-token-of-more-than-16"

func withToken(c *Config) { c.AdminToken = adminToken }

var bearer = with("Authorization", "Bearer "+adminToken)

func TestWithATokenEveryCallNeedsIt(t *testing.T) {
	r := newRig(t, withToken)
	for _, path := range []string{"/pzs", "/matrix", "/whoami", "/nosuch"} {
		out := r.do("GET", path, nil, loose)
		if out.refused(401); out.header.Get("WWW-Authenticate") == "" {
			t.Errorf("%s: no WWW-Authenticate", path)
		}
	}
	for _, wrong := range []string{"Bearer x", "Basic " + adminToken, adminToken, "Bearer"} {
		r.do("GET", "/pzs", nil, with("Authorization", wrong)).refused(401)
	}
	r.do("POST", "/session", nil, with("Authorization", "Bearer x")).refused(401)
	if me := r.do("GET", "/whoami", nil, bearer).is(200); me.at("name") != "admin" || me.at("authenticated_by") != "token" {
		t.Errorf("whoami: %s", me.body)
	}
	for _, path := range []string{"/livez", "/readyz", "/docs", "/openapi.yaml", "/problems/unauthorized"} {
		if out := r.raw("GET", path); out.Code != 200 {
			t.Errorf("%s: %d", path, out.Code)
		}
	}
}

func TestWithoutATokenEverybodyIsAnAdmin(t *testing.T) {
	r := newRig(t)
	if me := r.do("GET", "/whoami", nil).is(200); me.at("role") != "admin" || me.at("authenticated_by") != "none" || me.at("node") != "alpha" {
		t.Errorf("whoami: %s", me.body)
	}
}

// session opens a session and returns its cookie.
func (r *rig) session() string {
	r.t.Helper()
	set := r.do("POST", "/session", nil, bearer).is(201).header.Get("Set-Cookie")
	for _, part := range []string{"HttpOnly", "SameSite=Strict", "Path=/"} {
		if !strings.Contains(set, part) {
			r.t.Errorf("the cookie lacks %s: %s", part, set)
		}
	}
	if strings.Contains(set, adminToken) {
		r.t.Errorf("the cookie is the token: %s", set)
	}
	value, _, _ := strings.Cut(set, ";")
	return value
}

func TestATokenOpensASessionThatSignsIn(t *testing.T) {
	r := newRig(t, withToken)
	cookie := with("Cookie", r.session())
	if me := r.do("GET", "/whoami", nil, cookie).is(200); me.at("authenticated_by") != "session" {
		t.Errorf("whoami: %s", me.body)
	}
	r.do("POST", "/pzs", members{"ia": ia0}, cookie, with("Sec-Fetch-Site", "same-origin")).is(201)
	r.do("POST", "/pzs", members{"ia": ia0}, cookie).is(201)
	r.do("DELETE", "/session", nil, cookie, with("Sec-Fetch-Site", "same-origin")).is(204)
	r.do("GET", "/whoami", nil, cookie).refused(401)
}

func TestWritesOfOtherSitesAreRefused(t *testing.T) {
	for name, change := range map[string]func(*Config){"session": withToken, "no token": func(*Config) {}} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, change)
			cookie := with("X-Nothing", "")
			if name == "session" {
				cookie = with("Cookie", r.session())
			}
			for _, foreign := range []option{with("Sec-Fetch-Site", "cross-site"), with("Sec-Fetch-Site", "same-site"), with("Origin", "http://evil.example")} {
				r.do("POST", "/pzs", members{"ia": ia0}, cookie, foreign).refused(403)
				r.do("GET", "/pzs", nil, cookie, foreign).is(200)
			}
		})
	}
}

func TestForeignHostsAreRefused(t *testing.T) {
	r := newRig(t, func(c *Config) { c.Hosts = []string{"rdma.example"} })
	host := func(name string) option { return func(q *http.Request) { q.Host = name } }
	for _, known := range []string{"rdma.example:8480", "RDMA.example", "localhost", "127.0.0.1:8480", "[::1]:8480"} {
		r.do("GET", "/pzs", nil, host(known), loose).is(200)
	}
	r.do("GET", "/pzs", nil, host("evil.example"), loose).refused(403)
}

func TestReadOnlyRefusesEveryWrite(t *testing.T) {
	r := newRig(t, func(c *Config) { c.ReadOnly = true })
	r.do("GET", "/pzs", nil).is(200)
	for _, method := range []string{"POST", "PUT", "PATCH", "DELETE"} {
		r.do(method, "/pzs", members{"ia": ia0}, loose).refused(403)
	}
}

func TestRateIsLimitedPerCaller(t *testing.T) {
	r := newRig(t, func(c *Config) { c.RateLimit = 1 })
	refused := 0
	for range 10 {
		if out := r.do("GET", "/whoami", nil); out.status == 429 {
			if out.refused(429); out.header.Get("Retry-After") == "" {
				t.Error("no Retry-After")
			}
			refused++
		}
	}
	if refused < 5 {
		t.Errorf("of ten at once %d were refused", refused)
	}
	anotherAddress := func(r *http.Request) { r.RemoteAddr = "198.51.100.7:1234" }
	r.do("GET", "/whoami", nil, anotherAddress).is(200)
}

func TestAnswersHaveTheSecurityHeaders(t *testing.T) {
	r := newRig(t)
	for _, path := range []string{"/pzs", "/nosuch"} {
		out := r.do("GET", path, nil, loose)
		for name, want := range map[string]string{"X-Content-Type-Options": "nosniff", "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'", "Referrer-Policy": "no-referrer"} {
			if out.header.Get(name) != want {
				t.Errorf("%s: %s is %q", path, name, out.header.Get(name))
			}
		}
	}
}

// Promise 14: who tries credentials is slowed down, and nobody with a right one is.
func TestWrongCredentialsAreSlowedDownPerAddress(t *testing.T) {
	r := newRig(t, withToken)
	from := func(address string) option { return func(q *http.Request) { q.RemoteAddr = address + ":1234" } }
	wrong := with("Authorization", "Bearer "+strings.Repeat("x", 20))
	cookie := with("Cookie", r.session())
	for range maxWrongCredentials {
		r.do("GET", "/pzs", nil, wrong, from("192.0.2.1")).refused(401)
	}
	for range 20 {
		if out := r.do("POST", "/session", nil, wrong, from("192.0.2.1")); out.refused(429).Return != nil || out.header.Get("Retry-After") == "" {
			t.Errorf("Retry-After %q: %s", out.header.Get("Retry-After"), out.body)
		}
		r.do("GET", "/pzs", nil, bearer, from("192.0.2.1")).is(200)
		r.do("GET", "/pzs", nil, cookie, from("192.0.2.1")).is(200)
		r.do("GET", "/pzs", nil, from("192.0.2.1")).refused(401) // no credential is not a wrong one
	}
	r.do("GET", "/pzs", nil, wrong, from("192.0.2.2")).refused(401)
}

// Promise 14: a page of another site cannot read the metrics by a name of its own.
func TestMetricsAreNotShownToForeignHosts(t *testing.T) {
	names := []string{"rdma.example"}
	r := newRig(t, func(c *Config) { c.Hosts, c.MetricsHosts = names, names })
	for _, handler := range []http.Handler{r.api.Handler, r.api.Metrics} {
		for host, status := range map[string]int{"evil.example": 403, "rdma.example:8480": 200, "localhost": 200, "127.0.0.1:8480": 200} {
			request, out := httptest.NewRequest("GET", "http://"+host+"/metrics", nil), httptest.NewRecorder()
			handler.ServeHTTP(out, request)
			if out.Code != status || strings.Contains(out.Body.String(), "datapi_ia_up") != (status == 200) {
				t.Errorf("%s: %d", host, out.Code)
			}
		}
	}
}
