package api

import (
	"bytes"
	"context"
	"encoding/csv"
	"log/slog"
	"net/http"
	"reflect"
	"time"

	"github.com/google/uuid"

	"github.com/datapi/datapi/internal/access"
	"github.com/datapi/datapi/internal/api/document"
	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/store"
)

// maxAuditWaiting is how many lines of the audit wait for the database at most.
const maxAuditWaiting = 10_000

// auditRetry is how long a line that could not be written waits.
const auditRetry = time.Second

// auditor writes lines of the audit that belong to no change: nobody waits for them.
type auditor struct {
	lines chan access.Entry
	store *store.Store
	log   *slog.Logger
	ended chan struct{}
}

func newAuditor(s *store.Store, log *slog.Logger) *auditor {
	return &auditor{lines: make(chan access.Entry, maxAuditWaiting), store: s, log: log, ended: make(chan struct{})}
}

// note hands a line over. Where too many wait, it is in the log alone.
func (a *auditor) note(e access.Entry) {
	a.log.LogAttrs(context.Background(), slog.LevelInfo, "audit", slog.String("actor", e.Actor), slog.String("actor_kind", string(e.ActorKind)), slog.String("action", e.Action),
		slog.String("outcome", e.Outcome), slog.String("object", e.Object), slog.String("address", e.Address), slog.String("detail", e.Detail), slog.String("request_id", e.RequestID))
	select {
	case a.lines <- e:
	default:
		a.log.LogAttrs(context.Background(), slog.LevelWarn, "a line of the audit is in this log alone: too many wait for the database", slog.String("request_id", e.RequestID))
	}
}

// run writes lines until ctx ends, and then those that are left, once.
func (a *auditor) run(ctx context.Context) {
	defer close(a.ended)
	for {
		select {
		case <-ctx.Done():
			a.finish()
			return
		case e := <-a.lines:
			for a.store.Audit(ctx, e) != nil && ctx.Err() == nil {
				select {
				case <-ctx.Done():
				case <-time.After(auditRetry):
				}
			}
		}
	}
}

// finish writes what is left.
func (a *auditor) finish() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	var left []access.Entry
	for {
		select {
		case e := <-a.lines:
			left = append(left, e)
			continue
		default:
		}
		break
	}
	if err := a.store.Audit(ctx, left...); err != nil && len(left) > 0 {
		a.log.Warn("lines of the audit are in this log alone", "lines", len(left), "error", err)
	}
}

// AuditEntry is a line of the audit on the wire.
type AuditEntry struct {
	ID        string      `json:"id" doc:"Grows from line to line."`
	At        dat.Time    `json:"at" doc:"When it was written, by the database's clock."`
	Node      string      `json:"node" example:"alpha" doc:"The node that was asked."`
	Actor     string      `json:"actor" doc:"Who did it, or tried to."`
	ActorKind access.Kind `json:"actor_kind" enum:"user,token,anonymous" doc:"What the actor is."`
	Action    string      `json:"action" example:"create-token" doc:"The call, by its operationId."`
	Object    *string     `json:"object" doc:"What it was done to: a name, an id or a path; null for nothing."`
	Address   string      `json:"address" doc:"The address that the call came from; of IPv6 the network."`
	Reason    *string     `json:"reason" doc:"The caller's X-Change-Reason, or null."`
	Outcome   string      `json:"outcome" enum:"done,refused" doc:"What became of it."`
	Detail    *string     `json:"detail" doc:"More about it, or null."`
	RequestID string      `json:"request_id" doc:"The request's id."`
}

func auditEntryOf(e access.Entry) AuditEntry {
	return AuditEntry{
		ID: e.ID, At: dat.At(e.At), Node: e.Node, Actor: e.Actor, ActorKind: e.ActorKind, Action: e.Action, Object: nullIfEmpty(e.Object),
		Address: e.Address, Reason: nullIfEmpty(e.Reason), Outcome: e.Outcome, Detail: nullIfEmpty(e.Detail), RequestID: e.RequestID,
	}
}

