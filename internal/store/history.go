package store

import (
	"context"
	"errors"
	"time"

	"github.com/datapi/datapi/internal/dat"
)

// ErrGone says that a position or a moment lies before what the retention kept.
var ErrGone = errors.New("this position is no longer kept")

// ErrBeyond says that a position lies beyond the end of the log.
var ErrBeyond = errors.New("this position lies beyond the end of the log")

// ChangePage is a part of the log.
type ChangePage struct {
	// Items is never nil.
	Items []dat.Change
	// Next is the cursor of the next page, empty at the end.
	Next string
}

// ChangeFilter picks changes by equality; several values are alternatives, an
// empty list is any. Types, IAs and so on are the wire words.
type ChangeFilter struct {
	Objects  []dat.Handle
	Types    []dat.ObjectType
	Nodes    []string
	IAs      []dat.Handle
	Causes   []string
	Actors   []string
	Outcomes []dat.Return
}

// ChangeQuery asks for a part of the log, newest first unless Asc.
type ChangeQuery struct {
	ChangeFilter
	// Since and Until bound the time (both inclusive); zero = open.
	Since, Until time.Time
	Asc          bool
	// Limit is 1 … 1000; 0 = 100.
	Limit  int
	Cursor string
	Offset int
}

// Moment is a point of the log: a change id, or, where that is 0, a time.
type Moment struct {
	Change int64
	At     time.Time
}

// Changes is the part of the log that fits.
func (s *Store) Changes(ctx context.Context, q ChangeQuery) (ChangePage, error) {
	return ChangePage{}, errUnbuilt
}

// History is an object's changes, newest first, also after it was freed.
// An id that never was is DAT_INVALID_HANDLE.
func (s *Store) History(ctx context.Context, t dat.ObjectType, id dat.Handle, limit int, cursor string) (ChangePage, error) {
	return ChangePage{}, errUnbuilt
}

// HistoryVersion is the change that made a version, and the whole object as it
// was then; the object is nil for the change that ended it. A version that never
// was is DAT_INVALID_HANDLE; one past the retention ErrGone.
func (s *Store) HistoryVersion(ctx context.Context, t dat.ObjectType, id dat.Handle, version int64) (dat.Change, dat.Object, error) {
	return dat.Change{}, nil, errUnbuilt
}

// AsOf is an object as it was. Before its creation and after its end it is
// DAT_INVALID_HANDLE; before the retention ErrGone; in the future DAT_INVALID_PARAMETER.
func (s *Store) AsOf(ctx context.Context, t dat.ObjectType, id dat.Handle, m Moment) (dat.Object, error) {
	return nil, errUnbuilt
}

// Prune deletes changes older than the age, but never an object's last one, and
// answers older than KeptFor. It returns how many changes it deleted.
func (s *Store) Prune(ctx context.Context, age time.Duration) (int64, error) { return 0, errUnbuilt }
