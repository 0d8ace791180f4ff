package api

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/datapi/datapi/internal/access"
)

// token makes a token of a role and returns its id and its secret.
func (r *rig) token(name, role string, more ...members) (id, secret string) {
	r.t.Helper()
	body := members{"name": name, "role": role}
	for _, m := range more {
		for k, v := range m {
			body[k] = v
		}
	}
	made := r.do("POST", "/tokens", body, bearer).is(201)
	id, secret = made.id(), made.at("token").(string)
	if !strings.HasPrefix(secret, access.TokenPrefix) || len(secret) < 40 {
		r.t.Errorf("a token %q", secret)
	}
	return id, secret
}

func bring(secret string) option { return with("Authorization", "Bearer "+secret) }

// adminOnly are the calls for admins, by their ids; operatorReads are the reads for operators. Beyond these a viewer may
// read, and an operator also write.
var (
	adminOnly = []string{
		"list-tokens", "create-token", "get-token", "modify-token", "delete-token",
		"list-users", "create-user", "get-user", "delete-user", "list-audit", "retire-node", "set-retention",
	}
	operatorReads = []string{"read-lmr-data"}
	everybody     = []string{"start-session"}
	anyRole       = []string{"end-session", "end-one-session", "create-signin-link", "modify-user"}
)

// roleOf returns the role that a call needs by the table of rights.
func roleOf(id, method string) access.Role {
	switch {
	case slices.Contains(everybody, id):
		return access.NoRole
	case slices.Contains(adminOnly, id):
		return access.Admin
	case slices.Contains(operatorReads, id):
		return access.Operator
	case slices.Contains(anyRole, id) || method == "GET":
		return access.Viewer
	}
	return access.Operator
}

func TestEveryCallIsForItsRole(t *testing.T) {
	r := newRig(t, withToken)
	secrets := map[access.Role]string{}
	for _, role := range []access.Role{access.Viewer, access.Operator, access.Admin} {
		_, secrets[role] = r.token("one-"+role.String(), role.String())
	}
	seen := 0
	for path, item := range r.api.huma.OpenAPI().Paths {
		for _, op := range []struct {
			method string
			id     string
		}{{"GET", idOf(item.Get)}, {"POST", idOf(item.Post)}, {"PUT", idOf(item.Put)}, {"PATCH", idOf(item.Patch)}, {"DELETE", idOf(item.Delete)}} {
			if op.id == "" || op.id == "stream-changes" {
				continue
			}
			seen++
			concrete := strings.NewReplacer("{id}", "nobody", "{ia}", "nobody", "{name}", "nobody", "{version}", "1").Replace(path)
			if out := r.do(op.method, concrete, nil, loose); out.status != 401 && roleOf(op.id, op.method) != access.NoRole {
				t.Errorf("%s answers a stranger with %d", op.id, out.status)
			}
			for role, secret := range secrets {
				out := r.do(op.method, concrete, nil, loose, bring(secret))
				refused := out.status == 403 && strings.Contains(string(out.body), "/problems/no-right")
				if op.id == "modify-user" && role != access.Admin {
					continue // it is refused by whose password it is
				}
				if want := role < roleOf(op.id, op.method); refused != want || out.status == 401 {
					t.Errorf("%s answers a token of role %s with %d: %.200s", op.id, role, out.status, out.body)
				}
			}
		}
	}
	if seen < 70 {
		t.Errorf("only %d calls were seen", seen)
	}
	lines := r.do("GET", "/audit?outcome=refused&actor=one-viewer&action=create-pz", nil, bearer).is(200)
	eventually(t, "a refused right is in the audit", func() bool {
		lines = r.do("GET", "/audit?outcome=refused&actor=one-viewer&action=create-pz", nil, bearer).is(200)
		return len(lines.at("items").([]any)) == 1
	})
}

