package api

import (
	"encoding/json"
	"fmt"
	"testing"
)

func TestListsPageByCursorWithoutGapsWhileOthersWrite(t *testing.T) {
	r := newRig(t)
	for i := range 25 {
		r.do("POST", "/pzs", members{"ia": ia0, "name": fmt.Sprintf("z-%02d", i), "labels": members{"even": fmt.Sprint(i%2 == 0)}}).is(201)
	}
	seen, cursor, pages := map[string]bool{}, "", 0
	for {
		path := "/pzs?limit=7"
		if cursor != "" {
			path += "&cursor=" + cursor
		}
		out := r.do("GET", path, nil).is(200)
		for _, item := range out.at("items").([]any) {
			name := item.(members)["name"].(string)
			if seen[name] {
				t.Errorf("%s came twice", name)
			}
			seen[name] = true
		}
		pages++
		r.do("POST", "/pzs", members{"ia": ia0, "name": fmt.Sprintf("later-%02d", pages)}).is(201)
		next, ok := out.at("next_cursor").(string)
		if !ok || pages > 20 {
			break
		}
		cursor = next
	}
	for i := range 25 {
		if name := fmt.Sprintf("z-%02d", i); !seen[name] {
			t.Errorf("%s is missing", name)
		}
	}
}

func TestListsFilterSortAndPick(t *testing.T) {
	r := newRig(t)
	for i := range 6 {
		r.do("POST", "/endpoints", members{"ia": []string{ia0, ia1}[i%2], "name": fmt.Sprintf("ep-%d", i), "labels": members{"app": []string{"a", "b", "c"}[i%3]}}).is(201)
	}
	for query, want := range map[string]string{
		"sort=-name&fields=name":                             `[{"name":"ep-5"},{"name":"ep-4"},{"name":"ep-3"},{"name":"ep-2"},{"name":"ep-1"},{"name":"ep-0"}]`,
		"ia=" + ia0 + "&fields=name&sort=name":               `[{"name":"ep-0"},{"name":"ep-2"},{"name":"ep-4"}]`,
		"ia=" + ia0 + "&ia=" + ia1 + "&limit=1&fields=name":  `[{"name":"ep-0"}]`,
		"label=app=b&fields=name&sort=name":                  `[{"name":"ep-1"},{"name":"ep-4"}]`,
		"name=ep-*&label=app=c&fields=name,state&sort=name":  `[{"name":"ep-2","state":"UNCONNECTED"},{"name":"ep-5","state":"UNCONNECTED"}]`,
		"label=app=b&label=app=c&fields=name&sort=name":      `[{"name":"ep-1"},{"name":"ep-2"},{"name":"ep-4"},{"name":"ep-5"}]`,
		"label=app=b&label=tier=x":                           `[]`,
		"name=ep-1&name=*-4&fields=name&sort=name":           `[{"name":"ep-1"},{"name":"ep-4"}]`,
		"name=*-3&fields=name":                               `[{"name":"ep-3"}]`,
		"offset=4&sort=name&fields=name":                     `[{"name":"ep-4"},{"name":"ep-5"}]`,
		"state=CONNECTED":                                    `[]`,
		"pz=00000000-0000-7000-8000-000000000000&node=alpha": `[]`,
	} {
		out := r.do("GET", "/endpoints?"+query, nil, loose).is(200)
		if got, err := json.Marshal(out.at("items")); err != nil || string(got) != want {
			t.Errorf("%s: %s", query, got)
		}
	}
	if out := r.do("GET", "/endpoints?total=true&limit=2", nil).is(200); out.at("total") != 6.0 || len(out.at("items").([]any)) != 2 {
		t.Errorf("total: %s", out.body)
	}
	item := r.do("GET", "/endpoints?limit=1", nil).is(200).at("items").([]any)[0].(members)
	if _, ok := item["modifiable"]; ok || item["operations"] == nil {
		t.Errorf("a list shows %v", item)
	}
	item = r.do("GET", "/endpoints?limit=1&fields=modifiable", nil, loose).is(200).at("items").([]any)[0].(members)
	if len(item) != 1 || len(item["modifiable"].([]any)) == 0 {
		t.Errorf("asked for, a list shows %v", item)
	}
}

// A filter that names an object takes its id or its name; a name that nobody has is refused, an id never is.
func TestFiltersTakeNames(t *testing.T) {
	r := newRig(t)
	pz := r.do("POST", "/pzs", members{"ia": ia0, "name": "zone"}).is(201).id()
	r.do("POST", "/pzs", members{"ia": ia0, "name": "zone-2"}).is(201)
	ep := r.do("POST", "/endpoints", members{"ia": ia0, "pz": pz, "name": "ost-7", "labels": members{"app": "lustre", "tier": ""}}).is(201).id()
	r.do("POST", "/endpoints", members{"ia": ia0, "labels": members{"app": "nfs"}}).is(201)
	nobody := "01936f5e-0000-7000-8000-000000000001"
	for path, want := range map[string]int{
		"/endpoints?pz=zone": 1, "/endpoints?pz=" + pz: 1, "/endpoints?pz=zone&pz=zone-2": 1, "/endpoints?pz=" + nobody: 0,
		"/endpoints?label=app": 2, "/endpoints?label=tier": 1, "/endpoints?label=app&label=tier": 1, "/endpoints?label=none": 0, "/endpoints?label=tier&label=app=nfs": 0,
		"/changes?object=ost-7&type=endpoint": 1, "/changes?object=" + ep: 1, "/changes?object=" + nobody: 0,
	} {
		if items := r.do("GET", path, nil).is(200).at("items").([]any); len(items) != want {
			t.Errorf("%s finds %d, not %d", path, len(items), want)
		}
	}
	for path, field := range map[string]string{
		"/endpoints?pz=ost-7": "pz", "/endpoints?pz=zone*": "pz", "/endpoints?evd=zone": "evd", "/crs?psp=nobody": "psp", "/endpoints?label==x": "label",
		"/changes?object=ost-7": "object", "/changes?object=ost-8&type=endpoint": "object", "/changes?object=ost-7&type=endpoint&type=pz": "object",
	} {
		if out := r.do("GET", path, nil); out.status != 400 || out.at("field") != field {
			t.Errorf("%s: %d %s", path, out.status, out.body)
		}
	}
}
