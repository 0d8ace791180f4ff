package dat

import (
	"encoding"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// setter puts the values of one call into an endpoint after it has judged
// them. Create and modify differ in the returns that their pages list.
type setter struct {
	facts    *Facts
	resolver Resolver
	create   bool
	srq      bool
}

// arg is the argument of the C call that carries a parameter.
func (s *setter) arg(p Param) int {
	switch n := params[p].createArg; {
	case !s.create:
		return argModifyParam
	case s.srq && n == argCreateAttributes:
		return argCreateSRQ + 1
	default:
		return n
	}
}

// bad is DAT_INVALID_PARAMETER for a parameter.
func (s *setter) bad(p Param, format string, args ...any) *Error {
	return badValue(s.arg(p), p.String(), format, args...)
}

// set judges a value and puts it into e: what is taken is stored (D5). The kinds of values are few and
// closed, each with a setter of its own.
func (s *setter) set(e *Endpoint, p Param, v any) *Error {
	field := params[p].field(e)
	switch params[p].kind {
	case ValueHandle:
		return s.setHandle(field.(*Handle), p, v)
	case ValueCount:
		n, err := s.number(p, v)
		if err == nil {
			*field.(*int32) = int32(n)
		}
		return err
	case ValueSize:
		n, err := s.number(p, v)
		if err == nil {
			*field.(*int64) = n
		}
		return err
	case ValueChoice:
		return s.setChoice(field, p, v)
	case ValueNamed:
		return s.setNamed(field.(*map[string]string), p, v)
	case ValueWatermark:
		return s.setWatermark(field.(*Watermark), p, v)
	default:
		return s.bad(p, "%s cannot be set", p)
	}
}

func (s *setter) setHandle(field *Handle, p Param, v any) *Error {
	h, ok := v.(Handle)
	if !ok && v != nil {
		return s.bad(p, "%s must be the id of an object, or null", p)
	}
	if h != HandleNull {
		if wrong := s.wrongHandle(p, h); wrong != "" && s.create {
			return refuse(RetInvalidHandle, params[p].subtype, p.String(), "%s", wrong)
		} else if wrong != "" {
			return s.bad(p, "%s", wrong)
		}
	}
	*field = h
	return nil
}

// wrongHandle says what is wrong with a PZ or an EVD, or nothing (A16, D9, D33).
func (s *setter) wrongHandle(p Param, h Handle) string {
	if p == ParamPZ {
		ia, ok := s.resolver.PZ(h)
		if !ok {
			return InvalidHandle(TypePZ, h, "").Detail
		}
		return foreign(TypePZ, h, ia, s.facts.IA)
	}
	use, ok := s.resolver.EVD(h)
	if !ok {
		return InvalidHandle(TypeEVD, h, "").Detail
	}
	return use.wrongFor(params[p].stream, h, s.facts.IA)
}

// number judges a count or a size (C11–C17, D12).
func (s *setter) number(p Param, v any) (int64, *Error) {
	n, ok := v.(int64)
	row, most := &params[p], params[p].limit(&s.facts.Attributes)
	if !ok {
		return 0, s.bad(p, "%s must be a whole number, 0 to %d", lastWord(row.name), most)
	}
	if n < 0 || n > most {
		return 0, outOfRange(s.arg(p), row.name, n, 0, most, s.facts.IA, row.limitName)
	}
	return n, nil
}

// setChoice judges a word (C7–C10, D13). DEFAULT is stored as EVD_THRESHOLD (A9).
func (s *setter) setChoice(field any, p Param, v any) *Error {
	word, ok := v.(string)
	if !ok || !slices.Contains(params[p].choices, word) {
		return s.bad(p, "%s is %s; it must be %s", lastWord(p.String()), shown(v), listWords(params[p].choices, "or"))
	}
	if err := field.(encoding.TextUnmarshaler).UnmarshalText([]byte(word)); err != nil {
		return s.bad(p, "%s: %v", p, err)
	}
	switch f := field.(type) {
	case *CompletionFlag:
		if *f == CompletionDefault {
			*f = CompletionEVDThreshold
		}
	case *QOS:
		return s.checkQOS(p, *f)
	}
	return nil
}

// checkQOS refuses a quality of service that the provider does not have. The
// page of dat_ep_modify lists no DAT_MODEL_NOT_SUPPORTED, the one of
// dat_ep_create does (C10).
func (s *setter) checkQOS(p Param, q QOS) *Error {
	err := supportsQOS(s.facts, q, p.String())
	if err != nil && !s.create {
		err.Return, err.Subtype = RetInvalidParameter, arg(argModifyParam)
	}
	return err
}

// supportsQOS is DAT_MODEL_NOT_SUPPORTED where the provider lacks a QOS.
func supportsQOS(f *Facts, q QOS, field string) *Error {
	supported := f.Provider.DATQOSSupported
	if slices.Contains(supported, q) {
		return nil
	}
	words := make([]string, len(supported))
	for i, q := range supported {
		words[i] = q.String()
	}
	return refuse(RetModelNotSupported, SubNone, field, "qos is %s; %s supports %s", q, f.IA, listWords(words, "and"))
}

// setNamed merges named attributes by name: a nil value removes (A15).
func (s *setter) setNamed(field *map[string]string, p Param, v any) *Error {
	asked, ok := v.(map[string]*string)
	if !ok {
		return s.bad(p, "%s must be an object of names and values", lastWord(p.String()))
	}
	known := params[p].known(s.facts)
	merged := maps.Clone(*field)
	if merged == nil {
		merged = map[string]string{}
	}
	for _, name := range slices.Sorted(maps.Keys(asked)) {
		attr, ok := known[name]
		value := asked[name]
		switch {
		case !ok:
			return s.bad(p, "%s does not know the attribute %q; it knows %s", s.facts.IA, name,
				listWords(slices.Sorted(maps.Keys(known)), "and"))
		case value == nil:
			delete(merged, name)
		case !attr.allows(*value):
			return s.bad(p, "%s is %q; %s allows the whole numbers %d to %d, as a string", name, *value, s.facts.IA, attr.Min, attr.Max)
		default:
			merged[name] = *value
		}
	}
	*field = merged
	return nil
}

// allows tells whether a string is a whole number of the range, written plainly.
func (a NamedAttr) allows(value string) bool {
	n, err := strconv.ParseInt(value, 10, 64)
	return err == nil && n >= a.Min && n <= a.Max && strconv.FormatInt(n, 10) == value
}

// setWatermark judges the soft mark that an endpoint is created with (B10).
func (s *setter) setWatermark(field *Watermark, p Param, v any) *Error {
	n, ok := v.(*int64)
	if !ok && v != nil {
		return s.bad(p, "%s must be a whole number of receives, or null for none", lastWord(p.String()))
	}
	mark, _, err := CheckWatermarks(n, nil, s.srq, &s.facts.Provider)
	if err != nil {
		err.Field = p.String()
		if err.Return == RetInvalidParameter {
			err.Subtype = arg(s.arg(p))
		}
		return err
	}
	*field = mark
	return nil
}

// shown is a value for a sentence.
func shown(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case string:
		return strconv.Quote(v)
	default:
		return strings.TrimSpace(fmt.Sprint(v))
	}
}
