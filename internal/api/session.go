package api

import (
	"context"
	"errors"
	"net/http"
	"reflect"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/datapi/datapi/internal/access"
	"github.com/datapi/datapi/internal/api/document"
	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/store"
)

const (
	// sessionCookie is what the name of a session's cookie begins with; the rest tells services of one host apart.
	sessionCookie = "datapi_session"
	// sessionPath is the path of the calls that open and end a session.
	sessionPath = "/session"
)

// cookieName returns the name of the session's cookie.
func (a *API) cookieName(info *requestInfo) string {
	name := sessionCookie + "_" + a.storeID
	if info.tls {
		return "__Host-" + name // which no page of a neighbouring name can set
	}
	return name
}

// startSessionBody says who signs in: with a token, a name and a password, or a link.
type startSessionBody struct {
	Token    string `json:"token,omitempty" maxLength:"512" doc:"A token."`
	Name     string `json:"name,omitempty" maxLength:"512" doc:"A user's name, together with password."`
	Password string `json:"password,omitempty" maxLength:"1024" doc:"The user's password."`
	Link     string `json:"link,omitempty" maxLength:"512" doc:"The secret of a link that signs in once: what comes after #signin= in it."`
}

type startSession struct {
	Write
	Agent string `header:"User-Agent" hidden:"true"`
	Body  *startSessionBody
}

type endSession struct {
	Write
}

// Session is a session on the wire.
type Session struct {
	ID        string      `json:"id" doc:"The session's id."`
	Name      string      `json:"name" doc:"Who is signed in."`
	Kind      access.Kind `json:"kind" enum:"user,token" doc:"What that is."`
	Role      string      `json:"role" enum:"viewer,operator,admin" doc:"What the session may do."`
	Current   bool        `json:"current" doc:"Whether the call was made with it."`
	CreatedAt dat.Time    `json:"created_at" doc:"When it was opened."`
	SeenAt    dat.Time    `json:"seen_at" doc:"When it was used last, to within five minutes."`
	ExpiresAt dat.Time    `json:"expires_at" doc:"When it ends, however much it is used; it ends 12 hours after its last use, too."`
	Address   string      `json:"address" doc:"The address that opened it; of IPv6 the network."`
	Agent     string      `json:"agent" doc:"The User-Agent that opened it."`
}

type endOneSession struct {
	Write
	ObjectPath
}

// signInLink is a link that signs somebody in once.
type signInLink struct {
	Link      string   `json:"link" doc:"The secret: what comes after #signin= in url."`
	URL       string   `json:"url" doc:"The page's address with it."`
	ExpiresAt dat.Time `json:"expires_at" doc:"When it can no longer be used."`
}

type createLink struct {
	Write
	Body *noMembers
}

func (a *API) registerSession() {
	register(a, route{
		id: "start-session", method: http.MethodPost, path: sessionPath, tag: document.TagAccess, summary: "Sign in: open a session",
		about: "With a token, with a name and a password, or with a link, in the body; or with Authorization: Bearer and no body. The answer sets an HttpOnly, SameSite=Strict cookie " +
			"that signs later calls of the same browser in. Wrong passwords are slowed down by user and by address.",
		status: http.StatusCreated, answer: reflect.TypeFor[whoami](), open: true,
	}, a.startSession)
	register(a, route{
		id: "end-session", method: http.MethodDelete, path: sessionPath, tag: document.TagAccess, summary: "Sign out: end the session",
		status: http.StatusNoContent, role: access.Viewer,
	}, a.endSession)
	register(a, route{
		id: "list-sessions", method: http.MethodGet, path: "/sessions", tag: document.TagAccess, summary: "List sessions",
		about: "One's own; an admin sees everybody's.", answer: reflect.TypeFor[PageOf[Session]](),
	}, a.listSessions)
	register(a, route{
		id: "end-one-session", method: http.MethodDelete, path: "/sessions/{id}", tag: document.TagAccess, summary: "End a session",
		about: "One's own; an admin ends everybody's. Its streams end too.", status: http.StatusNoContent, role: access.Viewer,
	}, a.endOneSession)
	register(a, route{
		id: "create-signin-link", method: http.MethodPost, path: "/signin-links", tag: document.TagAccess, summary: "Make a link that signs in once",
		about:  "It opens the page signed in as the caller; it can be used once, for ten minutes.",
		status: http.StatusCreated, answer: reflect.TypeFor[signInLink](), role: access.Viewer,
	}, a.createLink)
}

