package api

import (
	"strings"
	"testing"
	"time"

	"golang.org/x/time/rate"
)

const goodPassword = "correct horse battery"

// signIn opens a session and returns the option that brings its cookie.
func (r *rig) signIn(body members) option {
	r.t.Helper()
	set := r.do("POST", "/session", body).is(201).header.Get("Set-Cookie")
	value, _, _ := strings.Cut(set, ";")
	return with("Cookie", value)
}

func TestAUserSignsInWithAPassword(t *testing.T) {
	r := newRig(t, withToken)
	r.do("POST", "/users", members{"name": "kim", "role": "operator", "password": "short"}, bearer).refused(422, "DAT_INVALID_PARAMETER")
	made := r.do("POST", "/users", members{"name": "kim", "role": "operator", "password": goodPassword}, bearer).is(201)
	if made.at("signin") != nil || made.at("has_password") != true || strings.Contains(string(made.body), goodPassword) {
		t.Errorf("made: %s", made.body)
	}
	r.do("POST", "/users", members{"name": "kim", "role": "viewer"}, bearer).refused(409)
	kim := r.signIn(members{"name": "kim", "password": goodPassword})
	me := r.do("GET", "/whoami", nil, kim).is(200)
	if me.at("name") != "kim" || me.at("kind") != "user" || me.at("role") != "operator" || me.at("authenticated_by") != "session" || me.at("expires_at") == nil {
		t.Errorf("whoami: %s", me.body)
	}
	for _, wrong := range []members{{"name": "kim", "password": "another password"}, {"name": "nobody", "password": goodPassword}, {"name": "kim"}, {"password": goodPassword}} {
		if status := r.do("POST", "/session", wrong, loose).status; status != 401 && status != 422 {
			t.Errorf("%v is answered with %d", wrong, status)
		}
	}
	if n := r.number("SELECT count(*) FROM users WHERE password LIKE '$argon2id$v=19$m=65536,t=3,p=4$%'"); n != 1 {
		t.Error("the password is not kept as argon2id")
	}
}

func TestAUserSignsInOnceWithALink(t *testing.T) {
	r := newRig(t, withToken)
	made := r.do("POST", "/users", members{"name": "lee", "role": "viewer"}, bearer).is(201)
	link := made.at("signin").(members)
	if link["url"] != "http://localhost/#signin="+link["link"].(string) {
		t.Errorf("the link is %v", link)
	}
	lee := r.signIn(members{"link": link["link"]})
	if me := r.do("GET", "/whoami", nil, lee).is(200); me.at("name") != "lee" || me.at("role") != "viewer" {
		t.Errorf("whoami: %s", me.body)
	}
	r.do("POST", "/session", members{"link": link["link"]}).refused(401)
	if line := r.do("GET", "/audit?action=start-session&outcome=done", nil, bearer).is(200).at("items").([]any)[0].(members); line["actor"] != "lee" || line["actor_kind"] != "user" {
		t.Errorf("the audit says %v", line)
	}
	own := r.do("POST", "/signin-links", nil, lee).is(201).at("link")
	r.do("GET", "/whoami", nil, r.signIn(members{"link": own})).is(200)
	admins := r.do("POST", "/signin-links", nil, bearer).is(201).at("link")
	if me := r.do("GET", "/whoami", nil, r.signIn(members{"link": admins})).is(200); me.at("role") != "admin" {
		t.Errorf("whoami: %s", me.body)
	}
	_, secret := r.token("robot", "admin")
	robots := r.do("POST", "/signin-links", nil, bring(secret)).is(201).at("link")
	if me := r.do("GET", "/whoami", nil, r.signIn(members{"link": robots})).is(200); me.at("name") != "robot" || me.at("kind") != "token" {
		t.Errorf("whoami: %s", me.body)
	}
}

func TestWrongPasswordsAreSlowedDownByUserAndAddress(t *testing.T) {
	r := newRig(t, withToken)
	r.do("POST", "/users", members{"name": "kim", "role": "viewer", "password": goodPassword}, bearer).is(201)
	r.api.wrongPasswords = newLimiter(rate.Every(24*time.Hour), maxWrongCredentials) // however long the attempts take
	for range 3 {
		r.signIn(members{"name": "kim", "password": goodPassword}) // right ones do not count
	}
	for range maxWrongCredentials {
		r.do("POST", "/session", members{"name": "kim", "password": "a wrong password"}).refused(401)
	}
	out := r.do("POST", "/session", members{"name": "kim", "password": goodPassword})
	if out.refused(429); out.header.Get("Retry-After") == "" {
		t.Error("no Retry-After")
	}
	r.do("GET", "/whoami", nil, bearer).is(200)
	eventually(t, "the audit has the wrong passwords", func() bool {
		return len(r.do("GET", "/audit?action=start-session&outcome=refused", nil, bearer).is(200).at("items").([]any)) == maxWrongCredentials
	})
}

