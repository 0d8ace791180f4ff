package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"

	"github.com/google/uuid"

	"github.com/datapi/datapi/internal/dat"
)

// fillPath returns the path with the positional arguments in their places. A word for the id of an object that can have
// a name is the object's name if it is no id.
func fillPath(ctx context.Context, cl *client, n noun, path string, args []string) (string, error) {
	for i, place := range placeholder.FindAllString(path, -1) {
		word := args[i]
		if place == "{id}" && n.named && uuid.Validate(word) != nil {
			id, err := idOf(ctx, cl, n, word)
			if err != nil {
				return "", err
			}
			word = id
		}
		path = strings.Replace(path, place, url.PathEscape(word), 1)
	}
	return path, nil
}

// idOf returns the id of the living object with a name.
func idOf(ctx context.Context, cl *client, n noun, name string) (string, error) {
	if strings.ContainsAny(name, "*/") {
		return "", usage(fmt.Errorf("%q is neither an id nor a name of %s", name, n.objects))
	}
	a, err := cl.do(ctx, &request{method: "GET", path: n.path, query: url.Values{"name": {name}, "limit": {"1"}}})
	if err != nil {
		return "", err
	}
	var found struct {
		Items []struct {
			ID string `json:"id"`
		} `json:"items"`
	}
	if err := json.Unmarshal(a.body, &found); err != nil {
		return "", refused(fmt.Errorf("the list of %s is no JSON: %w", n.objects, err))
	}
	if len(found.Items) == 0 {
		return "", refused(fmt.Errorf("none of the %s has the name %q, and it is no id", n.objects, name))
	}
	return found.Items[0].ID, nil
}

// fillHandles replaces the names among a body's handles by ids.
func fillHandles(ctx context.Context, cl *client, members []member, object map[string]any) error {
	for _, m := range members {
		word, ok := object[m.wire].(string)
		if m.kind != handle || !ok || uuid.Validate(word) == nil {
			continue
		}
		t, err := typeOfHandle(m.wire)
		if err != nil {
			return err
		}
		id, err := idOf(ctx, cl, nounOf(t), word)
		if err != nil {
			return err
		}
		object[m.wire] = id
	}
	return nil
}

// typeOfHandle returns the type of object that a member names by its last word: a `recv_evd` is an EVD.
func typeOfHandle(wire string) (t dat.ObjectType, err error) {
	err = t.UnmarshalText([]byte(wire[strings.LastIndexByte(wire, '_')+1:]))
	return t, err
}
