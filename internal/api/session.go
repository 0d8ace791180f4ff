package api

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"net/http"
	"reflect"
	"sync"
	"time"

	"github.com/datapi/datapi/internal/api/document"
	"github.com/datapi/datapi/internal/dat"
)

const (
	sessionCookie = "datapi_session"
	// sessionPath is the path of the calls that open and end sessions.
	sessionPath     = "/session"
	sessionLifetime = 12 * time.Hour
	// maxSessions bounds the memory that sessions take.
	maxSessions = 10_000
)

// sessions are the open sessions: when each ends, by the hash of its cookie, so that the process's memory holds no
// cookie that could be used. They end with the process.
type sessions struct {
	mu   sync.Mutex
	ends map[[sha256.Size]byte]time.Time
}

func newSessions() *sessions { return &sessions{ends: map[[sha256.Size]byte]time.Time{}} }

// start opens a session and returns the value of its cookie. Sessions that have ended are dropped, and where there are
// maxSessions, any others until there is room.
func (s *sessions) start(now time.Time) string {
	value := rand.Text() + rand.Text()
	s.mu.Lock()
	defer s.mu.Unlock()
	for key, end := range s.ends {
		if now.After(end) || len(s.ends) >= maxSessions {
			delete(s.ends, key)
		}
	}
	s.ends[sha256.Sum256([]byte(value))] = now.Add(sessionLifetime)
	return value
}

// isOpen reports whether the session of a cookie is open.
func (s *sessions) isOpen(value string, now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	end, ok := s.ends[sha256.Sum256([]byte(value))]
	return ok && now.Before(end)
}

// end closes the session of a cookie, if there is one.
func (s *sessions) end(value string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.ends, sha256.Sum256([]byte(value)))
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
		id: "start-session", method: http.MethodPost, path: sessionPath, tag: document.TagService, summary: "Trade a token for a session",
		about:  "With Authorization: Bearer. The answer sets an HttpOnly, SameSite=Strict cookie that signs later calls of the same browser in.",
		status: http.StatusCreated, answer: reflect.TypeFor[sessionInfo](),
	}, a.startSession)
	register(a, route{
		id: "end-session", method: http.MethodDelete, path: sessionPath, tag: document.TagService, summary: "End the session",
		status: http.StatusNoContent,
	}, a.endSession)
}

func (a *API) startSession(ctx context.Context, in *startSession) (*answer, error) {
	if err := in.refuseVersion(); err != nil {
		return nil, err
	}
	info, now := requestOf(ctx), time.Now()
	info.secretAnswer = true
	ans := a.ok(sessionInfo{Name: info.principal.name, Expires: dat.At(now.Add(sessionLifetime))})
	ans.Status = http.StatusCreated
	if !in.DryRun {
		ans.SetCookie = []string{setCookie(info, a.sessions.start(now), int(sessionLifetime/time.Second))}
	}
	return ans, nil
}

func (a *API) endSession(ctx context.Context, in *endSession) (*answer, error) {
	if err := in.refuseVersion(); err != nil {
		return nil, err
	}
	info := requestOf(ctx)
	ans := &answer{Status: http.StatusNoContent}
	if !in.DryRun {
		a.sessions.end(info.cookie)
		ans.SetCookie = []string{setCookie(info, "", -1)}
	}
	return ans, nil
}

// setCookie returns the header that gives the client the session's cookie; maxAge is in seconds, -1 removes it.
func setCookie(info *requestInfo, value string, maxAge int) string {
	c := http.Cookie{Name: sessionCookie, Value: value, Path: "/", MaxAge: maxAge, HttpOnly: true, Secure: info.tls, SameSite: http.SameSiteStrictMode}
	return c.String()
}
