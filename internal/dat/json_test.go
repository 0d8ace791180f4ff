package dat

import (
	"encoding"
	"encoding/json"
	"reflect"
	"testing"
	"time"
)

// enums are the names of every enum of the package.
var enums = map[string][]string{
	"EPState": epStateNames[:], "EventNumber": eventNumberNames[:], "Stream": streamNames[:],
	"CompletionFlag": completionFlagNames[:], "QOS": qosNames[:], "ServiceType": serviceTypeNames[:],
	"CloseFlag": closeFlagNames[:], "EPCreator": epCreatorNames[:], "PSPFlag": pspFlagNames[:],
	"MemType": memTypeNames[:], "Privilege": privilegeNames[:], "EVDMode": evdModeNames[:],
	"IAState": iaStateNames[:], "SRQState": srqStateNames[:], "DTOStatus": dtoStatusNames[:],
	"DTOKind": dtoKindNames[:], "Return": returnNames[:], "Subtype": subtypeNames[:],
	"ObjectType": objectTypeNames[:], "Input": inputWords[:], "VerdictKind": verdictKindNames[:],
	"Group": groupNames[:], "ValueKind": valueKindNames[:],
}

// zeroes are pointers to a value of each enum, to read and write with.
var zeroes = map[string]encoding.TextUnmarshaler{
	"EPState": new(EPState), "EventNumber": new(EventNumber), "Stream": new(Stream),
	"CompletionFlag": new(CompletionFlag), "QOS": new(QOS), "ServiceType": new(ServiceType),
	"CloseFlag": new(CloseFlag), "EPCreator": new(EPCreator), "PSPFlag": new(PSPFlag),
	"MemType": new(MemType), "Privilege": new(Privilege), "EVDMode": new(EVDMode),
	"IAState": new(IAState), "SRQState": new(SRQState), "DTOStatus": new(DTOStatus),
	"DTOKind": new(DTOKind), "Return": new(Return), "Subtype": new(Subtype),
	"ObjectType": new(ObjectType), "Input": new(Input), "VerdictKind": new(VerdictKind),
	"Group": new(Group), "ValueKind": new(ValueKind),
}

func TestEveryEnumValueHasANameOfItsOwn(t *testing.T) {
	for enum, names := range enums {
		seen := map[string]bool{}
		for i, name := range names {
			null := i == 0 && (enum == "EventNumber" || enum == "EVDMode")
			if seen[name] || name == "" && !null {
				t.Errorf("%s %d is named %q", enum, i, name)
			}
			seen[name] = true
		}
	}
}

func TestEveryEnumValueReadsBackAsItWasWritten(t *testing.T) {
	for enum, names := range enums {
		p := zeroes[enum]
		v := reflect.ValueOf(p).Elem()
		for i, name := range names {
			v.SetUint(uint64(i))
			text, err := v.Interface().(encoding.TextMarshaler).MarshalText()
			if err != nil || string(text) != name {
				t.Errorf("%s %d writes %q, %v", enum, i, text, err)
			}
			data, err := json.Marshal(v.Interface())
			if err != nil {
				t.Errorf("%s %s: %v", enum, name, err)
			}
			v.SetUint(uint64(len(names) - 1 - i))
			if err := json.Unmarshal(data, p); err != nil || v.Uint() != uint64(i) {
				t.Errorf("%s %s reads back as %d from %s: %v", enum, name, v.Uint(), data, err)
			}
		}
	}
}

func TestEnumsRefuseWordsAndNumbersOutsideTheirTable(t *testing.T) {
	for enum, names := range enums {
		p := zeroes[enum]
		v := reflect.ValueOf(p).Elem()
		if err := p.UnmarshalText([]byte("NO_SUCH_WORD")); err == nil {
			t.Errorf("%s reads a word that it does not have", enum)
		}
		v.SetUint(uint64(len(names)))
		if text, err := v.Interface().(encoding.TextMarshaler).MarshalText(); err == nil {
			t.Errorf("%s writes a value without a name as %q", enum, text)
		}
		v.SetUint(0)
	}
}

