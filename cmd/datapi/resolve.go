package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/google/uuid"

	"github.com/datapi/datapi/internal/dat"
)

// fillPath returns the path with the positional arguments in their places. A word for the id of an object is the object's
// name if it is no id.
func fillPath(ctx context.Context, cl *client, n noun, path string, args []string) (string, error) {
	for i, place := range placeholder.FindAllString(path, -1) {
		word := args[i]
		if t, err := typeOfHandle(n.watched); place == "{id}" && err == nil {
			id, err := idOf(ctx, cl, t, word)
			if err != nil {
				return "", err
			}
			word = id
		}
		path = strings.Replace(path, place, url.PathEscape(word), 1)
	}
	return path, nil
}

// checkWord returns an error for a word that can be neither an id nor a name.
func checkWord(n noun, word string) error {
	if word == "" || word == "." || word == ".." || strings.ContainsAny(word, "*/") {
		return usage(fmt.Errorf("%q is neither an id nor a name of %s", word, n.objects))
	}
	return nil
}

// fillHandles replaces the names among a body's handles by ids.
func fillHandles(ctx context.Context, cl *client, members []member, object map[string]any) error {
	for _, m := range members {
		word, ok := object[m.wire].(string)
		if m.kind != handle || !ok {
			continue
		}
		t, err := typeOfHandle(m.wire)
		if err != nil {
			return err
		}
		if object[m.wire], err = idOf(ctx, cl, t, word); err != nil {
			return err
		}
	}
	return nil
}

// fillFilters replaces the names in a query's filters by ids. A word of which nobody could ever have heard is an error, so
// that a mistake is no empty list.
func fillFilters(ctx context.Context, cl *client, n noun, members []member, query url.Values) error {
	for _, m := range members {
		if m.kind != handles {
			continue
		}
		for i, word := range query[m.wire] {
			id, err := filterID(ctx, cl, n, m, query["type"], word)
			if err != nil {
				return err
			}
			query[m.wire][i] = id
		}
	}
	return nil
}

// filterID returns the id that a filter takes for a word. The log also knows nodes and IAs that are there no more.
func filterID(ctx context.Context, cl *client, n noun, m member, types []string, word string) (string, error) {
	if uuid.Validate(word) == nil {
		return word, nil
	}
	if m.wire == "object" {
		return idOfAny(ctx, cl, types, word)
	}
	t, err := typeOfHandle(m.wire)
	if err != nil {
		return "", err
	}
	id, err := idOf(ctx, cl, t, word)
	if err == nil && t == dat.TypeIA {
		err = mustExist(ctx, cl, t, id)
	}
	var unknown *unknownNameError
	if errors.As(err, &unknown) && n.name == changeNoun.name {
		found, missing := countOf(ctx, cl, n.path, url.Values{m.wire: {word}})
		if missing == nil && found > 0 {
			return word, nil
		}
	}
	return id, err
}

// unknownNameError is the error for a name that no object has.
type unknownNameError struct{ text string }

func (e *unknownNameError) Error() string { return e.text }

// unknownName returns the refusal of a name that nobody has.
func unknownName(objects, name string) error {
	return refused(&unknownNameError{fmt.Sprintf("none of the %s has the name %q, and it is no id", objects, name)})
}

// idOf returns the id of the living object of a type with a name; an id is returned as it is.
func idOf(ctx context.Context, cl *client, t dat.ObjectType, word string) (string, error) {
	n := nounOf(t)
	switch {
	case uuid.Validate(word) == nil:
		return word, nil
	case checkWord(n, word) != nil:
		return "", checkWord(n, word)
	case t == dat.TypeIA:
		return idOfIA(ctx, cl, word)
	case t == dat.TypeNode:
		return word, mustExist(ctx, cl, t, word)
	case !t.Nameable():
		return "", unknownName(n.objects, word)
	}
	ids, err := idsOf(ctx, cl, n.path, url.Values{"name": {word}, "limit": {"1"}})
	if err == nil && len(ids) == 0 {
		err = unknownName(n.objects, word)
	}
	if err != nil {
		return "", err
	}
	return ids[0], nil
}

