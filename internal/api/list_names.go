package api

import (
	"context"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/store"
)

// namedFilters are the filters that take the id of an object, or its name. A name that nobody has is refused, as it would
// find nothing for ever; an id is not, as its object may have ended.
var namedFilters = map[string]dat.ObjectType{
	"pz": dat.TypePZ, "evd": dat.TypeEVD, "srq": dat.TypeSRQ, "lmr": dat.TypeLMR,
	"psp": dat.TypePSP, "rsp": dat.TypeRSP, "endpoint": dat.TypeEndpoint,
}

// resolveFilters replaces the names in the filters of a list by ids.
func (a *API) resolveFilters(ctx context.Context, filters map[string][]string) error {
	for name, values := range filters {
		t, ok := namedFilters[name]
		if !ok {
			continue
		}
		for i, word := range values {
			id, err := a.idOf(ctx, t, name, word)
			if err != nil {
				return err
			}
			values[i] = id
		}
	}
	return nil
}

// idOf returns the id that a word of a filter means: itself where it has the form of one, else that of the living object of
// the type with this name, if it lies in the caller's scope.
func (a *API) idOf(ctx context.Context, t dat.ObjectType, filter, word string) (string, error) {
	if uuid.Validate(word) == nil {
		return word, nil
	}
	unknown := wrongQuery(filter, "must be an id, or the name of a living "+t.String())
	if word == "" || strings.Contains(word, "*") {
		return "", unknown
	}
	found, err := a.store.List(ctx, store.Query{Type: t, Names: []string{word}, Scope: callerScope(ctx), Limit: 1})
	if err != nil {
		return "", err
	}
	if len(found.Items) == 0 {
		return "", unknown
	}
	return string(found.Items[0].Head().ID), nil
}

// resolveObjects replaces the names in the filter of the log for objects by ids: a name is one of a type, so one type must
// be given beside it.
func (a *API) resolveObjects(ctx context.Context, objects []string, types []dat.ObjectType) ([]string, error) {
	ids := slices.Clone(objects)
	for i, word := range ids {
		if uuid.Validate(word) == nil || strings.Contains(word, "@") { // an adapter's id has an @
			continue
		}
		if len(types) != 1 || types[0] == dat.TypeIA || int(types[0]) >= len(objectKinds) {
			return nil, wrongQuery("object", "must be an id, or a name beside one type, such as object=ost-7&type=endpoint")
		}
		id, err := a.idOf(ctx, types[0], "object", word)
		if err != nil {
			return nil, err
		}
		ids[i] = id
	}
	return ids, nil
}
