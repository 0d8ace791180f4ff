package store

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/datapi/datapi/internal/dat"
)

func TestEveryConstraintOfTheTableOfErrorsExists(t *testing.T) {
	conn, err := pgx.Connect(t.Context(), newDatabase(t))
	must(t, err)
	defer func() { _ = conn.Close(context.Background()) }()
	for _, m := range mappings {
		if !strings.Contains(m.match, "_") {
			continue // a code
		}
		var there bool
		must(t, conn.QueryRow(t.Context(), `SELECT EXISTS (SELECT FROM pg_constraint WHERE conname = $1)
			OR EXISTS (SELECT FROM pg_indexes WHERE indexname = $1)`, m.match).Scan(&there))
		if !there {
			t.Errorf("the schema has no %s", m.match)
		}
	}
}

func TestErrorsAreMappedByTheTable(t *testing.T) {
	cases := map[string]struct {
		err   error
		class errorClass
		kind  string
	}{
		"a lost connection":        {io.ErrUnexpectedEOF, classAway, KindStoreAway},
		"a deadline":               {context.DeadlineExceeded, classAway, KindStoreAway},
		"a shutdown":               {&pgconn.PgError{Code: "57P01"}, classAway, KindStoreAway},
		"starting up":              {&pgconn.PgError{Code: "57P03"}, classAway, KindStoreAway},
		"too many connections":     {&pgconn.PgError{Code: "53300"}, classAway, KindStoreAway},
		"a full disk":              {&pgconn.PgError{Code: "53100"}, classAway, KindStoreAway},
		"a demoted server":         {&pgconn.PgError{Code: "25006"}, classAway, KindStoreAway},
		"a deadlock":               {&pgconn.PgError{Code: "40P01"}, classRetry, ""},
		"a taken name":             {&pgconn.PgError{Code: "23505", ConstraintName: "objects_name_living"}, classRefused, KindNameTaken},
		"a stale epoch":            {&pgconn.PgError{Code: "23503", ConstraintName: "groups_epoch"}, classFenced, KindStoreAway},
		"an impossible row":        {&pgconn.PgError{Code: "23514", ConstraintName: "objects_state_known"}, classRefused, ""},
		"a statement of our own":   {&pgconn.PgError{Code: "42601"}, classRefused, ""},
		"a refusal of our own":     {&dat.Error{Return: dat.RetInvalidHandle}, classRefused, ""},
		"a wrapped lost one":       {errors.Join(errors.New("x"), io.EOF), classAway, KindStoreAway},
		"a NUL in a caller's text": {&pgconn.PgError{Code: "22P05"}, classRefused, ""},
	}
	for name, c := range cases {
		if m := mappingOf(c.err); m.class != c.class || m.kind != c.kind {
			t.Errorf("%s: class %d, kind %q", name, m.class, m.kind)
		}
		var e *dat.Error
		if !errors.As(mapError(c.err), &e) || c.kind == KindStoreAway && e.Detail == "" {
			t.Errorf("%s: becomes %v", name, mapError(c.err))
		}
	}
}
