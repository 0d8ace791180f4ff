package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/google/uuid"

	"github.com/datapi/datapi/internal/dat"
)

// batchNames replaces the names in the operations of a batch by ids.
type batchNames struct {
	cl *client
	// found are what stands in place of names: ids, and references to operations that make objects with them.
	found map[dat.ObjectType]map[string]string
}

// resolve replaces the names in the path and the handles of an operation, which is the nth. What nobody is called is left
// to the service to refuse, and so is what is no operation.
func (b *batchNames) resolve(ctx context.Context, n int, operation json.RawMessage) (json.RawMessage, error) {
	var whole map[string]any
	if decode(operation, &whole) != nil {
		return operation, nil
	}
	path, _ := whole["path"].(string)
	segments := strings.Split(strings.TrimPrefix(path, "/"), "/")
	t, known := typeOfPlural(segments[0])
	if !known {
		return operation, nil
	}
	if len(segments) > 1 {
		id, err := b.id(ctx, t, segments[1])
		if err != nil {
			return nil, err
		}
		segments[1] = id
		whole["path"] = "/" + strings.Join(segments, "/")
	}
	body, _ := whole["body"].(map[string]any)
	if err := b.handles(ctx, body); err != nil {
		return nil, err
	}
	if name, ok := body["name"].(string); ok && len(segments) == 1 {
		b.remember(t, name, fmt.Sprintf("$%d.id", n))
	}
	return json.Marshal(whole)
}

// handles replaces the names among the handles of a body.
func (b *batchNames) handles(ctx context.Context, body map[string]any) error {
	for member, value := range body {
		word, isText := value.(string)
		t, err := typeOfHandle(member)
		if !isText || err != nil || t == dat.TypeNode {
			continue
		}
		if body[member], err = b.id(ctx, t, word); err != nil {
			return err
		}
	}
	return nil
}

// id returns what stands in place of a word: the id, or the word itself where it is one or nobody has that name.
func (b *batchNames) id(ctx context.Context, t dat.ObjectType, word string) (string, error) {
	if uuid.Validate(word) == nil || strings.HasPrefix(word, "$") || checkWord(nounOf(t), word) != nil {
		return word, nil
	}
	if id, ok := b.found[t][word]; ok {
		return id, nil
	}
	id, err := idOf(ctx, b.cl, t, word)
	var unknown *unknownNameError
	if errors.As(err, &unknown) {
		id, err = word, nil
	}
	if err == nil {
		b.remember(t, word, id)
	}
	return id, err
}

// remember keeps what stands in place of a name.
func (b *batchNames) remember(t dat.ObjectType, name, id string) {
	if b.found[t] == nil {
		b.found[t] = map[string]string{}
	}
	b.found[t][name] = id
}

// typeOfPlural returns the type whose objects are listed below a path's first part.
func typeOfPlural(plural string) (t dat.ObjectType, known bool) {
	for _, t := range dat.ObjectTypes() {
		if t.Plural() == plural {
			return t, true
		}
	}
	return 0, false
}
