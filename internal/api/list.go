package api

import (
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/store"
)

// page is a list on the wire. Its items are encoded already, so it is put together
// and not encoded once more.
type page struct {
	items []json.RawMessage
	next  *string
	total *int64
}

func (a *API) page(p page) *answer {
	size := 64
	for _, item := range p.items {
		size += len(item) + 1
	}
	body := append(make([]byte, 0, size), `{"items":[`...)
	for i, item := range p.items {
		if i > 0 {
			body = append(body, ',')
		}
		body = append(body, item...)
	}
	body = append(append(body, `],"next_cursor":`...), a.encode(p.next)...)
	if p.total != nil {
		body = append(append(body, `,"total":`...), a.encode(p.total)...)
	}
	return &answer{Status: http.StatusOK, ContentType: jsonType, CacheControl: noStore, Body: append(body, '}')}
}

// list answers a list of one type; input is the call's whole input, whose filters
// are its string lists of the query.
func (a *API) list(ctx context.Context, t dat.ObjectType, l Listing, input any) (*answer, error) {
	q, err := a.query(t, l, input)
	if err != nil {
		return nil, err
	}
	fields, err := a.fields(schemaOf[t], l.Fields)
	if err != nil {
		return nil, err
	}
	found, err := a.store.List(ctx, q)
	if err != nil {
		return nil, inQuery(err)
	}
	a.manager.Fill(found.Items)
	out := page{items: make([]json.RawMessage, len(found.Items)), next: orNull(found.Next), total: found.Total}
	for i, o := range found.Items {
		out.items[i] = a.item(o, fields)
	}
	return a.page(out), nil
}

func (a *API) query(t dat.ObjectType, l Listing, input any) (store.Query, error) {
	q := store.Query{
		Type: t, Filters: filtersOf(reflect.ValueOf(input).Elem()), Names: l.Name,
		Limit: l.Limit, Cursor: l.Cursor, Offset: l.Offset, Total: l.Total,
	}
	q.Sort, q.Desc = strings.CutPrefix(l.Sort, "-")
	if err := cursorOrOffset(l.Cursor, l.Offset); err != nil {
		return q, err
	}
	for _, label := range l.Label {
		key, value, ok := strings.Cut(label, "=")
		if !ok || key == "" {
			return q, wrongQuery("label", "must be key=value")
		}
		if q.Labels == nil {
			q.Labels = map[string][]string{}
		}
		q.Labels[key] = append(q.Labels[key], value)
	}
	return q, nil
}

func cursorOrOffset(cursor string, offset int) error {
	if cursor != "" && offset != 0 {
		return wrongQuery("offset", "must be left out where cursor is given")
	}
	return nil
}

// noFilters are string lists of a query that are no equality.
var noFilters = []string{"name", "label", "fields"}

// filtersOf are the equality filters of an input: its string lists of the query
// but those that mean something else.
func filtersOf(v reflect.Value) map[string][]string {
	all := map[string][]string{}
	for i, t := 0, v.Type(); i < t.NumField(); i++ {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("query"), ",")
		field := v.Field(i)
		if t.Field(i).Anonymous {
			maps.Copy(all, filtersOf(field))
		} else if name != "" && !slices.Contains(noFilters, name) && field.Kind() == reflect.Slice {
			for j := range field.Len() {
				all[name] = append(all[name], field.Index(j).String())
			}
		}
	}
	return all
}

// fields judges ?fields=: members of the items, which a schema describes.
func (a *API) fields(schema string, asked []string) ([]string, error) {
	known := sortedKeys(a.schemas.schemas[schema].Properties)
	for _, f := range asked {
		if !slices.Contains(known, f) {
			return nil, wrongQuery("fields", "must be members separated by commas: "+strings.Join(known, ", "))
		}
	}
	return asked, nil
}

// schemaOf are the components that describe each type.
var schemaOf = map[dat.ObjectType]string{
	dat.TypeIA: "IA", dat.TypePZ: "PZ", dat.TypeEVD: "EVD", dat.TypeSRQ: "SRQ", dat.TypeLMR: "LMR", dat.TypeRMR: "RMR",
	dat.TypeEndpoint: "Endpoint", dat.TypePSP: "PSP", dat.TypeRSP: "RSP", dat.TypeCR: "CR",
}

// item is one object of a list: all members but modifiable, or those asked for.
func (a *API) item(o dat.Object, fields []string) json.RawMessage {
	if len(fields) == 0 {
		return a.whole(o)
	}
	return a.picked(a.listed(o, slices.Contains(fields, "modifiable")), fields)
}

// picked leaves only some members of an encoded item.
func (a *API) picked(item json.RawMessage, fields []string) json.RawMessage {
	all := map[string]json.RawMessage{}
	decode(item, &all)
	picked := make(map[string]json.RawMessage, len(fields))
	for _, f := range fields {
		picked[f] = all[f]
	}
	return a.encode(picked)
}

// whole is an object as lists show it. An endpoint's form depends on its version
// alone, so it is made once.
func (a *API) whole(o dat.Object) json.RawMessage {
	head := o.Head()
	if o.Type() != dat.TypeEndpoint {
		return a.listed(o, false)
	}
	if body := a.encoded.get(head.ID, head.Version); body != nil {
		return body
	}
	body := a.listed(o, false)
	a.encoded.put(head.ID, head.Version, body)
	return body
}

func (a *API) listed(o dat.Object, modifiable bool) json.RawMessage {
	e, ok := o.(*dat.Endpoint)
	if !ok {
		return a.encode(represent(o, true))
	}
	shown := Endpoint{Endpoint: e, Operations: notNil(dat.Operations(e))}
	if modifiable {
		shown.Modifiable = notNil(dat.Modifiable(e, a.recvIdle(dat.TypeEndpoint, string(e.ID))))
	}
	return a.encode(shown)
}

// recvIdle tells whether no receive of an endpoint is outstanding, as far as this
// node knows.
func (a *API) recvIdle(t dat.ObjectType, id string) bool {
	if t != dat.TypeEndpoint {
		return true
	}
	s, err := a.manager.EPStatus(dat.Handle(id))
	return err != nil || s.RecvIdle
}

// get answers with one object of any node.
func (a *API) get(ctx context.Context, t dat.ObjectType, id string) (*answer, error) {
	o, err := a.object(ctx, t, id)
	if err != nil {
		return nil, err
	}
	return a.shown(http.StatusOK, o, false, a.recvIdle(t, id)), nil
}

// cachedForms bounds the memory of the cache: about 1.5 kB each.
const cachedForms = 20_000

// encodedCache holds the list form of endpoints by id and version.
type encodedCache struct {
	mu    sync.RWMutex
	forms map[dat.Handle]encodedForm
}

type encodedForm struct {
	version int64
	body    json.RawMessage
}

func (c *encodedCache) get(id dat.Handle, version int64) json.RawMessage {
	c.mu.RLock()
	defer c.mu.RUnlock()
	if form, ok := c.forms[id]; ok && form.version == version {
		return form.body
	}
	return nil
}

func (c *encodedCache) put(id dat.Handle, version int64, body json.RawMessage) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.forms == nil || len(c.forms) >= cachedForms {
		c.forms = map[dat.Handle]encodedForm{}
	}
	c.forms[id] = encodedForm{version, body}
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
