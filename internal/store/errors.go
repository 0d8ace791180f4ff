package store

import (
	"errors"
	"strings"

	"github.com/datapi/datapi/internal/dat"
	"github.com/jackc/pgx/v5/pgconn"
)

// The kinds of *dat.Error of this package for which DAT has no return.
const (
	// KindNameTaken: another living object of the type bears the name.
	KindNameTaken = "name-taken"
	// KindStoreAway: the database does not answer; nothing was changed.
	KindStoreAway = "store-away"
	// KindKeyRunning: another request with this Idempotency-Key is under way.
	KindKeyRunning = "key-running"
)

// fate says what an error of PostgreSQL means for what was tried.
type fate uint8

const (
	// fateRefused: the data is to blame; the same rows will be refused again.
	fateRefused fate = iota
	// fateAgain: the transaction lost a race; the same rows may pass next time.
	fateAgain
	// fateAway: the database is not there, or not fit to write.
	fateAway
	// fateFenced: another process has taken over this node.
	fateFenced
)

// mapping is a row of the one table from PostgreSQL's words to ours.
type mapping struct {
	// match is a constraint's name, a code, or the first two characters of a
	// code; the first row that matches counts.
	match  string
	fate   fate
	ret    dat.Return
	kind   string
	field  string
	detail string
}

// readOnly is the code of a server that takes no writes (any more).
const readOnly = "25006"

var mappings = []mapping{
	{
		"objects_name_living", fateRefused, dat.RetInvalidState, KindNameTaken, "name",
		"another living object of this type bears this name; choose another one or free that object",
	},
	{
		"objects_name_pattern", fateRefused, dat.RetInvalidParameter, "", "name",
		"a name is 1 to 63 of a-z, 0-9, dot, underscore and hyphen",
	},
	{
		"changes_reason_short", fateRefused, dat.RetInvalidParameter, "", "X-Change-Reason",
		"a reason has at most 500 characters",
	},
	{
		"kept_key", fateRefused, dat.RetInvalidState, KindKeyRunning, "Idempotency-Key",
		"another request with this key is under way; wait for its answer, then repeat",
	},
	{
		"groups_epoch", fateFenced, dat.RetInternalError, KindStoreAway, "",
		"another process has taken over this node; this one records nothing any more and must be stopped",
	},
	{"22P05", fateRefused, dat.RetInvalidParameter, "", "", "a text holds a character that cannot be stored (U+0000); leave it out"},
	{"22021", fateRefused, dat.RetInvalidParameter, "", "", "a text holds a character that cannot be stored; use valid UTF-8 without U+0000"},
	{"40", fateAgain, dat.RetInternalError, "", "", ""},
	{readOnly, fateAway, dat.RetInternalError, KindStoreAway, "", ""},
	{"08", fateAway, dat.RetInternalError, KindStoreAway, "", ""},
	{"28", fateAway, dat.RetInternalError, KindStoreAway, "", ""},
	{"3D", fateAway, dat.RetInternalError, KindStoreAway, "", ""},
	{"53", fateAway, dat.RetInternalError, KindStoreAway, "", ""},
	{"55", fateAway, dat.RetInternalError, KindStoreAway, "", ""},
	{"57", fateAway, dat.RetInternalError, KindStoreAway, "", ""},
	{"58", fateAway, dat.RetInternalError, KindStoreAway, "", ""},
	{"XX", fateAway, dat.RetInternalError, KindStoreAway, "", ""},
	{"", fateRefused, dat.RetInternalError, "", "", "the record was refused by the database; this is a fault of the service"},
}

const awayDetail = "the database does not answer, so nothing was changed; repeat the call when it is back"

// mappingOf finds the row for an error. What is no answer of PostgreSQL at all
// (a lost connection, a deadline) is away; our own refusal is one.
func mappingOf(err error) mapping {
	var own *dat.Error
	if errors.As(err, &own) {
		return mapping{fate: fateRefused, ret: own.Return}
	}
	var pg *pgconn.PgError
	if !errors.As(err, &pg) {
		return mapping{fate: fateAway, ret: dat.RetInternalError, kind: KindStoreAway}
	}
	for _, m := range mappings {
		if m.match == pg.ConstraintName || len(m.match) != 0 && strings.HasPrefix(pg.Code, m.match) || m.match == "" {
			return m
		}
	}
	return mapping{}
}

// mapError is a *dat.Error for an error of the database; errors that are already
// the project's own (*dat.Error, ErrGone, ErrBeyond) pass.
func mapError(err error) error {
	var own *dat.Error
	if err == nil || errors.As(err, &own) || errors.Is(err, ErrGone) || errors.Is(err, ErrBeyond) {
		return err
	}
	m := mappingOf(err)
	e := &dat.Error{Return: m.ret, Kind: m.kind, Field: m.field, Detail: m.detail, Cause: err}
	if m.kind == KindStoreAway && m.detail == "" {
		e.Detail = awayDetail
	}
	return e
}

// refusal is the error of a named row of the table, for what a missing row of a
// RETURNING told.
func refusal(match string) *dat.Error {
	for _, m := range mappings {
		if m.match == match {
			return &dat.Error{Return: m.ret, Kind: m.kind, Field: m.field, Detail: m.detail}
		}
	}
	return &dat.Error{Return: dat.RetInternalError, Detail: "the record was refused by the database"}
}

// notThere is the refusal of an id that no living object has.
func notThere(t dat.ObjectType, id dat.Handle) *dat.Error {
	return &dat.Error{
		Return: dat.RetInvalidHandle, Subtype: kinds[t].invalidHandle,
		Detail: "there is no " + t.String() + " with the id " + quoteShort(string(id)) + "; list them to see which there are",
	}
}

// badQuery is the refusal of a part of a query.
func badQuery(field, detail string) *dat.Error {
	return &dat.Error{Return: dat.RetInvalidParameter, Field: field, Detail: detail}
}

// quoteShort quotes a caller's text for a detail, cut where it is long.
func quoteShort(s string) string {
	const most = 80
	if len(s) > most {
		s = strings.ToValidUTF8(s[:most], "") + "…"
	}
	return `"` + s + `"`
}

// isText tells that the database could not even read a caller's text: nothing
// it holds can be equal to that.
func isText(err error) bool {
	var pg *pgconn.PgError
	return errors.As(err, &pg) && (pg.Code == "22021" || pg.Code == "22P05")
}