func (a *API) startSession(ctx context.Context, in *startSession) (*answer, error) {
	if err := in.refuseVersion(); err != nil {
		return nil, err
	}
	info := requestOf(ctx)
	if a.open {
		ans := a.ok(a.whoami(info))
		ans.Status = http.StatusCreated
		return ans, nil
	}
	n, refund, err := a.whoSignsIn(ctx, info, in.Body)
	if err != nil {
		a.noteFailedSignIn(info, in.Body, err)
		return nil, err
	}
	cookie := access.NewSecret()
	n.Hash, n.Address, n.Agent = access.HashOf(cookie), info.address, in.Agent
	info.secretAnswer, info.by = true, bySession
	info.principal = n.Of
	s, err := a.store.OpenSession(ctx, n, store.AccessWrite{Entry: auditEntry(info, "start-session", in.Reason), DryRun: in.DryRun, Answer: a.placeholder(info)})
	if err != nil {
		if problemOf(err).Kind() == document.KindWrongLink {
			a.metrics.wrong.WithLabelValues(wrongLink).Inc()
		}
		a.noteFailedSignIn(info, in.Body, err)
		return nil, err
	}
	refund()
	info.principal = s.Principal
	info.principal.ExpiresAt = s.ExpiresAt
	ans := a.ok(a.whoami(info))
	ans.Status = http.StatusCreated
	if !in.DryRun {
		ans.SetCookie = []string{a.setCookie(info, cookie, int(access.SessionLifetime/time.Second))}
	}
	return ans, nil
}

// whoSignsIn returns for whom a session is to be opened. refund gives back what an attempt with a right secret has cost.
func (a *API) whoSignsIn(ctx context.Context, info *requestInfo, body *startSessionBody) (n store.NewSession, refund func(), err error) {
	refund = func() {}
	if local, ok := a.credentials.Local(); ok {
		n.Local = &local
	}
	switch {
	case body == nil || *body == startSessionBody{}:
		if info.by != byToken {
			return n, refund, unauthorized()
		}
		n.Of = info.principal
	case body.Token != "" && body.Name == "" && body.Password == "" && body.Link == "":
		found, ok, err := a.credentials.Token(ctx, body.Token)
		if p := a.take(info, byToken, found, ok, err); p != nil {
			return n, refund, p
		}
		n.Of = info.principal
	case body.Name != "" && body.Token == "" && body.Link == "":
		n.Of, refund, err = a.checkPassword(ctx, info, body.Name, body.Password)
		if err != nil {
			return n, refund, err
		}
	case body.Link != "" && body.Token == "" && body.Name == "" && body.Password == "":
		if !a.wrong.allow(info.address, time.Now()) {
			return n, refund, tooManyWrong("Your address has")
		}
		refund = func() { a.wrong.refund(info.address, time.Now()) }
		link := access.HashOf(body.Link)
		n.Link = &link
		return n, refund, nil
	default:
		return n, refund, document.NewProblem(document.KindInvalidMember, "Give one of these: token; name and password; link.")
	}
	if n.Of != access.LocalAdmin {
		n.Local = nil
	}
	return n, refund, nil
}

