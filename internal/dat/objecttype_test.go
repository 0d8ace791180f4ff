package dat

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"
)

func TestEveryObjectTypeHasAWholeRow(t *testing.T) {
	words := map[string]bool{}
	for _, typ := range ObjectTypes() {
		row := &objectTypes[typ]
		if row.word == "" || row.plural == "" || words[row.word] || words[row.plural] {
			t.Errorf("type %d is called %q and %q", typ, row.word, row.plural)
		}
		words[row.word], words[row.plural] = true, true
		if row.empty == nil || row.empty().Type() != typ {
			t.Errorf("%s makes an object of another type, or none", typ)
		}
		if row.invalid == SubNone || (row.inUse != SubNone) != (row.users != "") {
			t.Errorf("%s: subtypes %s and %s, users %q", typ, row.invalid, row.inUse, row.users)
		}
		if row.consumers != (row.rank > 0) || row.consumers != (row.usage != nil) {
			t.Errorf("%s: what a consumer creates is counted and made again", typ)
		}
		if l, ok := typ.Limit(); ok && (!slices.Contains(iaAttributeNames, l.Name) || l.Subtype == SubNone || row.usage == nil) {
			t.Errorf("%s: its limit %q is no attribute of an IA, or has no subtype", typ, l.Name)
		}
	}
}

func TestD36WhatOthersCanUseRefusesToBeFreedWithASubtypeOfItsOwn(t *testing.T) {
	seen := map[Subtype]ObjectType{}
	for _, typ := range []ObjectType{TypePZ, TypeEVD, TypeSRQ, TypeLMR} {
		sub, users := typ.InUse()
		if other, twice := seen[sub]; twice || sub == SubNone || users == "" {
			t.Errorf("%s has %s like %s, because of %q", typ, sub, other, users)
		}
		seen[sub] = typ
	}
}

func TestD39EveryCountOfAnIAIsOfOneType(t *testing.T) {
	var u IAUsage
	for _, typ := range ObjectTypes() {
		if n := u.Of(typ); n != nil {
			*n++
		}
	}
	for i, counts := 0, reflect.ValueOf(u); i < counts.NumField(); i++ {
		if counts.Field(i).Int() != 1 {
			t.Errorf("%s counts %d types", counts.Type().Field(i).Name, counts.Field(i).Int())
		}
	}
}

// typesOfHandles are the types of the objects that an object of a type can name,
// by the last word of its members: `recv_evd` is an EVD.
func typesOfHandles(typ ObjectType) []ObjectType {
	var found []ObjectType
	object := reflect.TypeOf(typ.New()).Elem()
	for i, name := range jsonNames(object) {
		var used ObjectType
		word := name[strings.LastIndexByte(name, '_')+1:]
		if object.Field(i).Type == reflect.TypeFor[Handle]() && used.UnmarshalText([]byte(word)) == nil {
			found = append(found, used)
		}
	}
	return found
}

func TestT49WhatIsUsedIsMadeAgainBeforeItsUsers(t *testing.T) {
	order := RemakeOrder()
	for i, typ := range order {
		for _, used := range typesOfHandles(typ) {
			if j := slices.Index(order, used); j < 0 || j > i {
				t.Errorf("%s uses %s and comes before it in %s", typ, used, order)
			}
		}
	}
	if len(order) != int(numObjectTypes)-2 || slices.Contains(order, TypeIA) || slices.Contains(order, TypeCR) {
		t.Errorf("made again are %s; want all but the IA itself and requests, which end with their peer", order)
	}
}

func TestLiveMembersAreClearedAndNoOthers(t *testing.T) {
	live := map[ObjectType][]string{
		TypeIA: {"usage"}, TypeEVD: {"depth", "dropped", "mode", "in_use_by"},
		TypeSRQ: {"available_dto_count", "outstanding_dto_count"}, TypeCR: {"private_data"},
	}
	for _, typ := range ObjectTypes() {
		o := typ.New()
		fill(reflect.ValueOf(o).Elem())
		before := membersOf(t, o)
		ClearLive(o)
		for name, was := range before {
			if changed := string(membersOf(t, o)[name]) != string(was); changed != slices.Contains(live[typ], name) {
				t.Errorf("%s of %s changed: %v", name, typ, changed)
			}
		}
	}
}

// membersOf are the members of an object in JSON.
func membersOf(t *testing.T, v any) map[string]json.RawMessage {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(data, &members); err != nil {
		t.Fatal(err)
	}
	return members
}
