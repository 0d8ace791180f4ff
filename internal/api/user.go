package api

import (
	"context"
	"net/http"
	"reflect"
	"strconv"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"

	"github.com/datapi/datapi/internal/access"
	"github.com/datapi/datapi/internal/api/document"
	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/store"
)

// User is a user on the wire.
type User struct {
	Name        string   `json:"name" example:"kim" doc:"The user's name, by which it is addressed; the actor of its changes."`
	Role        string   `json:"role" enum:"viewer,operator,admin" doc:"What the user may do."`
	Scope       *scope   `json:"scope" doc:"To what the user is restricted; null for everything."`
	HasPassword bool     `json:"has_password" doc:"Whether the user can sign in with a password, and not by links alone."`
	CreatedAt   dat.Time `json:"created_at" doc:"When it was made."`
	CreatedBy   string   `json:"created_by" doc:"Who made it."`
}

// newUser is a user that was just made, with the link for its first sign-in where it has no password.
type newUser struct {
	User
	SignIn *signInLink `json:"signin" doc:"The link for the first sign-in, shown this once; null where there is a password."`
}

func userOf(u access.User) User {
	return User{Name: u.Name, Role: u.Role.String(), Scope: scopeOf(u.Scope), HasPassword: u.HasPassword, CreatedAt: dat.At(u.CreatedAt), CreatedBy: u.CreatedBy}
}

// UserPath is the path of one user.
type UserPath struct {
	Name string `path:"name" maxLength:"512" example:"kim" doc:"The user's name."`
}

// password is a secret that no problem repeats.
type password string

// Schema returns the schema of a password (huma.SchemaProvider).
func (password) Schema(huma.Registry) *huma.Schema {
	s := &huma.Schema{Type: huma.TypeString, Format: "password"}
	s.PrecomputeMessages()
	return s
}

type createUser struct {
	Write
	Body struct {
		Name     string       `json:"name" minLength:"1" maxLength:"63" pattern:"^[A-Za-z0-9._@-]+$" example:"kim" doc:"What the user is called."`
		Role     string       `json:"role" enum:"viewer,operator,admin" doc:"What the user may do."`
		Scope    *scopeCreate `json:"scope,omitempty" doc:"To what the user is restricted; null or left out for everything."`
		Password password     `json:"password,omitempty" doc:"12 to 1024 characters. Without one the answer holds a link for the first sign-in."`
	}
}

type patchUser struct {
	Write
	UserPath
	Body struct {
		Role     string                         `json:"role,omitempty" enum:"viewer,operator,admin" doc:"What the user may do."`
		Scope    document.Nullable[scopeCreate] `json:"scope,omitempty" doc:"To what the user is restricted; null for everything."`
		Password password                       `json:"password,omitempty" doc:"The new password, 12 to 1024 characters. The user's other sessions end."`
		Current  password                       `json:"current_password,omitempty" doc:"The password that is in force, for one's own."`
	}
}

type oneUser struct {
	Read
	UserPath
}

type deleteUser struct {
	Write
	UserPath
}

func (a *API) registerUsers() {
	register(a, route{
		id: "list-users", method: http.MethodGet, path: "/users", tag: document.TagAccess, summary: "List users",
		about: "By name.", answer: reflect.TypeFor[PageOf[User]](), role: access.Admin,
	}, a.listUsers)
	register(a, route{
		id: "create-user", method: http.MethodPost, path: "/users", tag: document.TagAccess, summary: "Make a user",
		about:  "With a password, or with a link in the answer that signs the user in once, for ten minutes.",
		status: http.StatusCreated, answer: reflect.TypeFor[newUser](), role: access.Admin,
	}, a.createUser)
	register(a, route{
		id: "get-user", method: http.MethodGet, path: "/users/{name}", tag: document.TagAccess, summary: "Get a user",
		answer: reflect.TypeFor[User](), role: access.Admin,
	}, a.getUser)
	register(a, route{
		id: "modify-user", method: http.MethodPatch, path: "/users/{name}", tag: document.TagAccess, summary: "Change what a user may do, or the password",
		about:  "An admin changes anything; everybody else only the own password, with current_password. Holds at once here, within 5 seconds on other nodes.",
		answer: reflect.TypeFor[User](), role: access.Viewer, bodyTypes: []string{document.MediaMergePatch},
	}, a.modifyUser)
	register(a, route{
		id: "delete-user", method: http.MethodDelete, path: "/users/{name}", tag: document.TagAccess, summary: "Delete a user",
		about:  "With all sessions, and their streams: at once here, within 5 seconds on other nodes.",
		status: http.StatusNoContent, role: access.Admin,
	}, a.deleteUser)
}

func (a *API) listUsers(ctx context.Context, _ *Read) (*answer, error) {
	return listAll(ctx, a, a.store.Users, userOf)
}

func (a *API) getUser(ctx context.Context, in *oneUser) (*answer, error) {
	u, err := a.store.User(ctx, in.Name)
	if err != nil {
		return nil, err
	}
	return a.ok(userOf(u)), nil
}

