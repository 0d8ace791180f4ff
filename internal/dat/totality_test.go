package dat

import (
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// otherValue is a value of the parameter that an endpoint with defaults does
// not have; ok is false where there is none, because one word is all there is.
func otherValue(p Param) (value any, ok bool) {
	facts := newFacts()
	switch row := &params[p]; row.kind {
	case ValueHandle:
		return map[ObjectType]Handle{TypePZ: "pz2", TypeEVD: "evd2"}[row.refers], true
	case ValueCount, ValueSize:
		return row.limit(&facts.Attributes), true
	case ValueNamed:
		named := map[string]*string{}
		for name, attr := range row.known(facts) {
			named[name] = ptr(strconv.FormatInt(attr.Max, 10))
		}
		return named, true
	case ValueChoice:
		words := slices.Clone(row.choices)
		if row.supported != nil {
			words = row.supported(&facts.Provider)
		}
		words = slices.DeleteFunc(words, func(w string) bool { return w == row.defaultWord || w == ChoiceDefault })
		if len(words) == 0 {
			return nil, false
		}
		return words[0], true
	default:
		return ptr(int64(3)), true
	}
}

func TestEveryAttributeOfAnEndpointIsAParameter(t *testing.T) {
	var e Endpoint
	attributes := reflect.ValueOf(&e.Attributes).Elem()
	for i := range attributes.NumField() {
		member := attributes.Type().Field(i)
		name := "attributes." + jsonNames(attributes.Type())[i]
		p, ok := ParamByName(name)
		if !ok {
			t.Errorf("%s has no row in the table of parameters", name)
			continue
		}
		if field := params[p].field; field == nil || reflect.ValueOf(field(&e)).Pointer() != attributes.Field(i).Addr().Pointer() {
			t.Errorf("the row of %s does not point to %s", name, member.Name)
		}
		if !strings.HasSuffix(member.Tag.Get("doc"), ".") {
			t.Errorf("%s has no sentence for the API's document", name)
		}
	}
}

func TestEveryRowOfTheParametersIsWhole(t *testing.T) {
	for p := range numParams {
		row := &params[p]
		if row.name == "" || (row.group == GroupNever) != (row.instead != "") {
			t.Errorf("%s: group %s and instead %q do not fit", p, row.group, row.instead)
		}
		settable := row.group != GroupNever || row.createArg != 0
		if settable != (row.kind != ValueOther) || settable && (row.field == nil || row.help == "" || row.createArg == 0) {
			t.Errorf("%s: what some call sets needs a kind, a field, words of help and an argument of dat_ep_create", p)
		}
		kind, what := row.kind, map[string]bool{
			"a limit of the IA by its name":            row.limit != nil && slices.Contains(iaAttributeNames, row.limitName),
			"a default number":                         row.defaultNumber != 0,
			"choices with the default among them":      slices.Contains(row.choices, row.defaultWord),
			"a type that it refers to, and a subtype":  wrongHandle[row.refers] != nil && row.subtype != SubNone,
			"the named attributes that a provider has": row.known != nil,
		}
		need := map[ValueKind][]string{
			ValueCount: {"a limit of the IA by its name", "a default number"}, ValueSize: {"a limit of the IA by its name", "a default number"},
			ValueChoice: {"choices with the default among them"}, ValueHandle: {"a type that it refers to, and a subtype"},
			ValueNamed: {"the named attributes that a provider has"},
		}[kind]
		for name, has := range what {
			if has != slices.Contains(need, name) {
				t.Errorf("%s is a %s: it has %s: %v", p, kind, name, has)
			}
		}
		if (row.supported != nil) != slices.Contains(providerAttributeNames, row.supportedName) {
			t.Errorf("%s: the provider attribute %q that says which words are supported", p, row.supportedName)
		}
	}
}

func TestEveryKindOfValuesHasItsRules(t *testing.T) {
	for k := range ValueKind(numValueKinds) {
		rules := valueKinds[k]
		if rules.set == nil || rules.read == nil || k != ValueOther && (rules.get == nil || rules.setDefault == nil) {
			t.Errorf("%s has a hole in the table of kinds", k)
		}
	}
}

func TestEveryParameterCanBeSetComparedTakenAndReverted(t *testing.T) {
	facts, world := newFacts(), newWorld()
	for p := range numParams {
		value, ok := otherValue(p)
		if params[p].group == GroupNever || !ok {
			continue
		}
		now := newEndpoint(EPUnconnected)
		then, err := CheckEPModify(now, 0, Values{p: value}, facts, world)
		if err != nil {
			t.Errorf("%s: %v", p, err)
			continue
		}
		if SameParams(now, then) || !SameParams(now, then, p) {
			t.Errorf("%s: a change of it alone is seen %v, and beside it %v", p, !SameParams(now, then), !SameParams(now, then, p))
		}
		taken := now.Copy()
		taken.TakeParams(then)
		if !SameParams(taken, then) {
			t.Errorf("%s is not taken", p)
		}
		change := Differences(then, now)
		back, err := CheckEPModify(then, 0, change, facts, world)
		if _, only := change[p]; err != nil || len(change) != 1 || !only || !SameParams(back, now) {
			t.Errorf("%s: the way back is %v (%v)", p, change, err)
		}
	}
}

func TestEveryParameterReadsFromJSONWhatItShows(t *testing.T) {
	for p := range numParams {
		value, ok := otherValue(p)
		if params[p].kind == ValueOther || !ok {
			continue
		}
		raw, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		read, err := p.ReadValue(raw)
		if err != nil || !reflect.DeepEqual(read, value) {
			t.Errorf("%s: %s is read as %v (%v)", p, raw, read, err)
		}
		made, refusal := CheckEPCreate(Values{p: value}, HandleNull, newFacts(), newWorld())
		if refusal != nil || !reflect.DeepEqual(made.Value(p), value) {
			t.Errorf("%s: created with %v it has %v (%v)", p, value, made.Value(p), refusal)
		}
		if null, err := p.ReadValue([]byte(" null ")); null != nil || err != nil {
			t.Errorf("%s: null is read as %v (%v)", p, null, err)
		}
		if _, err := p.ReadValue([]byte(`[1]`)); err == nil {
			t.Errorf("%s reads a list", p)
		}
	}
}

func TestTakeParamsLeavesTheRestOfAnEndpointAlone(t *testing.T) {
	var from, to Endpoint
	fill(reflect.ValueOf(&from).Elem())
	to.TakeParams(&from)
	want := Endpoint{PZ: from.PZ, RecvEVD: from.RecvEVD, RequestEVD: from.RequestEVD, ConnectEVD: from.ConnectEVD, Attributes: from.Attributes}
	want.Attributes.SRQSoftHW = 0 // dat_ep_set_watermark owns it (A8, B10)
	if !reflect.DeepEqual(to, want) {
		t.Errorf("took %+v, want %+v", to, want)
	}
	to.Attributes.EPTransportSpecific["tos"] = "9"
	if _, shared := from.Attributes.EPTransportSpecific["tos"]; shared {
		t.Error("the named attributes are shared")
	}
}

func TestDifferencesOfNamedAttributesRemoveWhatIsGone(t *testing.T) {
	now, then := newEndpoint(EPUnconnected), newEndpoint(EPUnconnected)
	now.Attributes.EPTransportSpecific = map[string]string{"tos": "8", "retry_count": "7", "ack_timeout": "14"}
	then.Attributes.EPTransportSpecific = map[string]string{"tos": "8", "retry_count": "3"}
	want := Values{ParamEPTransportSpecific: map[string]*string{"retry_count": ptr("3"), "ack_timeout": nil}}
	if got := Differences(now, then); !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
