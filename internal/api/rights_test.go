package api

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"

	"github.com/datapi/datapi/internal/access"
)

// scopeRule says what a call answers to somebody whose scope does not hold what it is about.
type scopeRule int

const (
	// oneObject: the path names an object: 404.
	oneObject scopeRule = iota
	// newObject: it makes one: 403 for an adapter outside, and as for an adapter that is not there where its labels are others.
	newObject
	// manyObjects: it answers without what lies outside.
	manyObjects
	// anyOperation: what its operations answer.
	anyOperation
	// wholeService: 403 to everybody with a scope, admins too.
	wholeService
	// noObject: the same as to everybody.
	noObject
)

// scopeRules has a row for every call of the document.
var scopeRules = map[string]scopeRule{
	"get-ia": oneObject, "modify-ia": oneObject, "check-ia": oneObject, "get-ia-counters": oneObject, "list-ia-resources": oneObject, "list-ias": manyObjects,
	"create-pz": newObject, "list-pzs": manyObjects, "get-pz": oneObject, "free-pz": oneObject,
	"create-evd": newObject, "list-evds": manyObjects, "get-evd": oneObject, "modify-evd": oneObject, "free-evd": oneObject,
	"dequeue-evd": oneObject, "list-evd-events": oneObject, "post-evd-event": oneObject,
	"create-srq": newObject, "list-srqs": manyObjects, "get-srq": oneObject, "modify-srq": oneObject, "free-srq": oneObject,
	"set-srq-low-watermark": oneObject, "post-srq-recvs": oneObject,
	"create-lmr": newObject, "list-lmrs": manyObjects, "get-lmr": oneObject, "free-lmr": oneObject, "read-lmr-data": oneObject, "write-lmr-data": oneObject,
	"create-rmr": newObject, "list-rmrs": manyObjects, "get-rmr": oneObject, "free-rmr": oneObject,
	"create-psp": newObject, "list-psps": manyObjects, "get-psp": oneObject, "free-psp": oneObject,
	"create-rsp": newObject, "list-rsps": manyObjects, "get-rsp": oneObject, "free-rsp": oneObject,
	"list-crs": manyObjects, "get-cr": oneObject, "accept-cr": oneObject, "reject-cr": oneObject, "handoff-cr": oneObject,
	"create-endpoint": newObject, "list-endpoints": manyObjects, "get-endpoint": oneObject, "modify-endpoint": oneObject, "free-endpoint": oneObject,
	"connect-endpoint": oneObject, "dup-connect-endpoint": oneObject, "disconnect-endpoint": oneObject, "reset-endpoint": oneObject,
	"revert-endpoint": oneObject, "set-endpoint-watermarks": oneObject, "post-endpoint-recvs": oneObject, "post-endpoint-sends": oneObject,
	"post-endpoint-rdma-writes": oneObject, "post-endpoint-rdma-reads": oneObject, "bind-endpoint-rmr": oneObject,
	"get-endpoint-status": oneObject, "query-endpoint-recvs": oneObject, "get-endpoints-status": manyObjects,
	"list-endpoint-history": oneObject, "get-endpoint-version": oneObject, "list-changes": manyObjects, "stream-changes": manyObjects,
	"run-batch":  anyOperation,
	"list-audit": wholeService, "list-tokens": wholeService, "create-token": wholeService, "get-token": wholeService, "modify-token": wholeService, "delete-token": wholeService,
	"list-users": wholeService, "create-user": wholeService, "get-user": wholeService, "delete-user": wholeService,
	"retire-node": wholeService, "set-retention": wholeService,
	// modify-user is for one's own password; tokens have none
	"modify-user": wholeService,
	"list-nodes":  noObject, "get-node": noObject, "get-retention": noObject, "get-matrix": noObject, "get-whoami": noObject,
	"start-session": noObject, "end-session": noObject, "list-sessions": noObject, "end-one-session": noObject, "create-signin-link": noObject,
}

// rightsRig is a service with an object of each type, and tokens of every role with every scope.
type rightsRig struct {
	*rig
	// objects are the paths of the objects by their collections.
	objects map[string]string
	// callers are by role and by scope: within, or outside by an adapter or a label.
	callers map[access.Role]map[string]option
}

