package store

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/datapi/datapi/internal/dat"
)

// living returns the images of the recorded living objects of a type, in no order.
func (r *Recorder) living(t dat.ObjectType) []image {
	r.mu.Lock()
	defer r.mu.Unlock()
	var all []image
	for _, img := range r.images {
		if img.obj.Type() == t {
			all = append(all, img)
		}
	}
	return all
}

// memoryRow is an object of a list from memory, and its place in the order.
type memoryRow struct {
	image
	// key is the member that the list is sorted by, sortable the text by which keys
	// are compared.
	key, sortable string
}

// listFromMemory returns the page of those of the objects that fit: the same as
// listFromDatabase, where these are all.
func (q *Query) listFromMemory(objects []image, plan listPlan) Page {
	var rows []memoryRow
	for _, img := range objects {
		if q.fits(img.obj, plan.filters) {
			key := plan.order.key(img)
			rows = append(rows, memoryRow{img, key, plan.order.sortable(key)})
		}
	}
	page := Page{Items: []dat.Object{}, Partial: true}
	if q.Total {
		total := int64(len(rows))
		page.Total = &total
	}
	slices.SortFunc(rows, q.compare)
	rows = rows[min(q.Offset, len(rows)):]
	if at := plan.after; at != nil {
		last := memoryRow{image{createdChange: at.ID}, at.Key, plan.order.sortable(at.Key)}
		n := slices.IndexFunc(rows, func(row memoryRow) bool { return q.compare(row, last) > 0 })
		if n < 0 {
			n = len(rows)
		}
		rows = rows[n:]
	}
	if len(rows) > plan.limit {
		rows = rows[:plan.limit]
		last := rows[plan.limit-1]
		page.Next = writeCursor(cursor{For: q.signature(), Key: last.key, ID: last.createdChange})
	}
	for _, row := range rows {
		page.Items = append(page.Items, row.obj)
	}
	return page
}

// compare compares two rows by their place in the list.
func (q *Query) compare(a, b memoryRow) int {
	order := strings.Compare(a.sortable, b.sortable)
	if order == 0 {
		order = int(min(max(a.createdChange-b.createdChange, -1), 1))
	}
	if q.Desc {
		return -order
	}
	return order
}

// fits reports whether an object is in the list.
func (q *Query) fits(o dat.Object, filters []askedFilter) bool {
	if !q.Scope.Holds(string(o.Head().IA), o.Head().Labels) {
		return false
	}
	for _, f := range filters {
		if !slices.ContainsFunc(f.members(), func(member string) bool {
			return slices.ContainsFunc(wordsOf(o, member), func(word string) bool { return slices.Contains(f.values, word) })
		}) {
			return false
		}
	}
	h := o.Head()
	for key, values := range q.Labels {
		value, there := h.Labels[key]
		if !there || !slices.Contains(values, value) {
			return false
		}
	}
	for _, key := range q.HasLabels {
		if _, there := h.Labels[key]; !there {
			return false
		}
	}
	name := string(h.Name)
	return len(q.Names) == 0 || name != "" && slices.ContainsFunc(q.Names, func(glob string) bool { return matchesGlob(name, glob) })
}

// matchesGlob reports whether a text fits a pattern in which * stands for any text.
func matchesGlob(text, glob string) bool {
	parts := strings.Split(glob, "*")
	if len(parts) == 1 {
		return text == glob
	}
	first, last := parts[0], parts[len(parts)-1]
	text, ok := strings.CutPrefix(text, first)
	if !ok {
		return false
	}
	for _, part := range parts[1 : len(parts)-1] {
		at := strings.Index(text, part)
		if at < 0 {
			return false
		}
		text = text[at+len(part):]
	}
	return strings.HasSuffix(text, last)
}

// memberFields has, for each Go type of objects, the fields by the names of their
// members, as indexes for reflect.
var memberFields sync.Map

// fieldOf returns the field of a member; known is false if the type has no such member.
func fieldOf(t reflect.Type, member string) (index []int, known bool) {
	fields, ok := memberFields.Load(t)
	if !ok {
		all := map[string][]int{}
		for _, f := range reflect.VisibleFields(t) {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			all[name] = f.Index
		}
		fields, _ = memberFields.LoadOrStore(t, all)
	}
	index, known = fields.(map[string][]int)[member]
	return index, known
}

// wordsOf returns the words of a member of an object as its JSON has them: one of a
// word or a number, several of a list, none of null.
func wordsOf(o dat.Object, member string) []string {
	v := reflect.ValueOf(o).Elem()
	field, known := fieldOf(v.Type(), member)
	if !known {
		return nil
	}
	body, err := json.Marshal(v.FieldByIndex(field).Interface())
	if err != nil || string(body) == "null" {
		return nil
	}
	if body[0] == '[' {
		var list []string
		if json.Unmarshal(body, &list) != nil {
			return nil
		}
		return list
	}
	var word string
	if json.Unmarshal(body, &word) != nil {
		word = string(body) // a number
	}
	return []string{word}
}