func TestOnesOwnPasswordNeedsThePresentOne(t *testing.T) {
	r := newRig(t, withToken)
	for _, name := range []string{"kim", "lee"} {
		r.do("POST", "/users", members{"name": name, "role": "operator", "password": goodPassword}, bearer).is(201)
	}
	kim, other := r.signIn(members{"name": "kim", "password": goodPassword}), r.signIn(members{"name": "kim", "password": goodPassword})
	fresh := "another good password"
	r.do("PATCH", "/users/kim", members{"password": fresh}, kim).refused(422)
	r.do("PATCH", "/users/kim", members{"password": fresh, "current_password": "wrong one"}, kim).refused(422)
	r.do("PATCH", "/users/lee", members{"password": fresh, "current_password": goodPassword}, kim).refused(403)
	r.do("PATCH", "/users/kim", members{"role": "admin"}, kim).refused(403)
	r.do("PATCH", "/users/kim", members{"password": fresh, "current_password": goodPassword}, kim).is(200)
	r.do("GET", "/whoami", nil, kim).is(200)
	r.do("GET", "/whoami", nil, other).refused(401)
	r.do("POST", "/session", members{"name": "kim", "password": goodPassword}).refused(401)
	r.signIn(members{"name": "kim", "password": fresh})
}

func TestTheAnswersToChangesOfUsersAreKeptWithThem(t *testing.T) {
	r := newRig(t, withToken)
	for _, call := range []struct {
		method, path string
		body         any
	}{
		{"POST", "/users", members{"name": "kim", "role": "viewer", "password": goodPassword}},
		{"PATCH", "/users/kim", members{"role": "operator"}},
		{"POST", "/tokens", members{"name": "nightly", "role": "viewer"}},
		{"PATCH", "/tokens/nightly", members{"role": "operator"}},
		{"DELETE", "/users/kim", nil},
	} {
		key := with("Idempotency-Key", call.method+call.path)
		first := r.do(call.method, call.path, call.body, bearer, key)
		if n := r.number("SELECT count(*) FROM kept k JOIN audit a ON k.xmin = a.xmin WHERE k.key = '" + call.method + call.path + "'"); n != 1 {
			t.Errorf("%s %s: the answer was stored in another commit than its change", call.method, call.path)
		}
		again := r.do(call.method, call.path, call.body, bearer, key)
		if call.path == "/tokens" {
			again.refused(409)
		} else if again.status != first.status || string(again.body) != string(first.body) || again.header.Get("Location") != first.header.Get("Location") {
			t.Errorf("%s %s: %d %s, and again %d %s", call.method, call.path, first.status, first.body, again.status, again.body)
		}
	}
}

func TestADeletedUserIsSignedOut(t *testing.T) {
	r := newRig(t, withToken)
	r.do("POST", "/users", members{"name": "kim", "role": "admin", "password": goodPassword}, bearer).is(201)
	kim := r.signIn(members{"name": "kim", "password": goodPassword})
	r.do("PATCH", "/users/kim", members{"role": "viewer"}, bearer).is(200)
	r.do("POST", "/pzs", members{"ia": ia0}, kim).refused(403)
	r.do("DELETE", "/users/kim", nil, bearer).is(204)
	r.do("GET", "/whoami", nil, kim).refused(401)
	r.do("GET", "/users/kim", nil, bearer).refused(404)
}

func TestSessionsAreSeenAndEnded(t *testing.T) {
	r := newRig(t, withToken)
	for _, name := range []string{"kim", "lee"} {
		r.do("POST", "/users", members{"name": name, "role": "viewer", "password": goodPassword}, bearer).is(201)
	}
	kim, lee := r.signIn(members{"name": "kim", "password": goodPassword}), r.signIn(members{"name": "lee", "password": goodPassword})
	admin := with("Cookie", r.session())
	own := r.do("GET", "/sessions", nil, kim).is(200).at("items").([]any)
	if len(own) != 1 || own[0].(members)["current"] != true || own[0].(members)["name"] != "kim" {
		t.Errorf("kim sees %v", own)
	}
	var ofLee string
	for _, s := range r.do("GET", "/sessions", nil, admin).is(200).at("items").([]any) {
		if s.(members)["name"] == "lee" {
			ofLee = s.(members)["id"].(string)
		}
	}
	_, lines, end := r.stream("", lee)
	defer end()
	<-lines
	r.do("DELETE", "/sessions/"+ofLee, nil, kim).refused(404)
	r.do("DELETE", "/sessions/"+ofLee, nil, admin).is(204)
	ends(t, lines)
	r.do("GET", "/whoami", nil, lee).refused(401)
	r.do("DELETE", "/session", nil, kim, with("Sec-Fetch-Site", "same-origin")).is(204)
	r.do("GET", "/whoami", nil, kim).refused(401)
}

func TestASessionSurvivesARestart(t *testing.T) {
	database := newDatabase(t)
	r := newRigOn(t, database, "alpha", withToken)
	cookie := with("Cookie", r.session())
	r.stop()
	again := newRigOn(t, database, "alpha", withToken)
	again.do("GET", "/whoami", nil, cookie).is(200)
	again.stop()
	other := newRigOn(t, database, "alpha", func(c *Config) { c.AdminToken = "another token of the service" })
	other.do("GET", "/whoami", nil, cookie).refused(401)
}

// user makes a user without a password and returns its name.
func (r *rig) user(name string) string {
	r.t.Helper()
	r.do("POST", "/users", members{"name": name, "role": "viewer"}, bearer).is(201)
	return name
}