func newRightsRig(t *testing.T) *rightsRig {
	r := &rightsRig{rig: newRig(t, withToken), objects: map[string]string{"ias": "/ias/" + ia0}, callers: map[access.Role]map[string]option{}}
	r.credential = bearer
	for collection, call := range map[string]string{
		"pzs": "free-pz", "evds": "free-evd", "srqs": "free-srq", "lmrs": "free-lmr", "rmrs": "free-rmr", "endpoints": "free-endpoint", "psps": "free-psp", "rsps": "free-rsp",
	} {
		r.objects[collection], _ = rehearsals[call].prepare(r.rig)
	}
	r.objects["crs"] = "/crs/" + r.waitingRequest()
	for _, role := range []access.Role{access.Viewer, access.Operator, access.Admin} {
		r.callers[role] = map[string]option{
			"within":     r.scoped(role.String()+"-within", role.String(), []string{"soft0", ia1}, members{}),
			"by adapter": r.scoped(role.String()+"-by-adapter", role.String(), []string{"none0"}, members{}),
			"by label":   r.scoped(role.String()+"-by-label", role.String(), nil, members{"no": "body"}),
		}
	}
	return r
}

// call returns the path and body of a call that can be made again and again: a write is a dry run.
func (r *rightsRig) call(method, path, id string) (string, any) {
	if row, ok := rehearsals[id]; ok && method != "DELETE" && (id == "modify-user" || scopeRules[id] != wholeService && scopeRules[id] != noObject) {
		path, body := row.prepare(r.rig)
		return path + "?dry_run=true", body
	}
	collection := strings.Split(path, "/")[1]
	own := "nobody"
	if object := r.objects[collection]; object != "" {
		own = object[strings.LastIndex(object, "/")+1:]
	}
	path = strings.NewReplacer("{id}", own, "{ia}", own, "{name}", "alpha", "{version}", "1").Replace(path)
	if id == "get-endpoints-status" {
		path += "?id=" + own
	}
	if method != "GET" {
		path += "?dry_run=true"
	}
	return path, nil
}

// Rights: role × call × scope
func TestEveryCallIsHeldToItsScope(t *testing.T) {
	r := newRightsRig(t)
	for path, item := range r.api.huma.OpenAPI().Paths {
		for method, operation := range map[string]*huma.Operation{"GET": item.Get, "POST": item.Post, "PUT": item.Put, "PATCH": item.Patch, "DELETE": item.Delete} {
			id := idOf(operation)
			rule, known := scopeRules[id]
			if id != "" && !known {
				t.Errorf("%s has no row in scopeRules", id)
			}
			if id == "" || !known || id == "stream-changes" { // TestOfTheLogACallerSeesTheScope watches
				continue
			}
			where, body := r.call(method, path, id)
			for role, callers := range r.callers {
				if role < roleOf(id, method) {
					for scope, caller := range callers {
						if out := r.do(method, where, body, caller, loose, mediaOf(body)); out.status != 403 {
							t.Errorf("%s, %s %s: %d %.300s", id, role, scope, out.status, out.body)
						}
					}
					continue
				}
				r.checkScoped(t, id, rule, func(scope string) reply { return r.do(method, where, body, callers[scope], loose, mediaOf(body)) })
			}
		}
	}
}

// mediaOf returns the option that says what a body is.
func mediaOf(body any) option {
	if _, octets := body.([]byte); octets {
		return with("Content-Type", "application/octet-stream")
	}
	return with("X-Nothing", "")
}

// checkScoped makes a call with each scope, and compares the answers with the rule.
func (r *rightsRig) checkScoped(t *testing.T, id string, rule scopeRule, do func(scope string) reply) {
	t.Helper()
	within := do("within")
	if rule != wholeService && rule != noObject && within.status >= 400 {
		t.Errorf("%s within the scope: %d %.300s", id, within.status, within.body)
	}
	if rule == wholeService && within.status != 403 {
		t.Errorf("%s with a scope: %d %.300s", id, within.status, within.body)
	}
	for _, scope := range []string{"by adapter", "by label"} {
		out := do(scope)
		want := map[scopeRule][]int{
			oneObject: {404}, newObject: {403}, manyObjects: {200}, anyOperation: {403, 404, 422}, wholeService: {403}, noObject: {within.status},
		}[rule]
		if rule == newObject && scope == "by label" {
			want = []int{422}
		}
		if !slices.Contains(want, out.status) {
			t.Errorf("%s outside %s: %d, want %v: %.300s", id, scope, out.status, want, out.body)
		}
		for _, path := range r.objects {
			if rule == manyObjects && strings.Contains(string(out.body), fmt.Sprintf(`"%s"`, path[strings.LastIndex(path, "/")+1:])) {
				t.Errorf("%s outside %s shows %s", id, scope, path)
			}
		}
	}
}