// checkPassword returns the user of a name and password. Each attempt counts for the user and for the address before
// anything is computed, and refund gives it back where the password was right.
func (a *API) checkPassword(ctx context.Context, info *requestInfo, name, password string) (p access.Principal, refund func(), err error) {
	now := time.Now()
	refund = func() {
		a.wrongPasswords.refund("user "+name, time.Now())
		a.wrongPasswords.refund(info.address, time.Now())
	}
	if !a.wrongPasswords.allow("user "+name, now) || !a.wrongPasswords.allow(info.address, now) {
		return p, func() {}, tooManyWrong("For this user, or from your address, somebody has")
	}
	hash, err := a.store.PasswordHash(ctx, name)
	if err != nil {
		refund()
		return p, refund, err
	}
	right, err := access.CheckPassword(ctx, hash, password)
	if err != nil {
		refund()
		return p, refund, err
	}
	if !right {
		a.metrics.wrong.WithLabelValues(wrongPassword).Inc()
		return p, refund, document.NewProblem(document.KindUnauthorized, "The name or the password is wrong.")
	}
	u, err := a.store.User(ctx, name)
	return access.Principal{Kind: access.KindUser, ID: u.Name, Name: u.Name, Role: u.Role, Scope: u.Scope}, refund, err
}

// noteFailedSignIn notes in the audit that somebody could not sign in with what was given. What is refused before it is
// looked at is not noted: there may be any number of it.
func (a *API) noteFailedSignIn(info *requestInfo, body *startSessionBody, err error) {
	if problemOf(err).Status != http.StatusUnauthorized || body == nil || *body == (startSessionBody{}) {
		return
	}
	e := auditEntry(info, "start-session", "")
	e.Outcome, e.Detail = access.OutcomeRefused, problemOf(err).Detail
	e.Object = body.Name
	if e.Actor == "" {
		e.Actor, e.ActorKind = access.Anonymous.Name, access.KindAnonymous
	}
	a.audit.note(e)
}

// placeholder returns what is stored in the commit of a call whose answer carries a secret: nil without an Idempotency-Key.
func (a *API) placeholder(info *requestInfo) *dat.KeyedAnswer {
	if info.retryKey == nil {
		return nil
	}
	stored := info.retryKey.keyed(0, 0)
	stored.Make = func(dat.Object) (int, map[string]string, []byte) {
		return info.retryKey.giveRecorder(inPlaceOfSecret(info, info.retryKey.hash))
	}
	return &stored
}

func (a *API) endSession(ctx context.Context, in *endSession) (*answer, error) {
	if err := in.refuseVersion(); err != nil {
		return nil, err
	}
	info := requestOf(ctx)
	ans := noContent()
	if in.DryRun {
		return ans, nil
	}
	if info.session != "" {
		if err := a.closeSession(ctx, info.session, in.Write); err != nil {
			return nil, err
		}
	}
	ans.SetCookie = []string{a.setCookie(info, "", -1)}
	return ans, nil
}

// closeSession ends a session, here at once.
func (a *API) closeSession(ctx context.Context, id string, w Write) error {
	e := auditEntry(requestOf(ctx), "end-session", w.Reason)
	e.Object = id
	c, err := a.accessWrite(ctx, w, e, noContent)
	if err != nil {
		return err
	}
	if err := a.store.EndSession(ctx, id, c); err != nil || w.DryRun {
		return err
	}
	a.credentials.Revoke(func(f access.Found) bool { return f.Session == id })
	return nil
}

// accessWrite returns how a change of who may is made: the answer, which show makes after the change, is stored in its
// commit.
func (a *API) accessWrite(ctx context.Context, w Write, e access.Entry, show func() *answer) (store.AccessWrite, error) {
	if err := w.refuseVersion(); err != nil {
		return store.AccessWrite{}, err
	}
	c, err := a.call(ctx, w, func(dat.Object) *answer { return show() })
	return store.AccessWrite{Entry: e, Answer: c.Answer, DryRun: w.DryRun}, err
}

