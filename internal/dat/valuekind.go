package dat

import (
	"bytes"
	"encoding"
	"encoding/json"
	"maps"
	"reflect"
)

// valueKind holds the functions for all parameters of one ValueKind. A member is
// what the field of the parameter's row points to.
type valueKind struct {
	// set judges a value and puts it into the member.
	set func(s *setter, p Param, member, value any) *Error
	// get returns what the member holds, as Values has it.
	get func(member any) any
	// read returns a value from JSON other than null, as Values has it.
	read func(raw []byte) (any, error)
	// setDefault puts the default of the row into the member; without limits a number
	// is not bounded.
	setDefault func(row *param, member any, limits *IAAttributes)
}

// valueKinds holds a row for each kind of values.
var valueKinds = [numValueKinds]valueKind{
	ValueOther:     {set: (*setter).refuseAny, read: readAs[any]},
	ValueHandle:    {set: (*setter).setHandle, get: getAs[Handle], read: readAs[Handle], setDefault: setDefaultHandle},
	ValueCount:     {set: setNumber[int32], get: getNumber[int32], read: readAs[int64], setDefault: setDefaultNumber[int32]},
	ValueSize:      {set: setNumber[int64], get: getNumber[int64], read: readAs[int64], setDefault: setDefaultNumber[int64]},
	ValueChoice:    {set: (*setter).setChoice, get: getWord, read: readAs[string], setDefault: setDefaultChoice},
	ValueNamed:     {set: (*setter).setNamed, get: getNamed, read: readAs[map[string]*string], setDefault: setDefaultNamed},
	ValueWatermark: {set: (*setter).setWatermark, get: getWatermark, read: readAs[*int64], setDefault: setDefaultWatermark},
}

// ReadValue returns a value of the parameter from JSON as Values has it: nil
// for null, an error for JSON of another type.
func (p Param) ReadValue(raw []byte) (any, error) {
	if bytes.Equal(bytes.TrimSpace(raw), jsonNull) {
		return nil, nil
	}
	return valueKinds[params[p].kind].read(raw)
}

func readAs[T any](raw []byte) (any, error) {
	var v T
	if err := json.Unmarshal(raw, &v); err != nil {
		return nil, err
	}
	return v, nil
}

func getAs[T any](member any) any { return *member.(*T) }

func getNumber[N int32 | int64](member any) any { return int64(*member.(*N)) }

func getWord(member any) any {
	word, err := member.(encoding.TextMarshaler).MarshalText()
	if err != nil {
		return nil // a value that no call can have stored
	}
	return string(word)
}

func getNamed(member any) any {
	named := map[string]*string{}
	for name, value := range *member.(*map[string]string) {
		named[name] = &value
	}
	return named
}

func getWatermark(member any) any {
	mark := *member.(*Watermark)
	if !mark.Finite() {
		return (*int64)(nil)
	}
	n := int64(mark)
	return &n
}

func setDefaultHandle(_ *param, member any, _ *IAAttributes) { *member.(*Handle) = HandleNull }

func setDefaultNumber[N int32 | int64](row *param, member any, limits *IAAttributes) {
	n := row.defaultNumber
	if limits != nil {
		n = min(n, row.limit(limits))
	}
	*member.(*N) = N(n)
}

func setDefaultChoice(row *param, member any, _ *IAAttributes) {
	if err := member.(encoding.TextUnmarshaler).UnmarshalText([]byte(row.defaultWord)); err != nil {
		panic(err) // a test holds that every default is a word of its enum
	}
}

func setDefaultNamed(_ *param, member any, _ *IAAttributes) {
	*member.(*map[string]string) = map[string]string{}
}

func setDefaultWatermark(_ *param, member any, _ *IAAttributes) {
	*member.(*Watermark) = WatermarkInfinite
}

// sameMember reports whether two members hold the same.
func sameMember(a, b any) bool {
	if named, ok := a.(*map[string]string); ok {
		return maps.Equal(*named, *b.(*map[string]string))
	}
	return reflect.ValueOf(a).Elem().Equal(reflect.ValueOf(b).Elem())
}

// copyMember copies what one member holds into another.
func copyMember(to, from any) {
	if named, ok := from.(*map[string]string); ok {
		*to.(*map[string]string) = maps.Clone(*named)
		return
	}
	reflect.ValueOf(to).Elem().Set(reflect.ValueOf(from).Elem())
}
