package store

import (
	"context"

	"github.com/datapi/datapi/internal/dat"
)

// Query asks for a list of the living objects of one type.
type Query struct {
	Type dat.ObjectType
	// Filters are equalities by wire name, several values are alternatives:
	// ia, node and what the type has beside (see FilterNames).
	Filters map[string][]string
	// Labels must all be there (key → value).
	Labels map[string]string
	// Name is a pattern in which * stands for anything; empty = any.
	Name string
	// Sort is one of SortNames; empty = created_at.
	Sort string
	Desc bool
	// Limit is 1 … 1000; 0 = 100.
	Limit int
	// Cursor is Page.Next of the page before; Offset (≤ 1,000,000) skips
	// instead. Not both.
	Cursor string
	Offset int
	// Total asks for the count of all that fit.
	Total bool
}

// Page is a part of a list.
type Page struct {
	// Items are recorded images; never nil.
	Items []dat.Object
	// Next is the cursor of the next page, empty at the end.
	Next  string
	Total *int64
}

// List is the living objects that fit. What it does not know (filter, sort,
// value, cursor) is DAT_INVALID_PARAMETER with Field set.
func (s *Store) List(ctx context.Context, q Query) (Page, error) { return Page{}, errUnbuilt }

// FilterNames are the filters that a type has, sorted.
func FilterNames(t dat.ObjectType) []string { return nil }

// SortNames are the members by which a type can be sorted, sorted.
func SortNames(t dat.ObjectType) []string { return nil }
