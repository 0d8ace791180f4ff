package faults

import (
	"maps"
	"reflect"
	"slices"
)

// liveMembers are members that are counted while they are read: the record's are not compared.
var liveMembers = map[string][]string{
	"ia":       {"usage", "detail"},
	"evd":      {"depth", "dropped", "in_use_by", "mode"},
	"srq":      {"available_dto_count", "outstanding_dto_count"},
	"lmr":      {"rmr_context"},
	"rmr":      {"rmr_context"},
	"endpoint": {"transport"},
}

// differences returns the members of a recorded object that are shown otherwise.
func differences(kind string, recorded, shown object) []string {
	var names []string
	for name, value := range recorded {
		if !slices.Contains(liveMembers[kind], name) && !reflect.DeepEqual(value, shown[name]) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// checkState holds that the objects that are shown are those that the log makes, each as
// the log says, and that the live state of an endpoint is the recorded one.
func checkState(e *Evidence) (all findings) {
	p := e.Picture
	living := p.Replay.Living
	for id, recorded := range living {
		shown, there := p.Objects[id]
		if !there {
			all.add(1, "object %s (version %d) is in the log and not shown", id, versionOf(recorded))
			continue
		}
		for _, name := range differences(p.Types[id], recorded, shown) {
			all.add(4, "%s %s: %s is %v, the log makes it %v", p.Types[id], id, name, shown[name], recorded[name])
		}
	}
	for id, shown := range p.Objects {
		if _, there := living[id]; !there {
			all.add(1, "%s %s (version %d) is shown and the log does not have it", p.Types[id], id, versionOf(shown))
		}
	}
	for id, status := range p.Statuses {
		if recorded := living[id]; recorded != nil && recorded["state"] != status["state"] {
			all.add(6, "endpoint %s is %v in the engine and %v in the log", id, status["state"], recorded["state"])
		}
	}
	return all
}

// usageMembers are the counts that an adapter shows, by the type that they count.
var usageMembers = map[string]string{
	"endpoint": "endpoints", "pz": "pzs", "evd": "evds", "srq": "srqs", "lmr": "lmrs", "rmr": "rmrs", "psp": "psps", "rsp": "rsps",
}

// checkUsage holds that adapters count what lives on them, and that queues are in use by
// what names them: nothing leaks in the engine's registry.
func checkUsage(e *Evidence) (all findings) {
	p := e.Picture
	counts, used := map[string]map[string]float64{}, map[string]bool{}
	for id, o := range p.Objects {
		ia := text(o, "ia")
		if counts[ia] == nil {
			counts[ia] = map[string]float64{}
		}
		counts[ia][p.Types[id]]++
		for _, member := range []string{"evd", "recv_evd", "request_evd", "connect_evd", "async_evd"} {
			used[text(o, member)] = true
		}
	}
	for id, o := range p.Objects {
		switch p.Types[id] {
		case "ia":
			usage, ok := o["usage"].(object)
			for kind, member := range usageMembers {
				if n := counts[id][kind]; !ok || usage[member] != n {
					all.add(7, "adapter %s counts %v %s, %v live", id, usage[member], member, n)
				}
			}
		case "evd":
			users, ok := o["in_use_by"].(object)
			if !ok || used[id] {
				continue
			}
			for kind, n := range users {
				if n != 0.0 && kind != "ias" {
					all.add(7, "EVD %s is in use by %v %s that are not there", id, n, kind)
				}
			}
		}
	}
	return all
}

// checkReads holds that no reader saw a version that the log does not have: nothing is
// shown before it is committed, and nothing that is lost afterwards.
func checkReads(e *Evidence) (all findings) {
	images := e.Picture.Replay.Versions
	for _, c := range e.Calls {
		if c.Kind != KindRead {
			continue
		}
		shown := c.decoded()
		if shown == nil {
			continue
		}
		recorded := images[c.Object][versionOf(shown)]
		if recorded == nil {
			all.add(1, "a reader saw version %d of %s, which is not in the log: %s", versionOf(shown), c.Object, story(c, nil))
			continue
		}
		for _, name := range differences("endpoint", recorded, shown) {
			all.add(4, "a reader saw %s %v in version %d of %s, the log has %v", name, shown[name], versionOf(shown), c.Object, recorded[name])
		}
	}
	return all
}

// checkAnswers holds that the answer to an acknowledged write is a version that the log
// has, and says what it says.
func checkAnswers(e *Evidence) (all findings) {
	images := e.Picture.Replay.Versions
	kinds := []Kind{KindCreate, KindModify, KindWatermark, KindRevert, KindConnection}
	for _, c := range e.Calls {
		answer := c.decoded()
		if answer == nil || !slices.Contains(kinds, c.Kind) || text(answer, "id") == "" {
			continue
		}
		id, version := text(answer, "id"), versionOf(answer)
		recorded := images[id][version]
		if recorded == nil {
			all.add(1, "an answer told version %d of %s, which is not in the log: %s", version, id, story(c, nil))
			continue
		}
		if c.Kind == KindConnection {
			continue // its answer may show the live state
		}
		for _, name := range differences(kindOf(c), recorded, answer) {
			all.add(1, "an answer told %s %v in version %d of %s, the log has %v", name, answer[name], version, id, recorded[name])
		}
		if c.Marker != "" && !hasMarker(recorded, c.Marker) {
			all.add(2, "version %d of %s was acknowledged to %s and has the labels %v", version, id, c.Marker, recorded["labels"])
		}
	}
	return all
}

// kindOf returns the type of object that a call is about, by its path.
func kindOf(c *Call) string {
	for kind, path := range collections {
		if len(c.Path) >= len(path) && c.Path[:len(path)] == path {
			return kind
		}
	}
	return ""
}

// hasMarker reports whether an object's label `op` is a call's marker.
func hasMarker(o object, marker string) bool {
	labels, ok := o["labels"].(object)
	return ok && labels["op"] == marker
}

// checkRaces holds that of those who modified one version of an object exactly one succeeded.
func checkRaces(e *Evidence) (all findings) {
	type race struct{ object, version string }
	winners := map[race][]*Call{}
	for _, c := range e.Calls {
		if c.IfMatch != "" && c.Outcome() == Acknowledged {
			r := race{c.Object, c.IfMatch}
			winners[r] = append(winners[r], c)
		}
	}
	for r, calls := range winners {
		if len(calls) > 1 {
			all.add(2, "%d writers succeeded with If-Match %s of %s: %s, and %s", len(calls), r.version, r.object, story(calls[0], nil), story(calls[1], nil))
		}
	}
	return all
}

// checkStreams holds that each watcher got the log from its start on: in order, without
// a gap or a duplicate, each change as the log has it.
func checkStreams(e *Evidence) (all findings) {
	log := e.Picture.Log
	for n, w := range e.Watchers {
		if why := w.Refusal(); why != "" {
			all.add(5, "watcher %d was refused: %s", n, why)
			continue
		}
		next := w.start + 1
		for _, c := range w.Changes() {
			if c.ID != next {
				all.add(5, "watcher %d got change %d (%s of %s) where %d was due", n, c.ID, c.Cause, c.Object.ID, next)
				break
			}
			next++
			if c.ID > int64(len(log)) {
				all.add(5, "watcher %d got change %d, the log ends with %d: %s of %s", n, c.ID, len(log), c.Cause, c.Object.ID)
				break
			}
			if !reflect.DeepEqual(c, log[c.ID-1]) {
				all.add(5, "watcher %d got change %d as %s of %s version %d for %s, the log has %s of %s version %d for %s", n, c.ID,
					c.Cause, c.Object.ID, c.Version, c.RequestID, log[c.ID-1].Cause, log[c.ID-1].Object.ID, log[c.ID-1].Version, log[c.ID-1].RequestID)
				break
			}
		}
		if got := next - 1; len(all) == 0 && got < int64(len(log)) {
			all.add(5, "watcher %d got nothing after change %d, the log has %d", n, got, len(log))
		}
	}
	return all
}

// sortedIDs returns the keys of a map in order, so that a seed chooses the same.
func sortedIDs[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
