package api

import (
	"context"
	"net/http"
	"reflect"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/datapi/datapi/internal/access"
	"github.com/datapi/datapi/internal/api/document"
	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/store"
)

// Token is a token on the wire, without its secret.
type Token struct {
	ID        string    `json:"id" doc:"The token's id; it is no secret."`
	Name      string    `json:"name" example:"backup-job" doc:"The actor of the changes that are made with it."`
	Role      string    `json:"role" enum:"viewer,operator,admin" doc:"What it may do."`
	Scope     *scope    `json:"scope" doc:"To what it is restricted; null for everything."`
	ExpiresAt *dat.Time `json:"expires_at" doc:"When it ends, null for never."`
	CreatedAt dat.Time  `json:"created_at" doc:"When it was made."`
	CreatedBy string    `json:"created_by" doc:"Who made it."`
}

// newToken is a token with its secret.
type newToken struct {
	Token
	Secret string `json:"token" doc:"The secret, shown this once. Send it as Authorization: Bearer."`
}

func tokenOf(t access.Token) Token {
	v := Token{ID: t.ID, Name: t.Name, Role: t.Role.String(), Scope: scopeOf(t.Scope), CreatedAt: dat.At(t.CreatedAt), CreatedBy: t.CreatedBy}
	if t.ExpiresAt != nil {
		v.ExpiresAt = timeOrNull(*t.ExpiresAt)
	}
	return v
}

type createToken struct {
	Write
	Body struct {
		Name      string       `json:"name" minLength:"1" maxLength:"63" pattern:"^[A-Za-z0-9._@-]+$" example:"backup-job" doc:"What it is called; unique among tokens."`
		Role      string       `json:"role" enum:"viewer,operator,admin" doc:"What it may do."`
		Scope     *scopeCreate `json:"scope,omitempty" doc:"To what it is restricted; null or left out for everything."`
		ExpiresAt *dat.Time    `json:"expires_at,omitempty" doc:"When it ends; null or left out for never."`
	}
}

type patchToken struct {
	Write
	TokenPath
	Body struct {
		Role      string                         `json:"role,omitempty" enum:"viewer,operator,admin" doc:"What it may do."`
		Scope     document.Nullable[scopeCreate] `json:"scope,omitempty" doc:"To what it is restricted; null for everything."`
		ExpiresAt document.Nullable[dat.Time]    `json:"expires_at,omitempty" doc:"When it ends; null for never."`
	}
}

// TokenPath is the path of one token.
type TokenPath struct {
	ID string `path:"id" maxLength:"512" doc:"The token's id, or its name."`
}

type oneToken struct {
	Read
	TokenPath
}

type deleteToken struct {
	Write
	TokenPath
}

func (a *API) registerTokens() {
	register(a, route{
		id: "list-tokens", method: http.MethodGet, path: "/tokens", tag: document.TagAccess, summary: "List tokens",
		about: "In the order in which they were made, without their secrets.", answer: reflect.TypeFor[PageOf[Token]](), role: access.Admin,
	}, a.listTokens)
	register(a, route{
		id: "create-token", method: http.MethodPost, path: "/tokens", tag: document.TagAccess, summary: "Make a token",
		about:  "The answer holds its secret, which is not kept and never shown again. That of a dry run is never valid.",
		status: http.StatusCreated, answer: reflect.TypeFor[newToken](), role: access.Admin,
	}, a.createToken)
	register(a, route{
		id: "get-token", method: http.MethodGet, path: "/tokens/{id}", tag: document.TagAccess, summary: "Get a token",
		answer: reflect.TypeFor[Token](), role: access.Admin,
	}, a.getToken)
	register(a, route{
		id: "modify-token", method: http.MethodPatch, path: "/tokens/{id}", tag: document.TagAccess, summary: "Change what a token may do, or when it ends",
		about:  "Holds at once here, within 5 seconds on other nodes.",
		answer: reflect.TypeFor[Token](), role: access.Admin, bodyTypes: []string{document.MediaMergePatch},
	}, a.modifyToken)
	register(a, route{
		id: "delete-token", method: http.MethodDelete, path: "/tokens/{id}", tag: document.TagAccess, summary: "Revoke a token",
		about:  "With the sessions that were opened with it, and their streams: at once here, within 5 seconds on other nodes.",
		status: http.StatusNoContent, role: access.Admin,
	}, a.deleteToken)
}

func (a *API) listTokens(ctx context.Context, _ *Read) (*answer, error) {
	return listAll(ctx, a, a.store.Tokens, tokenOf)
}