// idOfIA returns the id of an IA: the name that it has on its node is enough where one node has it.
func idOfIA(ctx context.Context, cl *client, word string) (string, error) {
	if strings.Contains(word, "@") {
		return word, nil
	}
	all, err := idsOf(ctx, cl, "/ias", url.Values{"limit": {"1000"}})
	if err != nil {
		return "", err
	}
	var found []string
	for _, id := range all {
		if strings.HasPrefix(id, word+"@") {
			found = append(found, id)
		}
	}
	switch len(found) {
	case 0:
		return "", unknownName(iaNoun.objects, word)
	case 1:
		return found[0], nil
	default:
		return "", refused(fmt.Errorf("several nodes have the IA %q; say which: %s", word, strings.Join(found, ", ")))
	}
}

// mustExist returns an error if there is no such IA or node.
func mustExist(ctx context.Context, cl *client, t dat.ObjectType, word string) error {
	n := nounOf(t)
	_, err := cl.do(ctx, &request{method: http.MethodGet, path: n.path + "/" + url.PathEscape(word), query: url.Values{}})
	var no *refusal
	if errors.As(err, &no) && no.status == http.StatusNotFound {
		return unknownName(n.objects, word)
	}
	return err
}

// idOfNode returns the id by which the log knows a node.
func idOfNode(ctx context.Context, cl *client, name string) (string, error) {
	a, err := cl.do(ctx, &request{method: http.MethodGet, path: nodeNoun.path + "/" + url.PathEscape(name)})
	if err != nil {
		return "", err
	}
	var node struct{ ID string }
	return node.ID, decode(a.body, &node)
}

// idOfAny returns the id of the one object, of the given types or of any, that has a name.
func idOfAny(ctx context.Context, cl *client, types []string, word string) (string, error) {
	var found, kinds []string
	for _, t := range append(dat.ObjectTypes(), dat.TypeNode) {
		if asked := typesAsked(types); len(asked) > 0 && !asked[t] {
			continue
		}
		id, err := idOf(ctx, cl, t, word)
		switch {
		case err == nil && t == dat.TypeIA:
			err = mustExist(ctx, cl, t, id)
		case err == nil && t == dat.TypeNode:
			id, err = idOfNode(ctx, cl, word)
		}
		var unknown *unknownNameError
		if errors.As(err, &unknown) {
			continue
		}
		if err != nil {
			return "", err
		}
		found, kinds = append(found, id), append(kinds, t.String())
	}
	switch len(found) {
	case 0:
		return "", refused(fmt.Errorf("nothing that lives has the name %q, and it is no id; what was freed is found by its id", word))
	case 1:
		return found[0], nil
	default:
		return "", refused(fmt.Errorf("%q is the name of several objects; say which with --type: %s", word, strings.Join(kinds, ", ")))
	}
}

// typesAsked returns the types that the words of a filter name; a wrong word is left to the service.
func typesAsked(words []string) map[dat.ObjectType]bool {
	asked := map[dat.ObjectType]bool{}
	for _, word := range words {
		var t dat.ObjectType
		if t.UnmarshalText([]byte(word)) == nil {
			asked[t] = true
		}
	}
	return asked
}

// idsOf returns the ids of a list.
func idsOf(ctx context.Context, cl *client, path string, query url.Values) ([]string, error) {
	query.Set("fields", "id")
	a, err := cl.do(ctx, &request{method: http.MethodGet, path: path, query: query})
	if err != nil {
		return nil, err
	}
	var found struct {
		Items []struct {
			ID json.RawMessage `json:"id"`
		} `json:"items"`
	}
	if err := json.Unmarshal(a.body, &found); err != nil {
		return nil, refused(fmt.Errorf("the list of %s is no JSON: %w", path, err))
	}
	ids := make([]string, len(found.Items))
	for i, item := range found.Items {
		ids[i] = strings.Trim(string(item.ID), `"`)
	}
	return ids, nil
}

// countOf returns how many objects a list has, 1 where it has more.
func countOf(ctx context.Context, cl *client, path string, query url.Values) (int, error) {
	query.Set("limit", "1")
	ids, err := idsOf(ctx, cl, path, query)
	return len(ids), err
}

// typeOfHandle returns the type of object that a member names by its last word: a `recv_evd` is an EVD.
func typeOfHandle(wire string) (t dat.ObjectType, err error) {
	err = t.UnmarshalText([]byte(wire[strings.LastIndexByte(wire, '_')+1:]))
	return t, err
}
