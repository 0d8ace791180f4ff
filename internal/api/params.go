package api

import (
	"reflect"
	"strconv"

	"github.com/danielgtaylor/huma/v2"
)

// The inputs of calls embed the structs of this file: each holds the parameters that a kind of calls shares.

// ObjectPath is the path of one object.
type ObjectPath struct {
	ID string `path:"id" maxLength:"512" doc:"The object's id."`
}

// IAPath is the path of one adapter.
type IAPath struct {
	IA string `path:"ia" maxLength:"512" example:"soft0@alpha" doc:"The adapter's id: its name, @, its node."`
}

// Forwarding holds the parameter of calls that another node may answer.
type Forwarding struct {
	Forward bool `query:"forward" doc:"Whether another node that owns the object is asked; true where left out. With false a call that only the owner can answer is 421 with its address, and members that only the owner knows are null."`
}

// Write holds the parameters of every write.
type Write struct {
	Forwarding
	DryRun  bool   `query:"dry_run" doc:"Only check: permission, status and body of the real call's synchronous part, without Location and ETag. id is the nil UUID where nothing was made, version what it would be, times are the rehearsal's, and what only a device gives is null. Nothing happens, and no Idempotency-Key is used up."`
	IfMatch string `header:"If-Match" doc:"The write happens only while the object has one of these versions: an ETag, a list of them, or *. Weak tags never match."`
	Key     string `header:"Idempotency-Key" maxLength:"255" doc:"Makes a repetition harmless: the same key and body get the first answer again for 24 hours; a batch that was interrupted goes on after the last operation that was committed."`
	Reason  string `header:"X-Change-Reason" maxLength:"500" doc:"Why; kept with the change."`
	Request string `header:"X-Request-ID" doc:"The request's id: taken, or made where it is left out; kept with changes."`
}

// Read holds the parameters of every read.
type Read struct {
	Request string `header:"X-Request-ID" doc:"The request's id: taken, or made where it is left out; kept with changes."`
}

// Waiting holds the parameter of calls that can wait for their outcome.
type Waiting struct {
	Prefer string `header:"Prefer" example:"wait=10" doc:"wait=N holds the answer up to N seconds until the outcome is there (RFC 7240)."`
}

// Paging holds the parameters of everything that comes in pages.
type Paging struct {
	Limit  int      `query:"limit" minimum:"1" maximum:"1000" default:"100" doc:"How many items a page has."`
	Cursor string   `query:"cursor" maxLength:"1024" doc:"The next_cursor of the page before."`
	Offset int      `query:"offset" minimum:"0" maximum:"1000000" doc:"How many items to pass over; not together with cursor."`
	Total  bool     `query:"total" doc:"Count all items that fit."`
	Fields []string `query:"fields" doc:"Only these members of each item."`
}

// Listing holds the parameters of every list of objects.
type Listing struct {
	Read
	Paging
	Sort  string   `query:"sort" example:"-created_at" doc:"The member to sort by, with - for descending; created_at where left out."`
	Name  []string `query:"name,explode" doc:"The name, such as ost-*; * stands for anything; repeat for OR."`
	Label []string `query:"label,explode" example:"app=lustre" doc:"A label as key=value, or key where any value will do; repeated with the same key for OR, with another key both must be there."`
}

// ByIA holds the filters that the lists of all types have.
type ByIA struct {
	IA   []string `query:"ia,explode" doc:"The adapter's id; repeat for OR."`
	Node []string `query:"node,explode" doc:"The node's name; repeat for OR."`
}

// getObject is the input of a GET of one object.
type getObject struct {
	Read
	Forwarding
	ObjectPath
}

// freeObject is the input of a DELETE of one object.
type freeObject struct {
	Write
	ObjectPath
}

// PageOf is a page of a list.
type PageOf[T any] struct {
	Items []T     `json:"items" doc:"The items of this page."`
	Next  *string `json:"next_cursor" doc:"The cursor of the next page; null at the end."`
	// Position and Partial are in every list.
	Position string `json:"position" example:"1042" doc:"Goes into after= of the stream of changes, to watch from here on without a gap; of several pages the first one's. A change that is in the list already has a version no higher than the item's."`
	Partial  bool   `json:"partial" doc:"The database is away, and the list holds this node's living objects from memory."`
	Total    *int64 `json:"total,omitempty" doc:"How many items fit, where asked for."`
}

// word is the value of a filter that is one of the words of an enum of package dat.
type word[E any] string

// Schema returns a reference to the enum; a filter is never null (huma.SchemaProvider).
func (word[E]) Schema(r huma.Registry) *huma.Schema {
	s := r.Schema(reflect.TypeFor[E](), true, "")
	if len(s.AnyOf) > 0 {
		return s.AnyOf[0]
	}
	return s
}

// positive parses a whole number; ok is false where s is none, or one below 1.
func positive(s string) (n int64, ok bool) {
	n, err := strconv.ParseInt(s, 10, 64)
	return n, err == nil && n > 0
}
