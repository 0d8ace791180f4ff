package main

import "slices"

// memberRole is what somebody may do.
var memberRole = field("role", text, "what it may do").of("viewer", "operator", "admin")

// memberScope is to which objects somebody is restricted.
var memberScope = []member{
	field("scope.ias", words, "adapter to whose objects it is restricted, by id (soft0@node) or, for every node, by name; repeat for more").as("scope-ia"),
	field("scope.labels", pairs, "label that objects must have, as key=value; repeat for more, of which they must have all").as("scope-label"),
}

// memberNoScope takes the restriction away.
var memberNoScope = field("scope", raw, "null lifts the restriction")

var tokenNoun = noun{
	name: "token", objects: "tokens of programs", path: "/tokens", hint: "role",
	columns: []string{"id", "name", "role", "scope", "expires_at", "created_at", "created_by"},
	verbs: []verb{
		{name: "list", method: "GET", answer: list, help: "List the tokens, without their secrets", also: []string{"ls"}},
		{name: "show", method: "GET", path: "/{id}", help: "Show tokens, by name or id", many: true},
		{
			name: "create", method: "POST", help: "Make a token; its secret is shown this once", past: "created", secret: "token",
			body: slices.Concat([]member{
				field("name", text, "what it is called: the actor of the changes that are made with it").required(),
				memberRole.required(), field("expires_at", text, "when it ends, as 2030-01-31T12:00:00Z"),
			}, memberScope),
		},
		{
			name: "modify", method: "PATCH", path: "/{id}", help: "Change what a token may do, or when it ends", past: "modified",
			body: slices.Concat([]member{memberRole, field("expires_at", text, "when it ends, as 2030-01-31T12:00:00Z"), memberNoScope}, memberScope),
		},
		{
			name: "delete", method: "DELETE", path: "/{id}", help: "Revoke tokens, with the sessions that were opened with them", past: "revoked", many: true,
			suggested: []string{"revoke"},
		},
	},
}

var userNoun = noun{
	name: "user", objects: "users", path: "/users", hint: "role",
	columns: []string{"name", "role", "scope", "has_password", "created_at", "created_by"},
	verbs: []verb{
		{name: "list", method: "GET", answer: list, help: "List the users", also: []string{"ls"}},
		{name: "show", method: "GET", path: "/{name}", help: "Show users", many: true},
		{
			name: "create", method: "POST", help: "Make a user; the link for the first sign-in is shown this once", past: "created", secret: "signin.url",
			body: slices.Concat([]member{field("name", text, "what the user is called").required(), memberRole.required()}, memberScope),
		},
		{name: "modify", method: "PATCH", path: "/{name}", help: "Change what a user may do", past: "modified", body: slices.Concat([]member{memberRole, memberNoScope}, memberScope)},
		{name: "delete", method: "DELETE", path: "/{name}", help: "Delete users, with their sessions", past: "deleted", many: true},
	},
}

var sessionNoun = noun{
	name: "session", objects: "sessions of browsers", path: "/sessions", hint: "name",
	columns: []string{"id", "name", "role", "created_at", "seen_at", "expires_at", "address", "agent"},
	verbs: []verb{
		{name: "list", method: "GET", answer: list, help: "List one's own sessions; an admin sees everybody's", also: []string{"ls"}},
		{name: "end", method: "DELETE", path: "/{id}", help: "End sessions, with their streams", past: "ended", many: true},
	},
}

var auditNoun = noun{
	name: "audit", objects: "what was done about who may, and what was refused", path: "/audit",
	columns: []string{"id", "at", "actor", "action", "object", "outcome", "address", "reason", "detail"},
	wide:    []string{"actor_kind", "node", "request_id"},
	verbs: []verb{{
		name: "list", method: "GET", answer: list, help: "List it, newest first", also: []string{"ls"},
		query: []member{
			field("limit", number, "rows of one answer, 1 to 1000"), field("cursor", text, "where the answer before ended"),
			field("since", moment, "from this time on: 2026-01-31T12:00:00Z, or 10m, 2h, 3d ago"), field("until", moment, "up to this time"),
			filter("actor", "actors"), filter("action", "calls, as create-token"), filter("outcome", "outcomes").of("done", "refused"),
		},
	}},
}

// signInNoun is the link that opens the page signed in.
var signInNoun = noun{
	name: "signin", objects: "links that sign in once", path: "/signin-links", single: true,
	columns: []string{"url", "expires_at"},
	verbs: []verb{{
		name: "signin", method: "POST", secret: "url",
		help: "Print a link that opens the page signed in as whose token this is; it works once, for ten minutes",
	}},
}
