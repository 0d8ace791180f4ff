package store

import (
	"errors"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/datapi/datapi/internal/dat"
)

// The kinds of *dat.Error of this package that DAT has no return for.
const (
	// KindNameTaken says that another living object of the type bears the name.
	KindNameTaken = "name-taken"
	// KindStoreAway says that the database does not answer; nothing was changed.
	KindStoreAway = "store-away"
	// KindOutcomeUnknown says that a change may be recorded, or may not be.
	KindOutcomeUnknown = dat.KindOutcomeUnknown
	// KindNodeAlive says that a node cannot be retired because it is not DOWN or LEFT.
	KindNodeAlive = "node-alive"
	// KindNoRecord says that there is no such token, user or session.
	KindNoRecord = "no-record"
	// KindWrongLink says that a link signs nobody in any more.
	KindWrongLink = "wrong-link"
	// KindKeyRunning says that another request with this Idempotency-Key is under way.
	KindKeyRunning = "key-running"
)

// errorClass says what an error of PostgreSQL means for what was tried.
type errorClass uint8

const (
	// classRefused: the data is to blame; the same rows will be refused again.
	classRefused errorClass = iota
	// classRetry: the transaction lost a race; the same rows may pass next time.
	classRetry
	// classAway: the database is not there, or does not take writes.
	classAway
	// classFenced: another process has taken over this node.
	classFenced
)

// mapping is a row of the table from PostgreSQL's errors to those of this package.
type mapping struct {
	// match is a constraint's name, a code, the first two characters of a code, or
	// empty for any error.
	match string
	class errorClass
	// ret, kind, field and detail are the *dat.Error.
	ret    dat.Return
	kind   string
	field  string
	detail string
}

// readOnly is the code of a server that does not take writes.
const readOnly = "25006"

// lockTimeoutCode is the code of a lock that was waited for in vain.
const lockTimeoutCode = "55P03"

// mappings is the table of errors; the first row that matches counts.
var mappings = []mapping{
	{
		"objects_name_living", classRefused, dat.RetInvalidState, KindNameTaken, "name",
		"another living object of this type bears this name; choose another one or free that object",
	},
	{
		"objects_name_pattern", classRefused, dat.RetInvalidParameter, "", "name",
		"a name is 1 to 63 of a-z, 0-9, dot, underscore and hyphen",
	},
	{
		"changes_reason_short", classRefused, dat.RetInvalidParameter, "", "X-Change-Reason",
		"a reason has at most 500 characters",
	},
	{
		"kept_key", classRefused, dat.RetInvalidState, KindKeyRunning, "Idempotency-Key",
		"another request with this key is under way; wait for its answer, then repeat",
	},
	{
		"tokens_name", classRefused, dat.RetInvalidState, KindNameTaken, "name",
		"another token bears this name; choose another one or revoke that token",
	},
	{
		"users_pkey", classRefused, dat.RetInvalidState, KindNameTaken, "name",
		"there is a user of this name; choose another name or change that user",
	},
	{
		"groups_epoch", classFenced, dat.RetInternalError, KindStoreAway, "",
		fencedDetail,
	},
	{"22P05", classRefused, dat.RetInvalidParameter, "", "", "a text holds a character that cannot be stored (U+0000); leave it out"},
	{"22021", classRefused, dat.RetInvalidParameter, "", "", "a text holds a character that cannot be stored; use valid UTF-8 without U+0000"},
	{"40", classRetry, dat.RetInternalError, "", "", ""},
	{readOnly, classAway, dat.RetInternalError, KindStoreAway, "", ""},
	{"08", classAway, dat.RetInternalError, KindStoreAway, "", ""},
	{"28", classAway, dat.RetInternalError, KindStoreAway, "", ""},
	{"3D", classAway, dat.RetInternalError, KindStoreAway, "", ""},
	{"53", classAway, dat.RetInternalError, KindStoreAway, "", ""},
	{"55", classAway, dat.RetInternalError, KindStoreAway, "", ""},
	{"57", classAway, dat.RetInternalError, KindStoreAway, "", ""},
	{"58", classAway, dat.RetInternalError, KindStoreAway, "", ""},
	{"XX", classAway, dat.RetInternalError, KindStoreAway, "", ""},
	{"", classRefused, dat.RetInternalError, "", "", "the record was refused by the database; this is a fault of the service"},
}