func (a *API) listSessions(ctx context.Context, _ *Read) (*answer, error) {
	info := requestOf(ctx)
	local, _ := a.credentials.Local()
	read := func(ctx context.Context) ([]access.Session, error) {
		all, err := a.store.Sessions(ctx, local)
		return slices.DeleteFunc(all, func(s access.Session) bool { return !mayEnd(info, s) }), err
	}
	return listAll(ctx, a, read, func(s access.Session) Session {
		return Session{
			ID: s.ID, Name: s.Principal.Name, Kind: s.Principal.Kind, Role: s.Principal.Role.String(), Current: s.ID == info.session,
			CreatedAt: dat.At(s.CreatedAt), SeenAt: dat.At(s.SeenAt), ExpiresAt: dat.At(s.ExpiresAt), Address: s.Address, Agent: s.Agent,
		}
	})
}

// mayEnd reports whether a session is the caller's own, or the caller an admin.
func mayEnd(info *requestInfo, s access.Session) bool {
	return info.principal.May(access.Admin) || s.Principal.Key() == info.principal.Key()
}

func (a *API) endOneSession(ctx context.Context, in *endOneSession) (*answer, error) {
	local, _ := a.credentials.Local()
	all, err := a.store.Sessions(ctx, local)
	if err != nil {
		return nil, err
	}
	for _, s := range all {
		if s.ID == in.ID && mayEnd(requestOf(ctx), s) {
			return noContent(), a.closeSession(ctx, s.ID, in.Write)
		}
	}
	return nil, document.NewProblem(document.KindNoRecord, "There is no such session; it may have ended.")
}

func (a *API) createLink(ctx context.Context, in *createLink) (*answer, error) {
	if err := in.refuseVersion(); err != nil {
		return nil, err
	}
	info := requestOf(ctx)
	if a.open {
		return nil, document.NewProblem(document.KindNoRight, "Nobody signs in here: this service asks nobody who they are.")
	}
	var local *access.Hash
	if hash, ok := a.credentials.Local(); ok && info.principal.ID == "" {
		local = &hash
	}
	info.secretAnswer = true
	secret := access.NewSecret()
	w := store.AccessWrite{Entry: auditEntry(info, "create-signin-link", in.Reason), Answer: a.placeholder(info), DryRun: in.DryRun}
	if err := a.store.CreateLink(ctx, access.HashOf(secret), info.principal, local, w); err != nil {
		return nil, err
	}
	ans := a.ok(linkOf(info, secret))
	ans.Status = http.StatusCreated
	return ans, nil
}

// linkOf returns a link of a secret: the page's address with it, behind the # that browsers send to no server.
func linkOf(info *requestInfo, secret string) *signInLink {
	scheme := map[bool]string{true: "https", false: "http"}[info.tls]
	return &signInLink{Link: secret, URL: scheme + "://" + info.host + "/#signin=" + secret, ExpiresAt: dat.At(time.Now().Add(access.LinkLifetime))}
}

// SignInLink makes a link that signs in whoever has the token that the service was started with, and returns its secret.
// Errors are those of the database.
func (a *API) SignInLink(ctx context.Context) (string, error) {
	local, ok := a.credentials.Local()
	if !ok {
		return "", errors.New("nobody signs in to a service that asks nobody who they are")
	}
	secret := access.NewSecret()
	e := access.Entry{
		Actor: access.LocalAdmin.Name, ActorKind: access.LocalAdmin.Kind, Action: "create-signin-link", Outcome: access.OutcomeDone,
		Detail: "printed at the start", RequestID: uuid.Must(uuid.NewV7()).String(),
	}
	return secret, a.store.CreateLink(ctx, access.HashOf(secret), access.LocalAdmin, &local, store.AccessWrite{Entry: e})
}

// setCookie returns the header that gives the client the session's cookie; maxAge is in seconds, -1 removes it.
func (a *API) setCookie(info *requestInfo, value string, maxAge int) string {
	c := http.Cookie{Name: a.cookieName(info), Value: value, Path: "/", MaxAge: maxAge, HttpOnly: true, Secure: info.tls, SameSite: http.SameSiteStrictMode}
	return c.String()
}
