package api

import (
	"net/http"
	"reflect"
	"strings"

	"github.com/datapi/datapi/internal/access"
	"github.com/datapi/datapi/internal/api/document"
)

// route describes one call of the API. The file of each resource lists its routes and hands them to register.
type route struct {
	// id is verb-noun in kebab case, path is relative to /api/v1.
	id, method, path string
	// tag is one of document's tags.
	tag            string
	summary, about string
	// status is that of the call when it is done; 0 stands for 200.
	status int
	// later reports that the call may also answer 202 before it is done, or 200 after a wait (Prefer: wait=N).
	later bool
	// answer is the Go type of the body, nil where there is none.
	answer reflect.Type
	// answerType is the body's media type; "" stands for JSON.
	answerType string
	// otherMedia are the media types that the call answers with where they are asked for.
	otherMedia []string
	// bodyTypes are the media types that the call takes beside JSON.
	bodyTypes []string
	// maxBody is in bytes; 0 stands for 1 MiB.
	maxBody int64
	// versioned reports that answers carry an ETag, makes that they carry a Location.
	versioned, makes bool
	// mayBeEmpty are query parameters that may be present and empty.
	mayBeEmpty []string
	// unrecorded reports that a write is no change of an object, such as a posting: nothing of it is committed.
	unrecorded bool
	// live is what of a read only the node knows that has the object.
	live liveness
	// role is who may make the call; NoRole stands for viewers where it reads, and operators where it writes. open reports
	// that nobody is asked who they are.
	role access.Role
	open bool
	// refusals are the statuses that this call has beside those of every read or write.
	refusals []int
}

// liveness is what of an answer only the node knows that has the object.
type liveness int

const (
	// ownRecord: the answer is what is recorded, or this node's own.
	ownRecord liveness = iota
	// partlyLive: some members; without the owner they are null.
	partlyLive
	// whollyLive: the whole answer; without the owner there is none.
	whollyLive
)

// isWrite reports whether the call changes something.
func (r route) isWrite() bool { return r.method != http.MethodGet }

// needs returns the role that the call needs.
func (r route) needs() access.Role {
	switch {
	case r.open:
		return access.NoRole
	case r.role != access.NoRole:
		return r.role
	case r.isWrite():
		return access.Operator
	}
	return access.Viewer
}

// media returns the media type of the route's answers.
func (r route) media() string {
	if r.answerType == "" {
		return document.MediaJSON
	}
	return r.answerType
}

// answers returns what the document says of the route's answers.
func (r route) answers() document.Answers {
	return document.Answers{
		Call: r.id, Status: r.status, Later: r.later, Body: r.answer, Media: r.media(), Versioned: r.versioned, Creates: r.makes, Replayable: r.isWrite(),
		PassedOn: r.isPassedOn(),
		Refusals: r.allRefusals(),
	}
}

// isPassedOn reports whether the call may be answered by another node, which owns its object. What is about the service
// itself belongs to no node.
func (r route) isPassedOn() bool {
	return r.isWrite() && r.tag != document.TagService && r.tag != document.TagAccess || r.live != ownRecord
}

// allRefusals returns the statuses of all problems that the route can answer with.
func (r route) allRefusals() []int {
	all := []int{400, 401, 403, 406, 429, 500, 503}
	if namesObject := strings.Contains(r.path, "{"); namesObject {
		all = append(all, 404)
	}
	if r.isPassedOn() {
		all = append(all, 421, 504)
	}
	if r.isWrite() {
		all = append(all, 408, 409, 412, 413, 415, 421, 422, 501, 507)
	}
	return append(all, r.refusals...)
}
