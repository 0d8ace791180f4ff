package dat

import (
	"encoding"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// setter judges the values of one call and puts them into an endpoint. Create
// and modify differ in the returns that their man pages list.
type setter struct {
	facts    *Facts
	resolver Resolver
	create   bool
	srq      bool
}

// arg returns the argument of the C call that carries a parameter.
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

// bad returns DAT_INVALID_PARAMETER for a parameter.
func (s *setter) bad(p Param, format string, args ...any) *Error {
	return badValue(s.arg(p), p.String(), format, args...)
}

// set judges a value and puts it into e: what is taken is stored (D5).
func (s *setter) set(e *Endpoint, p Param, v any) *Error {
	row := &params[p]
	if row.field == nil {
		return s.refuseAny(p, nil, v)
	}
	return valueKinds[row.kind].set(s, p, row.field(e), v)
}

// refuseAny refuses any value: it is the set of a parameter that no call sets.
func (s *setter) refuseAny(p Param, _, _ any) *Error { return s.bad(p, "%s cannot be set", p) }

func (s *setter) setHandle(p Param, member, v any) *Error {
	h, ok := v.(Handle)
	if !ok && v != nil {
		return s.bad(p, "%s must be the id of an object, or null", p)
	}
	if h != HandleNull {
		row := &params[p]
		if wrong := wrongHandle[row.refers](s, row, h); wrong != "" && s.create {
			return refuse(RetInvalidHandle, row.subtype, p.String(), "%s", wrong)
		} else if wrong != "" {
			return s.bad(p, "%s", wrong)
		}
	}
	*member.(*Handle) = h
	return nil
}

// wrongHandle holds for each type of object that a parameter can name a function
// that returns what is wrong with a handle, or nothing (A16, D9, D33).
var wrongHandle = map[ObjectType]func(*setter, *param, Handle) string{
	TypePZ: func(s *setter, _ *param, h Handle) string {
		ia, ok := s.resolver.PZ(h)
		if !ok {
			return missing(TypePZ, h)
		}
		return ofAnotherIA(TypePZ, h, ia, s.facts.IA)
	},
	TypeEVD: func(s *setter, row *param, h Handle) string {
		use, ok := s.resolver.EVD(h)
		if !ok {
			return missing(TypeEVD, h)
		}
		return use.wrongFor(row.stream, h, s.facts.IA)
	},
}

func setNumber[N int32 | int64](s *setter, p Param, member, v any) *Error {
	n, err := s.number(p, v)
	if err == nil {
		*member.(*N) = N(n)
	}
	return err
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

// ChoiceDefault is DAT_COMPLETION_DEFAULT_FLAG as a choice: a parameter that takes
// it stores its own default in its place (A9).
const ChoiceDefault = "DEFAULT"

// setChoice judges a word (C7–C10, D13).
func (s *setter) setChoice(p Param, member, v any) *Error {
	word, ok := v.(string)
	row := &params[p]
	if !ok || !slices.Contains(row.choices, word) {
		return s.bad(p, "%s is %s; it must be %s", lastWord(row.name), quoted(v), listWords(row.choices, "or"))
	}
	if word == ChoiceDefault {
		word = row.defaultWord
	}
	if row.supported != nil {
		if err := s.checkChoiceSupported(p, word); err != nil {
			return err
		}
	}
	if err := member.(encoding.TextUnmarshaler).UnmarshalText([]byte(word)); err != nil {
		return s.bad(p, "%s: %v", p, err)
	}
	return nil
}

// checkChoiceSupported refuses a word that the provider does not have. The page of
// dat_ep_modify lists no DAT_MODEL_NOT_SUPPORTED, the one of dat_ep_create does
// (C10).
func (s *setter) checkChoiceSupported(p Param, word string) *Error {
	err := checkSupported(s.facts, p.String(), word, params[p].supported(&s.facts.Provider))
	if err != nil && !s.create {
		err.Return, err.Subtype = RetInvalidParameter, arg(argModifyParam)
	}
	return err
}

// checkSupported returns DAT_MODEL_NOT_SUPPORTED for a word that the provider lacks.
func checkSupported(f *Facts, field, word string, supported []string) *Error {
	if slices.Contains(supported, word) {
		return nil
	}
	return refuse(RetModelNotSupported, SubNone, field, "%s is %s; %s supports %s", lastWord(field), word, f.IA, listWords(supported, "and"))
}

// supportedQOS returns the qualities of service that a provider has.
func supportedQOS(p *ProviderAttributes) []string {
	words := make([]string, len(p.DATQOSSupported))
	for i, q := range p.DATQOSSupported {
		words[i] = q.String()
	}
	return words
}

// setNamed merges named attributes by name: a nil value removes (A15).
func (s *setter) setNamed(p Param, member, v any) *Error {
	field := member.(*map[string]string)
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
		case !ok && p == ParamEPProviderSpecific && strings.HasPrefix(s.facts.Provider.ProviderSpecificAttr[name], NotSettable):
			return s.bad(p, "%s cannot be set: %s", name, strings.TrimPrefix(s.facts.Provider.ProviderSpecificAttr[name], NotSettable))
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

// allows reports whether a string is a whole number of the range in decimal,
// without sign or leading zeros.
func (a NamedAttr) allows(value string) bool {
	n, err := strconv.ParseInt(value, 10, 64)
	return err == nil && n >= a.Min && n <= a.Max && strconv.FormatInt(n, 10) == value
}

// setWatermark judges the soft mark that an endpoint is created with (B10).
func (s *setter) setWatermark(p Param, member, v any) *Error {
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
	*member.(*Watermark) = mark
	return nil
}

// quoted returns a value as a sentence shows it.
func quoted(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case string:
		return strconv.Quote(v)
	default:
		return strings.TrimSpace(fmt.Sprint(v))
	}
}