func (a *API) getToken(ctx context.Context, in *oneToken) (*answer, error) {
	t, err := a.store.Token(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	return a.ok(tokenOf(t)), nil
}

// refusePast refuses an end that has come already.
func refusePast(at *dat.Time) error {
	if at == nil || at.After(time.Now()) {
		return nil
	}
	return &dat.Error{Return: dat.RetInvalidParameter, Field: "expires_at", Detail: "expires_at is in the past; give a time to come, or null"}
}

func (a *API) createToken(ctx context.Context, in *createToken) (*answer, error) {
	if err := in.refuseVersion(); err != nil {
		return nil, err
	}
	if err := refusePast(in.Body.ExpiresAt); err != nil {
		return nil, err
	}
	info := requestOf(ctx)
	t := access.Token{ID: uuid.Must(uuid.NewV7()).String(), Name: in.Body.Name, CreatedBy: info.principal.Name}
	var err error
	if t.Scope, err = in.Body.Scope.input(); err != nil {
		return nil, err
	}
	if t.Role, err = access.ParseRole(in.Body.Role); err != nil {
		return nil, err
	}
	if in.Body.ExpiresAt != nil {
		at := in.Body.ExpiresAt.Time
		t.ExpiresAt = &at
	}
	secret := access.NewToken()
	info.secretAnswer, info.made = true, &document.MadeRef{Type: "token", ID: t.ID}
	e := auditEntry(info, "create-token", in.Reason)
	e.Object, e.Detail = t.Name, grantOf(t.Role.String(), t.Scope)
	made, err := a.store.CreateToken(ctx, t, access.HashOf(secret), store.AccessWrite{Entry: e, Answer: a.placeholder(info), DryRun: in.DryRun})
	if err != nil {
		return nil, err
	}
	ans := a.ok(newToken{Token: tokenOf(made), Secret: secret})
	ans.Status = http.StatusCreated
	if !in.DryRun {
		ans.Location = basePath + "/tokens/" + made.ID
	}
	return ans, nil
}

func (a *API) modifyToken(ctx context.Context, in *patchToken) (*answer, error) {
	scope, err := in.Body.Scope.Value.input()
	if err != nil {
		return nil, err
	}
	if err := refusePast(in.Body.ExpiresAt.Value); err != nil {
		return nil, err
	}
	e := auditEntry(requestOf(ctx), "modify-token", in.Reason)
	e.Object, e.Detail = in.ID, in.Body.Role
	if in.Body.Scope.Present {
		e.Detail = grantOf(in.Body.Role, scope)
	}
	var changed *access.Token
	show := func() *answer { return a.ok(tokenOf(*changed)) }
	w, err := a.accessWrite(ctx, in.Write, e, show)
	if err != nil {
		return nil, err
	}
	err = a.store.ChangeToken(ctx, in.ID, w, func(t *access.Token) error {
		changed = t
		if in.Body.Role != "" {
			var err error
			if t.Role, err = access.ParseRole(in.Body.Role); err != nil {
				return err
			}
		}
		if in.Body.Scope.Present {
			t.Scope = scope
		}
		if in.Body.ExpiresAt.Present {
			t.ExpiresAt = nil
			if at := in.Body.ExpiresAt.Value; at != nil {
				t.ExpiresAt = &at.Time
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if !in.DryRun {
		a.revokeToken(changed.ID)
	}
	return show(), nil
}

// grantOf returns what the audit says of a role, "" for none, and a scope.
func grantOf(role string, s *access.Scope) string {
	if s == nil {
		return strings.TrimSpace(role + " everywhere")
	}
	return strings.TrimSpace(role + " in " + string(encode(scopeOf(s))))
}

// revokeToken ends what is remembered of a token, and of the sessions that were opened with it.
func (a *API) revokeToken(id string) {
	a.credentials.Revoke(func(f access.Found) bool { return f.Kind == access.KindToken && f.ID == id })
}

func (a *API) deleteToken(ctx context.Context, in *deleteToken) (*answer, error) {
	e := auditEntry(requestOf(ctx), "delete-token", in.Reason)
	e.Object = in.ID
	w, err := a.accessWrite(ctx, in.Write, e, noContent)
	if err != nil {
		return nil, err
	}
	t, err := a.store.DeleteToken(ctx, in.ID, w)
	if err != nil {
		return nil, err
	}
	if !in.DryRun {
		a.revokeToken(t.ID)
	}
	return noContent(), nil
}