type listAudit struct {
	Read
	Limit   int      `query:"limit" minimum:"1" maximum:"1000" default:"100" doc:"How many items a page has; an export has all."`
	Cursor  string   `query:"cursor" maxLength:"1024" doc:"The next_cursor of the page before."`
	Actor   []string `query:"actor,explode" doc:"Who did it; repeat for OR."`
	Action  []string `query:"action,explode" example:"create-token" doc:"What was done; repeat for OR."`
	Outcome []string `query:"outcome,explode" enum:"done,refused" doc:"What became of it; repeat for OR."`
	Since   string   `query:"since" maxLength:"64" example:"2026-01-31T12:00:00Z" doc:"Not before this time (RFC 3339)."`
	Until   string   `query:"until" maxLength:"64" example:"2026-01-31T13:00:00Z" doc:"Not after this time (RFC 3339)."`
	Accept  string   `header:"Accept" hidden:"true"`
}

func (a *API) registerAudit() {
	register(a, route{
		id: "list-audit", method: http.MethodGet, path: "/audit", tag: document.TagAccess, summary: "List who did what about who may, and what was refused",
		about: "Sign-ins, tokens, users, sessions, nodes and retention, and every call that was refused for want of rights, newest first. Changes of objects are in /changes. " +
			"With Accept: text/csv or application/jsonl all lines are exported.",
		answer: reflect.TypeFor[PageOf[AuditEntry]](), role: access.Admin, otherMedia: []string{mediaCSV, mediaJSONLines},
	}, a.listAudit)
}

// The media types of exports.
const (
	mediaCSV       = "text/csv"
	mediaJSONLines = "application/jsonl"
)

// maxExport is how many lines an export has at most.
const maxExport = 100_000

func (a *API) listAudit(ctx context.Context, in *listAudit) (*answer, error) {
	q := store.AuditQuery{Actors: in.Actor, Actions: in.Action, Outcomes: in.Outcome, Limit: in.Limit + 1}
	var err error
	if q.Since, err = timeOf("since", in.Since); err != nil {
		return nil, err
	}
	if q.Until, err = timeOf("until", in.Until); err != nil {
		return nil, err
	}
	if in.Cursor != "" {
		if uuid.Validate(in.Cursor) != nil {
			return nil, wrongQuery("cursor", "must be the next_cursor of the page before")
		}
		q.Before = in.Cursor
	}
	export := acceptedOf(in.Accept, mediaCSV, mediaJSONLines)
	if export != "" {
		q.Limit = maxExport
	}
	position := a.store.Log().Position()
	found, err := a.store.AuditLines(ctx, q)
	if err != nil {
		return nil, err
	}
	lines := make([]AuditEntry, len(found))
	for i, e := range found {
		lines[i] = auditEntryOf(e)
	}
	if export != "" {
		return exportOf(export, lines), nil
	}
	page := PageOf[AuditEntry]{Items: lines, Position: position.String()}
	if len(lines) > in.Limit {
		page.Items = lines[:in.Limit]
		page.Next = &page.Items[in.Limit-1].ID
	}
	return a.ok(page), nil
}

// exportOf returns lines as an answer of a media type.
func exportOf(media string, lines []AuditEntry) *answer {
	var b bytes.Buffer
	if media == mediaJSONLines {
		for _, l := range lines {
			b.Write(encode(l))
			b.WriteByte('\n')
		}
	} else {
		w := csv.NewWriter(&b)
		_ = w.Write([]string{"id", "at", "node", "actor", "actor_kind", "action", "object", "address", "reason", "outcome", "detail", "request_id"})
		for _, l := range lines {
			_ = w.Write([]string{
				l.ID, l.At.String(), l.Node, cell(l.Actor), string(l.ActorKind), l.Action, cell(valueOr(l.Object, "")), l.Address,
				cell(valueOr(l.Reason, "")), l.Outcome, cell(valueOr(l.Detail, "")), cell(l.RequestID),
			})
		}
		w.Flush()
	}
	return &answer{Status: http.StatusOK, ContentType: media, CacheControl: noStore, Body: b.Bytes()}
}

// cell returns a text that no program for tables takes for a formula.
func cell(s string) string {
	if s != "" && bytes.IndexByte([]byte("=+-@\t\r"), s[0]) >= 0 {
		return "'" + s
	}
	return s
}
