package api

import (
	"context"
	"net/http"
	"time"

	"github.com/datapi/datapi/internal/access"
	"github.com/datapi/datapi/internal/api/document"
)

// checkRight refuses a call that the caller's role does not allow, which is noted in the audit, and a write of a caller
// whose credential may have been revoked since the database went away.
func (a *API) checkRight(r route, request *http.Request) *document.Problem {
	info := requestOf(request.Context())
	if need := r.needs(); !info.principal.May(need) {
		detail := "This needs the role " + need.String() + "; " + info.principal.Name + " is " + info.principal.Role.String() + "."
		remedy := " Ask somebody with that role, or sign in as another one."
		if info.principal.Role >= need {
			detail, remedy = "This is about the whole service; "+info.principal.Name+" is restricted to a scope.", " Ask an admin without one."
		}
		a.noteRefusedRight(request, r.id, detail)
		return document.NewProblem(document.KindNoRight, detail+remedy)
	}
	if info.unverified && r.isWrite() && !r.open {
		return document.NewProblem(document.KindStoreAway, "The database cannot be asked whether the credential is still good, so it is taken for reads only. Repeat the call when the database is back.")
	}
	return nil
}

// maxRefusedRights is how many refusals of one principal the audit notes in a minute: a script that was given the wrong
// token must not fill it.
const maxRefusedRights = 60

// noteRefusedRight notes in the audit that a call was refused.
func (a *API) noteRefusedRight(request *http.Request, action, detail string) {
	a.noteRefused(requestOf(request.Context()), action, request.Header.Get("X-Change-Reason"), detail)
}

// noteOutside notes in the audit that a call was refused because of the caller's scope.
func (a *API) noteOutside(ctx context.Context, action string, refusal error) {
	info := requestOf(ctx)
	if p := problemOf(refusal); info.principal.Scope != nil && p.Type == document.NewProblem(document.KindNoRight, "").Type {
		a.noteRefused(info, action, "", p.Detail)
	}
}

// noteRefused notes a refusal, but for those of one principal that are too many.
func (a *API) noteRefused(info *requestInfo, action, reason, detail string) {
	if !a.refusedRights.allow(info.principal.Key(), time.Now()) {
		return
	}
	e := auditEntry(info, action, reason)
	e.Object, e.Outcome, e.Detail = info.path, access.OutcomeRefused, detail
	a.audit.note(e)
}

// auditEntry returns the line of the audit for what a request has done.
func auditEntry(info *requestInfo, action, reason string) access.Entry {
	return access.Entry{
		Actor: info.principal.Name, ActorKind: info.principal.Kind, Action: action, Address: info.address,
		Reason: headerText(reason), Outcome: access.OutcomeDone, RequestID: info.id,
	}
}
