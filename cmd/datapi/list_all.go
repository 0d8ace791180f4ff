package main

import (
	"context"
	"encoding/json"
	"fmt"
)

// allPages makes the call of a list again for each page after the first, and returns one answer with the rows of all.
func (r call) allPages(ctx context.Context, first *answer, args []string) (*answer, error) {
	var whole map[string]json.RawMessage
	if err := json.Unmarshal(first.body, &whole); err != nil {
		return nil, fmt.Errorf("the answer is no list: %w", err)
	}
	var rows []json.RawMessage
	for body := first.body; ; {
		var found page
		if err := json.Unmarshal(body, &found); err != nil {
			return nil, fmt.Errorf("the answer is no list: %w", err)
		}
		rows = append(rows, found.Items...)
		if found.Next == nil {
			break
		}
		r.request.query.Set("cursor", *found.Next)
		r.request.query.Del("offset")
		next, err := r.ask(ctx, args)
		if err != nil {
			return nil, err
		}
		body = next.body
	}
	items, err := json.Marshal(rows)
	if err != nil {
		return nil, err
	}
	whole["items"], whole["next_cursor"] = items, json.RawMessage("null")
	body, err := json.Marshal(whole)
	return &answer{first.status, body}, err
}
