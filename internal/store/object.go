package store

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/datapi/datapi/internal/dat"
)

// Living returns all objects of a node that were not freed, in the order of their
// creation.
func (s *Store) Living(ctx context.Context, node string) ([]dat.Object, error) {
	images, err := livingImages(ctx, s.pool, node)
	if err != nil {
		return nil, err
	}
	objs := make([]dat.Object, len(images))
	for i, img := range images {
		objs[i] = img.obj
	}
	return objs, nil
}

// querier is a connection, a pool or a transaction.
type querier interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

// livingImages is Living with what the recorder needs to write the objects again.
func livingImages(ctx context.Context, db querier, node string) ([]image, error) {
	ctx, cancel := context.WithTimeout(ctx, livingTimeout)
	defer cancel()
	rows, err := db.Query(ctx, `SELECT type, `+whole("body")+`, created_change FROM objects
		WHERE node = $1 AND freed_at IS NULL ORDER BY created_change`, node)
	if err != nil {
		return nil, mapError(err)
	}
	images, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (image, error) {
		var word string
		var o storedObject
		var created int64
		if err := row.Scan(&word, &o.Body, &o.Form, &created); err != nil {
			return image{}, err
		}
		t, err := typeOf(word)
		if err != nil {
			return image{}, err
		}
		img, err := o.image(t)
		img.createdChange = created
		return img, err
	})
	return images, mapError(err)
}

// Get returns the recorded living object of any node. An id that is unknown, of
// another type or of a freed object is DAT_INVALID_HANDLE.
func (s *Store) Get(ctx context.Context, t dat.ObjectType, id dat.Handle) (dat.Object, error) {
	obj, freed, err := s.GetFreed(ctx, t, id)
	if err == nil && !freed.IsZero() {
		return nil, noSuchObject(t, id)
	}
	return obj, err
}

// GetFreed returns an object as it was recorded last, also after it was freed, and
// the time when it was freed; that is zero while it lives. An id that never was or
// whose object is past the retention is DAT_INVALID_HANDLE.
func (s *Store) GetFreed(ctx context.Context, t dat.ObjectType, id dat.Handle) (dat.Object, dat.Time, error) {
	var o storedObject
	var freed *time.Time
	err := s.pool.QueryRow(ctx, `SELECT `+whole("body")+`, freed_at FROM objects WHERE id = $1 AND type = $2`,
		string(id), t.String()).Scan(&o.Body, &o.Form, &freed)
	if errors.Is(err, pgx.ErrNoRows) || isUnreadableText(err) {
		return nil, dat.Time{}, noSuchObject(t, id)
	}
	if err != nil {
		return nil, dat.Time{}, mapError(err)
	}
	obj, err := o.read(t)
	if err != nil || freed == nil {
		return obj, dat.Time{}, err
	}
	return obj, dat.At(*freed), nil
}

// typeOf reads the word in objects.type.
func typeOf(word string) (dat.ObjectType, error) {
	var t dat.ObjectType
	if err := t.UnmarshalText([]byte(word)); err != nil {
		return t, &dat.Error{Return: dat.RetInternalError, Cause: err, Detail: "a recorded object has an unknown type; this is a fault of the service"}
	}
	return t, nil
}
