package api

import (
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strings"

	"github.com/datapi/datapi/internal/api/document"
	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/store"
)

// list answers with a page of the objects of one type. input is the call's whole input, in which the filters are.
func (a *API) list(ctx context.Context, t dat.ObjectType, l Listing, input any) (*answer, error) {
	q, err := a.query(t, l, input)
	if err != nil {
		return nil, err
	}
	q.Scope = callerScope(ctx)
	if err := a.resolveFilters(ctx, q.Filters); err != nil {
		return nil, err
	}
	fields, err := a.fields(objectKinds[t].schema, l.Fields)
	if err != nil {
		return nil, err
	}
	found, err := a.store.List(ctx, q)
	if err != nil {
		return nil, inQuery(err)
	}
	a.manager.Fill(found.Items)
	found.Items = a.withPeersInScope(ctx, found.Items...)
	out := page{
		items: make([]json.RawMessage, len(found.Items)), next: nullIfEmpty(found.Next), total: found.Total,
		position: found.Position, partial: found.Partial,
	}
	for i, o := range found.Items {
		out.items[i] = a.item(o, fields, q.Scope == nil)
	}
	return out.answer(), nil
}

// listAll answers with a list that has one page: what read returns, as show shows it.
func listAll[R, V any](ctx context.Context, a *API, read func(context.Context) ([]R, error), show func(R) V) (*answer, error) {
	position := a.store.Log().Position() // from before the reading
	found, err := read(ctx)
	if err != nil {
		return nil, err
	}
	items := make([]V, len(found))
	for i, r := range found {
		items[i] = show(r)
	}
	return a.ok(PageOf[V]{Items: items, Position: position.String()}), nil
}

// page is a list on the wire. Its items are encoded already, so its text is put together and not encoded once more.
type page struct {
	items []json.RawMessage
	// next is the cursor of the next page, nil at the end; total is nil where it was not asked for.
	next  *string
	total *int64
	// position is the place in the log of changes from which on the list can be watched without a gap.
	position store.Position
	// partial reports that the database is away, and that the items are this node's alone.
	partial bool
}

func (p page) answer() *answer {
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
	body = append(append(body, `],"next_cursor":`...), encode(p.next)...)
	body = append(append(body, `,"position":`...), encode(p.position.String())...)
	body = append(append(body, `,"partial":`...), encode(p.partial)...)
	if p.total != nil {
		body = append(append(body, `,"total":`...), encode(p.total)...)
	}
	return &answer{Status: http.StatusOK, ContentType: document.MediaJSON, CacheControl: noStore, Body: append(body, '}')}
}

// query returns the store's query of a list.
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
		if key == "" {
			return q, wrongQuery("label", "must be key=value, or key where any value will do")
		}
		if !ok {
			q.HasLabels = append(q.HasLabels, key)
			continue
		}
		if q.Labels == nil {
			q.Labels = map[string][]string{}
		}
		q.Labels[key] = append(q.Labels[key], value)
	}
	return q, nil
}

// cursorOrOffset refuses a page that is asked for by both.
func cursorOrOffset(cursor string, offset int) error {
	if cursor != "" && offset != 0 {
		return wrongQuery("offset", "must be left out where cursor is given")
	}
	return nil
}

// noFilters are the string lists of a query that do not compare a member for equality.
var noFilters = []string{"name", "label", "fields"}

// filtersOf returns the equality filters of a call's input: the lists among its query parameters but noFilters, those
// of embedded structs included.
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

// fields refuses ?fields= where it names no members of the component that describes the items.
func (a *API) fields(schema string, asked []string) ([]string, error) {
	known := a.schemas.Members(schema)
	for _, f := range asked {
		if !slices.Contains(known, f) {
			return nil, wrongQuery("fields", "must be members separated by commas: "+strings.Join(known, ", "))
		}
	}
	return asked, nil
}

// item returns an object as an item of a list: all members but modifiable, or those of fields. cached reports that it is
// shown as everybody without a scope sees it.
func (a *API) item(o dat.Object, fields []string, cached bool) json.RawMessage {
	switch {
	case len(fields) == 0 && cached:
		return a.cachedListForm(o)
	case len(fields) == 0:
		return a.listForm(o, false)
	}
	return pickMembers(a.listForm(o, slices.Contains(fields, "modifiable")), fields)
}

// pickMembers returns an encoded object with some of its members only.
func pickMembers(item json.RawMessage, names []string) json.RawMessage {
	all := map[string]json.RawMessage{}
	decode(item, &all)
	picked := make(map[string]json.RawMessage, len(names))
	for _, name := range names {
		picked[name] = all[name]
	}
	return encode(picked)
}

// listForm returns an object as lists show it.
func (a *API) listForm(o dat.Object, modifiable bool) json.RawMessage {
	m := a.membersOf(o.Head().Node)
	e, ok := o.(*dat.Endpoint)
	if !ok {
		return a.encoded(withoutSecrets(o), true)
	}
	if m.NodeState != store.NodeUp {
		shown := Endpoint{Endpoint: e, Operations: []string{}}
		if modifiable {
			shown.Modifiable = []string{}
		}
		return m.appendTo(encode(shown))
	}
	shown := Endpoint{Endpoint: e, Operations: emptyIfNil(dat.Operations(e))}
	if modifiable {
		shown.Modifiable = emptyIfNil(dat.Modifiable(e, e.Node == a.node && a.recvIdle(dat.TypeEndpoint, string(e.ID))))
	}
	return m.appendTo(encode(shown))
}