// errFenced says that another process has taken over this node.
var errFenced = errors.New("the node has a higher epoch")

// fencedDetail is the detail of KindStoreAway in a process that never writes again.
const fencedDetail = "another process has taken over this node, or the node was retired; this one records nothing any more and must be stopped"

// awayDetail is the detail of KindStoreAway, unless a row has one of its own.
const awayDetail = "the database does not answer, so nothing was changed; repeat the call when it is back"

// unknownDetail is the detail of KindOutcomeUnknown.
const unknownDetail = "the database has not confirmed the change in time, so it may be made or not; a repeat with the same Idempotency-Key tells, without one look at the object first"

// standbyDetail is the detail of KindStoreAway while the database waits for a standby.
const standbyDetail = "the database does not confirm changes because a standby that it waits for does not answer, so nothing was changed; repeat the call when it does"

// storeAway returns the refusal of what needs the database while that is away.
func storeAway(cause error) *dat.Error {
	return &dat.Error{Return: dat.RetInternalError, Kind: KindStoreAway, Detail: awayDetail, Cause: cause}
}

// mappingOf returns the row for an error. An error that is not an answer of PostgreSQL
// (a lost connection, a deadline) is of classAway, a *dat.Error of classRefused.
func mappingOf(err error) mapping {
	var own *dat.Error
	if errors.As(err, &own) {
		return mapping{class: classRefused, ret: own.Return}
	}
	if errors.Is(err, errFenced) {
		return mapping{class: classFenced, ret: dat.RetInternalError, kind: KindStoreAway, detail: fencedDetail}
	}
	var pg *pgconn.PgError
	if !errors.As(err, &pg) {
		return mapping{class: classAway, ret: dat.RetInternalError, kind: KindStoreAway}
	}
	for _, m := range mappings {
		if m.match == pg.ConstraintName || len(m.match) != 0 && strings.HasPrefix(pg.Code, m.match) || m.match == "" {
			return m
		}
	}
	return mapping{}
}

// mapError returns the *dat.Error for an error of the database. A *dat.Error, ErrGone,
// ErrBeyond, ErrRewound and nil are returned as they are.
func mapError(err error) error {
	var own *dat.Error
	if err == nil || errors.As(err, &own) || errors.Is(err, ErrGone) || errors.Is(err, ErrBeyond) || errors.Is(err, ErrRewound) {
		return err
	}
	m := mappingOf(err)
	e := &dat.Error{Return: m.ret, Kind: m.kind, Field: m.field, Detail: m.detail, Cause: err}
	if m.kind == KindStoreAway && m.detail == "" {
		e.Detail = awayDetail
	}
	return e
}

// refusal returns the error of the row with a match, for rows that a statement refused
// by leaving them out of its RETURNING.
func refusal(match string) *dat.Error {
	for _, m := range mappings {
		if m.match == match {
			return &dat.Error{Return: m.ret, Kind: m.kind, Field: m.field, Detail: m.detail}
		}
	}
	return &dat.Error{Return: dat.RetInternalError, Detail: "the record was refused by the database"}
}

// noSuchObject returns the refusal of an id that no living object has.
func noSuchObject(t dat.ObjectType, id dat.Handle) *dat.Error {
	return &dat.Error{
		Return: dat.RetInvalidHandle, Subtype: t.InvalidHandle(),
		Detail: "there is no " + t.String() + " with the id " + quoteShort(string(id)) + "; list them to see which there are",
	}
}

// badQuery returns the refusal of a part of a query.
func badQuery(field, detail string) *dat.Error {
	return &dat.Error{Return: dat.RetInvalidParameter, Field: field, Detail: detail}
}

// quoteShort quotes a caller's text for a detail, and cuts it if it is long.
func quoteShort(s string) string { return `"` + cutAt(s, 80) + `"` }

// cutAt cuts a text that has more bytes than a limit.
func cutAt(s string, limit int) string {
	if len(s) > limit {
		return strings.ToValidUTF8(s[:limit], "") + "…"
	}
	return s
}

// isUnreadableText reports whether PostgreSQL could not read a caller's text. Nothing
// that it has stored can be equal to such a text.
func isUnreadableText(err error) bool {
	var pg *pgconn.PgError
	return errors.As(err, &pg) && (pg.Code == "22021" || pg.Code == "22P05")
}