func TestATokenIsShownOnceAndChangesBearItsName(t *testing.T) {
	r := newRig(t, withToken)
	id, secret := r.token("nightly", "operator")
	me := r.do("GET", "/whoami", nil, bring(secret)).is(200)
	if me.at("name") != "nightly" || me.at("kind") != "token" || me.at("role") != "operator" || me.at("expires_at") != nil {
		t.Errorf("whoami: %s", me.body)
	}
	pz := r.do("POST", "/pzs", members{"ia": ia0}, bring(secret)).is(201).id()
	if actor := r.do("GET", "/changes?object="+pz, nil, bearer).is(200).at("items").([]any)[0].(members); actor["actor"] != "nightly" || actor["actor_kind"] != "token" {
		t.Errorf("the change is %v", actor)
	}
	for _, path := range []string{"/tokens", "/tokens/" + id, "/audit", "/changes"} {
		if out := r.do("GET", path, nil, bearer).is(200); strings.Contains(string(out.body), secret) {
			t.Errorf("%s shows the token", path)
		}
	}
	r.do("POST", "/tokens", members{"name": "nightly", "role": "viewer"}, bearer).refused(409)
	if n := r.number("SELECT count(*) FROM tokens WHERE position('" + secret + "' in tokens::text) > 0"); n != 0 {
		t.Error("the token lies in the database")
	}
}

func TestARevokedTokenIsRefusedAtOnceAndItsStreamEnds(t *testing.T) {
	r := newRig(t, withToken)
	id, secret := r.token("gone-soon", "viewer")
	_, lines, end := r.stream("", bring(secret))
	defer end()
	<-lines
	session := r.do("POST", "/session", members{"token": secret}).is(201).header.Get("Set-Cookie")
	cookie, _, _ := strings.Cut(session, ";")
	r.do("GET", "/whoami", nil, with("Cookie", cookie)).is(200)
	r.do("DELETE", "/tokens/"+id, nil, bearer, with("X-Change-Reason", "leaked")).is(204)
	r.do("GET", "/pzs", nil, bring(secret)).refused(401)
	r.do("GET", "/pzs", nil, with("Cookie", cookie)).refused(401)
	ends(t, lines)
	r.do("DELETE", "/tokens/"+id, nil, bearer).refused(404)
	line := r.do("GET", "/audit?action=delete-token", nil, bearer).is(200).at("items").([]any)[0].(members)
	if line["actor"] != "admin" || line["reason"] != "leaked" || line["object"] != id || line["outcome"] != "done" {
		t.Errorf("the audit says %v", line)
	}
}

// ends waits until a stream ends.
func ends(t *testing.T, lines <-chan string) {
	t.Helper()
	deadline := time.After(patience)
	for {
		select {
		case _, ok := <-lines:
			if !ok {
				return
			}
		case <-deadline:
			t.Fatal("the stream does not end")
		}
	}
}

func TestARevokedTokenIsRefusedOnOtherNodesWithinSeconds(t *testing.T) {
	database := newDatabase(t)
	alpha, beta := newRigOn(t, database, "alpha", withToken), newRigOn(t, database, "beta", withToken)
	id, secret := alpha.token("both", "viewer")
	beta.do("GET", "/pzs", nil, bring(secret)).is(200)
	revoked := time.Now()
	alpha.do("DELETE", "/tokens/"+id, nil, bearer).is(204)
	eventually(t, "the other node refuses it", func() bool { return beta.do("GET", "/pzs", nil, bring(secret)).status == 401 })
	t.Logf("after %s", time.Since(revoked))
	_, narrowed := alpha.token("narrowed", "admin")
	beta.do("GET", "/tokens", nil, bring(narrowed)).is(200)
	alpha.do("PATCH", "/tokens/"+idOfToken(alpha, "narrowed"), members{"role": "viewer"}, bearer).is(200)
	alpha.do("GET", "/tokens", nil, bring(narrowed)).refused(403)
	eventually(t, "the other node knows the role", func() bool { return beta.do("GET", "/tokens", nil, bring(narrowed)).status == 403 })
}

// idOfToken returns the id of the token of a name.
func idOfToken(r *rig, name string) string {
	for _, item := range r.do("GET", "/tokens", nil, bearer).is(200).at("items").([]any) {
		if item.(members)["name"] == name {
			return item.(members)["id"].(string)
		}
	}
	return ""
}

func TestExpiryIsExactAndEndsStreams(t *testing.T) {
	r := newRig(t, withToken)
	r.do("POST", "/tokens", members{"name": "past", "role": "viewer", "expires_at": "2020-01-01T00:00:00Z"}, bearer).refused(422)
	at := time.Now().Add(time.Second)
	_, secret := r.token("short", "viewer", members{"expires_at": at.UTC().Format(time.RFC3339Nano)})
	r.do("GET", "/pzs", nil, bring(secret)).is(200)
	_, lines, end := r.stream("", bring(secret))
	defer end()
	ends(t, lines)
	if early := time.Until(at); early > 0 {
		t.Errorf("the stream ended %s early", early)
	}
	r.do("GET", "/pzs", nil, bring(secret)).refused(401)
}

