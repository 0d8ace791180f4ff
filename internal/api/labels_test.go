package api

import (
	"fmt"
	"strings"
	"testing"
)

func TestLabelsOfAPatchAreMerged(t *testing.T) {
	r := newRig(t)
	for _, made := range []reply{
		r.do("POST", "/endpoints", members{"ia": ia0, "labels": members{"a": "1", "b": "2"}}).is(201),
		r.do("POST", "/evds", members{"ia": ia0, "qlen": 8, "streams": []string{"DTO"}, "labels": members{"a": "1", "b": "2"}}).is(201),
		r.do("POST", "/srqs", members{"ia": ia0, "pz": r.pz(ia0), "max_recv_dtos": 8, "max_recv_iov": 1, "labels": members{"a": "1", "b": "2"}}).is(201),
	} {
		path := strings.TrimPrefix(made.header.Get("Location"), basePath)
		for _, step := range []struct{ patch, want string }{
			{`{"labels":{"c":"3"}}`, "map[a:1 b:2 c:3]"},
			{`{"labels":{"a":null,"b":"4","nosuch":null}}`, "map[b:4 c:3]"},
			{`{"labels":{}}`, "map[b:4 c:3]"},
			{`{"name":"n"}`, "map[b:4 c:3]"},
			{`{"labels":null}`, "map[]"},
		} {
			if out := r.do("PATCH", path, step.patch).is(200); fmt.Sprint(out.at("labels")) != step.want {
				t.Errorf("%s %s: %v, not %s", path, step.patch, out.at("labels"), step.want)
			}
		}
	}
}

func TestLabelsOfABatchAreMergedInItsOrder(t *testing.T) {
	r := newRig(t)
	old := "/endpoints/" + r.do("POST", "/endpoints", members{"ia": ia0, "labels": members{"a": "1"}}).is(201).id()
	for _, atomic := range []bool{true, false} {
		results := r.do("POST", "/batch", members{"atomic": atomic, "operations": []members{
			op("POST", "/endpoints", members{"ia": ia0, "labels": members{"a": "1"}}),
			op("PATCH", "/endpoints/$0.id", members{"labels": members{"b": "2"}}),
			op("PATCH", "/endpoints/$0.id", members{"labels": members{"a": nil, "c": "3"}}),
			op("PATCH", old, members{"labels": members{fmt.Sprint("atomic-", atomic): "yes"}}),
		}}).results()
		if got := fmt.Sprint(results[2]["body"].(members)["labels"]); got != "map[b:2 c:3]" {
			t.Errorf("atomic %v: %s", atomic, got)
		}
	}
	if got := fmt.Sprint(r.do("GET", old, nil).at("labels")); got != "map[a:1 atomic-false:yes atomic-true:yes]" {
		t.Errorf("of the object that was there: %s", got)
	}
}

func TestConcurrentPatchesOfLabelsLoseNone(t *testing.T) {
	r := newRig(t)
	path := "/endpoints/" + r.do("POST", "/endpoints", members{"ia": ia0}).is(201).id()
	done := make(chan int)
	const writers = 8
	for n := range writers {
		go func() { done <- r.do("PATCH", path, members{"labels": members{fmt.Sprint(n): "x"}}).status }()
	}
	for range writers {
		if status := <-done; status != 200 {
			t.Errorf("a patch is answered %d", status)
		}
	}
	if got := r.do("GET", path, nil).at("labels").(members); len(got) != writers {
		t.Errorf("left: %v", got)
	}
}

// labelsOf returns n labels with a value.
func labelsOf(n int, value string) members {
	labels := members{}
	for i := range n {
		labels[fmt.Sprint("k", i)] = value
	}
	return labels
}

// Promise 14: labels are bounded in number and in size, however they come.
func TestLabelsAreBounded(t *testing.T) {
	r := newRig(t)
	longest := strings.Repeat("ä", 127) + "x" // 255 bytes
	right := labelsOf(63, longest)
	right["aZ09._-/"+strings.Repeat("k", 55)] = ""
	path := "/endpoints/" + r.do("POST", "/endpoints", members{"ia": ia0, "labels": right}).is(201).id()
	for name, labels := range map[string]members{
		"65 labels":            labelsOf(65, "v"),
		"5,000 labels":         labelsOf(5000, "v"),
		"a value of 256 bytes": {"k": strings.Repeat("ä", 128)},
		"a key of 64":          {strings.Repeat("k", 64): "v"},
		"an empty key":         {"": "v"},
		"a key with a space":   {"a b": "v"},
		"a key with ä":         {"ä": "v"},
		"a key with a newline": {"a\n": "v"},
	} {
		for _, call := range []struct {
			method, path string
			body         members
		}{
			{"POST", "/pzs", members{"ia": ia0, "labels": labels}},
			{"POST", "/endpoints", members{"ia": ia0, "labels": labels}},
			{"PATCH", path, members{"labels": labels}},
			{"POST", "/batch", members{"atomic": true, "operations": []members{op("POST", "/pzs", members{"ia": ia0, "labels": labels})}}},
		} {
			if p := r.do(call.method, call.path, call.body, loose).refused(422, "DAT_INVALID_PARAMETER"); p.Field == nil || !strings.HasPrefix(*p.Field, "labels") || len(p.Detail) > 1000 {
				t.Errorf("%s: %s %s: field %v, %s", name, call.method, call.path, p.Field, p.Detail)
			}
		}
	}
	r.do("PATCH", path, members{"labels": members{"more": "v"}}).refused(422, "DAT_INVALID_PARAMETER")
	results := r.do("POST", "/batch", members{"operations": []members{op("PATCH", path, members{"labels": members{"more": "v"}}), op("PATCH", path, members{"labels": members{"k1": nil, "more": "v"}})}}).results()
	if results[0]["status"] != 422.0 || results[1]["status"] != 200.0 {
		t.Errorf("a 65th label, and one in place of another: %v, %v", results[0], results[1])
	}
}
