package api

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"net/http"
	"reflect"
	"sync"
	"time"

	"github.com/datapi/datapi/internal/dat"
)

const (
	sessionCookie = "datapi_session"
	sessionFor    = 12 * time.Hour
	// sessionLimit bounds the memory that sessions take.
	sessionLimit = 10_000
)

// sessions are the open sessions by the hash of their cookie, so that a look into
// the memory gives no usable cookie. They end with the process.
type sessions struct {
	mu   sync.Mutex
	open map[[sha256.Size]byte]time.Time
}

func newSessions() sessions { return sessions{open: map[[sha256.Size]byte]time.Time{}} }

// start opens a session and gives the cookie's value.
func (s *sessions) start(now time.Time) string {
	value := rand.Text() + rand.Text()
	s.mu.Lock()
	defer s.mu.Unlock()
	for key, end := range s.open {
		if now.After(end) || len(s.open) >= sessionLimit {
			delete(s.open, key)
		}
	}
	s.open[sha256.Sum256([]byte(value))] = now.Add(sessionFor)
	return value
}

// lives tells whether a cookie's session is open.
func (s *sessions) lives(value string, now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	end, ok := s.open[sha256.Sum256([]byte(value))]
	return ok && now.Before(end)
}

// end closes a session.
func (s *sessions) end(value string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.open, sha256.Sum256([]byte(value)))
}

// sessionInfo is an open session.
type sessionInfo struct {
	Name    string   `json:"name" example:"admin" doc:"Who is signed in."`
	Expires dat.Time `json:"expires_at" doc:"When the session ends."`
}

type startSession struct {
	Write
	Body *noMembers
}

type endSession struct {
	Write
}

func (a *API) registerSession() {
	register(a, route{
		id: "start-session", method: http.MethodPost, path: "/session", tag: tagService, summary: "Trade a token for a session",
		about:  "With Authorization: Bearer. The answer sets an HttpOnly, SameSite=Strict cookie that signs later calls of the same browser in.",
		status: http.StatusCreated, answer: reflect.TypeFor[sessionInfo](),
	}, a.startSession)
	register(a, route{
		id: "end-session", method: http.MethodDelete, path: "/session", tag: tagService, summary: "End the session",
		status: http.StatusNoContent,
	}, a.endSession)
}

func (a *API) startSession(ctx context.Context, in *startSession) (*answer, error) {
	if err := in.refuseMatch(); err != nil {
		return nil, err
	}
	x, now := exchangeOf(ctx), time.Now()
	x.secret = true
	ans := a.ok(sessionInfo{Name: x.principal.name, Expires: dat.At(now.Add(sessionFor))})
	ans.Status = http.StatusCreated
	if !in.DryRun {
		ans.SetCookie = []string{a.cookie(x, a.sessions.start(now), int(sessionFor/time.Second))}
	}
	return ans, nil
}

func (a *API) endSession(ctx context.Context, in *endSession) (*answer, error) {
	if err := in.refuseMatch(); err != nil {
		return nil, err
	}
	x := exchangeOf(ctx)
	ans := &answer{Status: http.StatusNoContent}
	if !in.DryRun {
		a.sessions.end(x.cookie)
		ans.SetCookie = []string{a.cookie(x, "", -1)}
	}
	return ans, nil
}

func (a *API) cookie(x *exchange, value string, maxAge int) string {
	c := http.Cookie{Name: sessionCookie, Value: value, Path: "/", MaxAge: maxAge, HttpOnly: true, Secure: x.secure, SameSite: http.SameSiteStrictMode}
	return c.String()
}
