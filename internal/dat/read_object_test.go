package dat

import (
	"encoding/json"
	"maps"
	"reflect"
	"testing"
)

// without is the JSON of an object without one member, or without one member of
// a member.
func without(t *testing.T, members map[string]json.RawMessage, name, below string) []byte {
	t.Helper()
	rest := maps.Clone(members)
	delete(rest, name)
	if below != "" {
		var inner map[string]json.RawMessage
		if err := json.Unmarshal(members[name], &inner); err != nil {
			t.Fatal(err)
		}
		delete(inner, below)
		rest[name], _ = json.Marshal(inner)
	}
	data, err := json.Marshal(rest)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestAnEndpointRecordedWithoutAParameterHasTheDefaultOfACreatedOne(t *testing.T) {
	created, refusal := CheckEPCreate(nil, HandleNull, newFacts(), newWorld())
	wantAccepted(t, refusal)
	members := membersOf(t, created)
	for name, below := range map[string][]string{
		"attributes": jsonNames(reflect.TypeFor[EPAttributes]()), "watermarks": jsonNames(reflect.TypeFor[Watermarks]()),
		"probe": {""}, "labels": {""}, "state": {""}, "pz": {""}, "peer": {""}, "transport": {"", "qp_num"}, "last_event": {""},
	} {
		for _, member := range append(below, "") {
			read, err := ReadObject(TypeEndpoint, without(t, members, name, member))
			if err != nil || !reflect.DeepEqual(read, Object(created)) {
				t.Errorf("without %s %s it is read as %+v (%v)", name, member, read, err)
			}
		}
	}
}

func TestAMemberThatIsRecordedAsNullIsNull(t *testing.T) {
	read, err := ReadObject(TypeEndpoint, []byte(`{"pz":null,"probe":null,"watermarks":{"soft_high":null,"hard_high":0}}`))
	if err != nil {
		t.Fatal(err)
	}
	e := read.(*Endpoint)
	if e.PZ != HandleNull || e.Probe != nil || e.Watermarks.SoftHigh.Finite() || e.Watermarks.HardHigh != 0 {
		t.Errorf("read %+v", e)
	}
	if _, err := ReadObject(TypePZ, []byte(`[]`)); err == nil {
		t.Error("a list is read as an object")
	}
}

func TestEveryMemberThatARecordLacksHasTheValueOfNew(t *testing.T) {
	for _, typ := range ObjectTypes() {
		o := typ.New()
		fill(reflect.ValueOf(o).Elem())
		fresh, members := membersOf(t, typ.New()), membersOf(t, o)
		for name := range members {
			read, err := ReadObject(typ, without(t, members, name, ""))
			if err != nil || string(membersOf(t, read)[name]) != string(fresh[name]) {
				t.Errorf("%s without %s is read as %+v (%v)", typ, name, read, err)
			}
		}
	}
}

func TestNewObjectsHaveNoListAndNoMapThatIsNull(t *testing.T) {
	var walk func(t *testing.T, at string, v reflect.Value)
	walk = func(t *testing.T, at string, v reflect.Value) {
		switch v.Kind() {
		case reflect.Struct:
			for i := range v.NumField() {
				if v.Type() != reflect.TypeFor[Time]() {
					walk(t, at+"."+v.Type().Field(i).Name, v.Field(i))
				}
			}
		case reflect.Map, reflect.Slice:
			if v.IsNil() && at != "cr.PrivateData" { // left out where it is empty
				t.Errorf("%s is null", at)
			}
		default: // null only where the wire has it so
		}
	}
	for _, typ := range ObjectTypes() {
		walk(t, typ.String(), reflect.ValueOf(typ.New()).Elem())
	}
}