// hashOf returns the hash of a new password, "" for none.
func hashOf(ctx context.Context, given password) (string, error) {
	if given == "" {
		return "", nil
	}
	if n := utf8.RuneCountInString(string(given)); n < access.MinPassword || len(given) > access.MaxPassword {
		return "", &dat.Error{Return: dat.RetInvalidParameter, Field: "password", Detail: "a password has " + strconv.Itoa(access.MinPassword) + " to " + strconv.Itoa(access.MaxPassword) + " characters; this one has " + strconv.Itoa(n)}
	}
	return access.HashPassword(ctx, string(given))
}

func (a *API) createUser(ctx context.Context, in *createUser) (*answer, error) {
	scope, err := in.Body.Scope.input()
	if err != nil {
		return nil, err
	}
	info := requestOf(ctx)
	hash, err := hashOf(ctx, in.Body.Password)
	if err != nil {
		return nil, err
	}
	u := access.User{Name: in.Body.Name, Scope: scope, CreatedBy: info.principal.Name}
	if u.Role, err = access.ParseRole(in.Body.Role); err != nil {
		return nil, err
	}
	e := auditEntry(info, "create-user", in.Reason)
	e.Object, e.Detail = u.Name, grantOf(u.Role.String(), u.Scope)
	var signIn *signInLink
	show := func() *answer {
		ans := a.ok(newUser{User: userOf(u), SignIn: signIn})
		ans.Status = http.StatusCreated
		if !in.DryRun {
			ans.Location = basePath + "/users/" + u.Name
		}
		return ans
	}
	w, err := a.accessWrite(ctx, in.Write, e, show)
	if err != nil {
		return nil, err
	}
	var link *access.Hash
	if hash == "" {
		secret := access.NewSecret()
		h := access.HashOf(secret)
		link, signIn = &h, linkOf(info, secret)
		info.secretAnswer, info.made = true, &document.MadeRef{Type: "user", ID: u.Name}
		w.Answer = a.placeholder(info)
	}
	if err := a.store.CreateUser(ctx, &u, hash, link, w); err != nil {
		return nil, err
	}
	return show(), nil
}

func (a *API) modifyUser(ctx context.Context, in *patchUser) (*answer, error) {
	info := requestOf(ctx)
	if err := a.mayModifyUser(ctx, info, in); err != nil {
		return nil, err
	}
	c := store.UserChange{KeepSession: info.session, NewScope: in.Body.Scope.Present}
	var err error
	if c.Scope, err = in.Body.Scope.Value.input(); err != nil {
		return nil, err
	}
	if c.Password, err = hashOf(ctx, in.Body.Password); err != nil {
		return nil, err
	}
	e := auditEntry(info, "modify-user", in.Reason)
	e.Object = in.Name
	if in.Body.Role != "" {
		if c.Role, err = access.ParseRole(in.Body.Role); err != nil {
			return nil, err
		}
		e.Detail = "role " + in.Body.Role
	}
	if c.NewScope {
		e.Detail = grantOf(e.Detail, c.Scope)
	}
	if c.Password != "" {
		e.Detail += " password"
	}
	u := access.User{Name: in.Name}
	show := func() *answer { return a.ok(userOf(u)) }
	w, err := a.accessWrite(ctx, in.Write, e, show)
	if err != nil {
		return nil, err
	}
	if err := a.store.ChangeUser(ctx, &u, c, w); err != nil {
		return nil, err
	}
	if !in.DryRun {
		a.revokeUser(in.Name)
	}
	return show(), nil
}

// mayModifyUser refuses what is for admins, and a change of the own password without the one that is in force.
func (a *API) mayModifyUser(ctx context.Context, info *requestInfo, in *patchUser) error {
	own := info.principal.Kind == access.KindUser && info.principal.ID == in.Name
	switch {
	case info.principal.May(access.Admin) && !own:
		return nil
	case !own || (in.Body.Role != "" || in.Body.Scope.Present) && !info.principal.May(access.Admin):
		return document.NewProblem(document.KindNoRight, "An admin changes users; everybody else only the own password.")
	case in.Body.Password == "":
		return nil
	}
	hash, err := a.store.PasswordHash(ctx, in.Name)
	if err != nil || hash == "" {
		return err // who has none signed in with a link
	}
	_, refund, err := a.checkPassword(ctx, info, in.Name, string(in.Body.Current))
	if err != nil {
		if p := problemOf(err); p.Status == http.StatusUnauthorized {
			return &dat.Error{Return: dat.RetInvalidParameter, Field: "current_password", Detail: "current_password is not the password that is in force"}
		}
		return err
	}
	refund()
	return nil
}

// revokeUser ends what is remembered of a user's sessions; those that are still open are looked up anew.
func (a *API) revokeUser(name string) {
	a.credentials.Revoke(func(f access.Found) bool { return f.Kind == access.KindUser && f.ID == name })
}

func (a *API) deleteUser(ctx context.Context, in *deleteUser) (*answer, error) {
	e := auditEntry(requestOf(ctx), "delete-user", in.Reason)
	e.Object = in.Name
	w, err := a.accessWrite(ctx, in.Write, e, noContent)
	if err != nil {
		return nil, err
	}
	if err := a.store.DeleteUser(ctx, in.Name, w); err != nil {
		return nil, err
	}
	if !in.DryRun {
		a.revokeUser(in.Name)
	}
	return noContent(), nil
}
