package dat

import (
	"slices"
	"strings"
	"testing"
)

func TestMatrixHasATitleAndAMeaningForEverythingItNames(t *testing.T) {
	doc := Matrix()
	check := func(what, title, meaning string) {
		if title == "" || !strings.HasSuffix(meaning, ".") {
			t.Errorf("%s is called %q and means %q; it needs a title and a sentence", what, title, meaning)
		}
	}
	for _, s := range doc.States {
		check("state "+s.State.String(), s.Title, s.Meaning)
	}
	for _, o := range doc.Operations {
		check("operation "+o.Operation, o.Title, o.Meaning)
	}
	for _, p := range doc.Parameters {
		check("parameter "+p.Name, p.Title, p.Meaning)
	}
	for _, e := range doc.Enums {
		for _, w := range e.Words {
			check(e.Enum+" "+w.Word, w.Title, w.Meaning)
		}
	}
	for _, s := range doc.Streams {
		check("stream "+s.Stream.String(), s.Stream.String(), s.Meaning)
	}
	for _, e := range doc.Events {
		check("event "+e.Event, e.Event, e.Meaning)
	}
	for _, a := range slices.Concat(doc.IAAttributes, doc.ProviderAttributes) {
		check("attribute "+a.Name, a.Section, a.Meaning)
	}
}

func TestMatrixGivesNoWordsToWhatIsNotInATable(t *testing.T) {
	for name := range wordingByParam {
		if _, ok := ParamByName(name); !ok {
			t.Errorf("there are words for %s, which is no parameter", name)
		}
	}
	for name := range operationWordings {
		if !slices.ContainsFunc(Matrix().Operations, func(o OperationDoc) bool { return o.Operation == name }) {
			t.Errorf("there are words for %s, which is no operation", name)
		}
	}
}

func TestSectionsHoldEveryParameterThatAnEndpointShowsOnce(t *testing.T) {
	seen := map[string]int{}
	for _, s := range Matrix().Sections {
		for _, name := range s.Parameters {
			seen[name]++
		}
	}
	for p := range numParams {
		want := 1
		if p == ParamState || p == ParamComm {
			want = 0
		}
		if seen[p.String()] != want {
			t.Errorf("%s is in %d sections, want %d", p, seen[p.String()], want)
		}
	}
}

func TestParametersSayWhatTheirValuesAre(t *testing.T) {
	for _, p := range Matrix().Parameters {
		if (p.Kind == ValueHandle) && p.Type == nil {
			t.Errorf("%s is a handle of no type", p.Name)
		}
		if (p.Kind == ValueNamed) != (len(p.Names) > 0) {
			t.Errorf("%s is of kind %s and has the names %v", p.Name, p.Kind, p.Names)
		}
		if want := p.Name == ParamRecvCompletionFlags.String(); p.NeedsRecvIdle != want {
			t.Errorf("%s needs idle receives: %v, want %v (M8)", p.Name, p.NeedsRecvIdle, want)
		}
	}
}

func TestMatrixListsEveryAttributeOfDatIAQueryOnce(t *testing.T) {
	for of, lists := range map[string]struct {
		docs  []AttributeDoc
		names []string
	}{
		"adapter":  {Matrix().IAAttributes, IAAttributeNames()},
		"provider": {Matrix().ProviderAttributes, ProviderAttributeNames()},
	} {
		var listed []string
		for _, d := range lists.docs {
			listed = append(listed, d.Name)
		}
		slices.Sort(listed)
		slices.Sort(lists.names)
		if !slices.Equal(listed, lists.names) {
			t.Errorf("attributes of the %s: got %q, want %q", of, listed, lists.names)
		}
	}
}

func TestMatrixListsEveryWordOfAnEnumeration(t *testing.T) {
	for _, e := range Matrix().Enums {
		var listed []string
		for _, w := range e.Words {
			listed = append(listed, w.Word)
		}
		want := slices.DeleteFunc(slices.Clone(enums[e.Enum]), func(name string) bool { return name == "" })
		if !slices.Equal(listed, want) {
			t.Errorf("%s: got %q, want %q", e.Enum, listed, want)
		}
	}
}

func TestMatrixListsEveryEventAndStream(t *testing.T) {
	doc := Matrix()
	events, streams := map[string]bool{}, map[Stream]bool{}
	for _, e := range doc.Events {
		events[e.Event] = true
	}
	for _, s := range doc.Streams {
		streams[s.Stream] = true
	}
	for _, name := range eventNumberNames[1:] {
		if !events[name] {
			t.Errorf("event %s is missing", name)
		}
	}
	for _, s := range allOf[Stream]() {
		if !streams[s] {
			t.Errorf("stream %s is missing", s)
		}
	}
	for _, in := range doc.Inputs {
		if strings.HasPrefix(in.Cause, "DAT_") && !events[in.Cause] {
			t.Errorf("%s is a cause in the change log and no event", in.Cause)
		}
	}
}

func TestLimitsAreAttributesOfTheAdapter(t *testing.T) {
	doc := Matrix()
	names := IAAttributeNames()
	for _, p := range doc.Parameters {
		if p.Limit != nil && !slices.Contains(names, *p.Limit) {
			t.Errorf("%s is limited by %s, which is no attribute", p.Name, *p.Limit)
		}
	}
	for _, o := range doc.ObjectTypes {
		if o.Limit != nil && !slices.Contains(names, *o.Limit) {
			t.Errorf("%s is limited by %s, which is no attribute", o.Type, *o.Limit)
		}
	}
}