func TestParametersHaveNamesOfTheirOwn(t *testing.T) {
	for p := range numParams {
		if found, ok := ParamByName(p.String()); !ok || found != p {
			t.Errorf("%s is found as %v", p, found)
		}
	}
	if _, ok := ParamByName("attributes.colour"); ok {
		t.Error("an unknown name is found")
	}
}

// fill sets every member of a value that is on the wire to something that is not its zero, so that a member
// that gets lost on the way is seen.
func fill(v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[Time]() {
			v.Set(reflect.ValueOf(At(time.Unix(1700000000, 123456789))))
			return
		}
		for i := range v.NumField() {
			if v.Type().Field(i).Tag.Get("json") != "-" { // not on the wire
				fill(v.Field(i))
			}
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem())
	case reflect.Slice:
		if v.Type() == reflect.TypeFor[json.RawMessage]() {
			v.SetBytes([]byte(`{"a":1}`))
			return
		}
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0))
	case reflect.Map:
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		fill(key)
		fill(value)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(key, value)
	case reflect.String:
		v.SetString("a-word")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int32, reflect.Int64:
		v.SetInt(5)
	case reflect.Uint8:
		if v.Type() == reflect.TypeFor[ServiceType]() {
			return // RC is the only one
		}
		v.SetUint(1)
	case reflect.Uint32, reflect.Uint64:
		v.SetUint(7)
	default:
		panic("a member of kind " + v.Kind().String())
	}
}

func TestEveryTypeReadsBackAsItWasWritten(t *testing.T) {
	all := []any{new(Change), new(Event), new(EventData), new(EPStatus), new(RecvQuery), new(DTOCounters), new(ObjectRef)}
	for _, t := range ObjectTypes() {
		all = append(all, t.New())
	}
	for _, p := range all {
		v := reflect.ValueOf(p).Elem()
		fill(v)
		data, err := json.Marshal(p)
		if err != nil {
			t.Errorf("%s: %v", v.Type(), err)
			continue
		}
		back := reflect.New(v.Type())
		if err := json.Unmarshal(data, back.Interface()); err != nil {
			t.Errorf("%s: %v", v.Type(), err)
		}
		if !reflect.DeepEqual(p, back.Interface()) {
			t.Errorf("%s differs after %s:\n%+v\n%+v", v.Type(), data, p, back.Interface())
		}
	}
}

func TestNullsOfDATAreNullOnTheWire(t *testing.T) { // B7: an event that DAT has no number for
	for want, v := range map[string]any{
		`{"id":null,"type":"pz","name":null}`: map[string]any{"type": TypePZ, "id": HandleNull, "name": Name("")},
		`[null,3]`:                            []Watermark{WatermarkInfinite, 3},
		`[null,"DAT_SOFTWARE_EVENT"]`:         []EventNumber{EventNone, EventSoftware},
		`[null,"THRESHOLD"]`:                  []EVDMode{ModeNone, ModeThreshold},
		`[null]`:                              []Subtype{SubNone},
	} {
		var a, b any
		data, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		_ = json.Unmarshal(data, &a)
		_ = json.Unmarshal([]byte(want), &b)
		if !reflect.DeepEqual(a, b) {
			t.Errorf("got %s, want %s", data, want)
		}
	}
}

func TestClonesShareNothingThatChanges(t *testing.T) {
	for _, typ := range ObjectTypes() {
		if typ == TypeIA {
			continue // the attributes of an IA never change in place and are shared
		}
		o := typ.New()
		fill(reflect.ValueOf(o).Elem())
		before, _ := json.Marshal(o)
		c := o.Clone()
		if !reflect.DeepEqual(o, c) {
			t.Errorf("%s: the clone differs", o.Type())
		}
		scramble(reflect.ValueOf(c).Elem())
		if after, _ := json.Marshal(o); string(after) != string(before) {
			t.Errorf("%s: a change of the clone shows in the original:\n%s\n%s", o.Type(), before, after)
		}
	}
}

// scramble changes what the slices, maps and pointers of a value lead to.
func scramble(v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type() != reflect.TypeFor[Time]() {
				scramble(v.Field(i))
			}
		}
	case reflect.Pointer:
		scramble(v.Elem())
		v.Elem().SetZero()
	case reflect.Slice:
		v.Index(0).SetZero()
	case reflect.Map:
		v.Clear()
	default: // copied with the value
	}
}