func TestADryRunOfATokenMakesNone(t *testing.T) {
	r := newRig(t, withToken)
	made := r.do("POST", "/tokens?dry_run=true", members{"name": "never", "role": "viewer"}, bearer).is(201)
	r.do("GET", "/pzs", nil, bring(made.at("token").(string))).refused(401)
	if n := r.number("SELECT count(*) FROM tokens"); n != 0 {
		t.Errorf("%d tokens", n)
	}
	r.token("there", "viewer")
	r.do("POST", "/tokens?dry_run=true", members{"name": "there", "role": "viewer"}, bearer).refused(409)
}

func TestAnAnswerWithASecretIsNotKept(t *testing.T) {
	r := newRig(t, withToken)
	key := with("Idempotency-Key", "once")
	body := members{"name": "keyed", "role": "viewer"}
	made := r.do("POST", "/tokens", body, bearer, key).is(201)
	again := r.do("POST", "/tokens", body, bearer, key).refused(409)
	if again.Object == nil || again.Object.Type != "token" || again.Object.ID != made.id() {
		t.Errorf("the repetition names %v", again.Object)
	}
	if n := r.number("SELECT count(*) FROM kept WHERE position('" + made.at("token").(string) + "' in kept::text) > 0"); n != 0 {
		t.Error("the secret lies in the stored answer")
	}
	r.do("POST", "/tokens", members{"name": "keyed", "role": "admin"}, bearer, key).refused(422)
	del := with("Idempotency-Key", "twice")
	r.do("DELETE", "/tokens/"+made.id(), nil, bearer, del).is(204)
	r.do("DELETE", "/tokens/"+made.id(), nil, bearer, del).is(204)
	r.do("DELETE", "/tokens/"+made.id(), nil, bearer).refused(404)
}

func TestWhatIsAboutWhoMayIsNoOperationOfABatch(t *testing.T) {
	r := newRig(t, withToken)
	for _, path := range []string{"/tokens", "/%74okens", "/users", "/sessions/x", "/session", "/signin-links"} {
		r.do("POST", "/batch", members{"operations": []members{op("POST", path, members{"name": "x", "role": "admin"})}}, bearer, loose).refused(422)
	}
	if n := r.number("SELECT count(*) FROM tokens"); n != 0 {
		t.Errorf("%d tokens", n)
	}
}

func TestTheAuditIsExported(t *testing.T) {
	r := newRig(t, withToken)
	r.do("POST", "/tokens", members{"name": "for-export", "role": "viewer"}, bearer, with("X-Change-Reason", "=cmd|' /C calc'!A0")).is(201)
	csv := r.do("GET", "/audit", nil, bearer, with("Accept", "text/csv"), loose).is(200)
	if text := string(csv.body); !strings.HasPrefix(text, "id,at,node,actor") || !strings.Contains(text, "create-token") || strings.Contains(text, ",=cmd") {
		t.Errorf("CSV: %s", text)
	}
	lines := r.do("GET", "/audit", nil, bearer, with("Accept", "application/jsonl"), loose).is(200)
	if lines.header.Get("Content-Type") != mediaJSONLines || strings.Count(strings.TrimSpace(string(lines.body)), "\n") != 0 {
		t.Errorf("JSON lines: %s", lines.body)
	}
	r.do("GET", "/audit", nil, bearer, with("Accept", "image/png"), loose).refused(406)
	first := r.do("GET", "/audit?limit=1", nil, bearer).is(200)
	if len(first.at("items").([]any)) != 1 {
		t.Errorf("a page: %s", first.body)
	}
}

func TestHealthTellsStrangersTheStatusAlone(t *testing.T) {
	r := newRig(t, withToken)
	_, secret := r.token("watcher", "viewer")
	if out := r.raw("GET", "/readyz"); out.Code != 200 || out.Body.String() != "ok\n" {
		t.Errorf("readyz: %d %q", out.Code, out.Body)
	}
	for _, path := range []string{"/readyz?verbose", "/metrics"} {
		if out := r.raw("GET", path); out.Code != http.StatusUnauthorized {
			t.Errorf("%s answers a stranger with %d", path, out.Code)
		}
		if out := r.raw("GET", path, bring(secret)); out.Code != 200 {
			t.Errorf("%s answers a viewer with %d", path, out.Code)
		}
	}
}

// idOf returns the id of an operation, "" for none.
func idOf(op *huma.Operation) string {
	if op == nil {
		return ""
	}
	return op.OperationID
}
