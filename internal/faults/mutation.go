package faults

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Edit replaces a text of a source file, which must be there exactly once.
type Edit struct {
	// File is relative to the root of the repository.
	File, Find, Replace string
}

// Mutation is a bug that is planted in the program, to show that the harness finds it.
type Mutation struct {
	Name  string
	Edits []Edit
	// Found matches the finding that shows it.
	Found string
	// Scenario names what runs: kill, engine, standby.
	Scenario string
}

// overlay returns the changed files of a mutation.
func (m Mutation) overlay(root string) (map[string]string, error) {
	files := map[string]string{}
	for _, e := range m.Edits {
		source, ok := files[e.File]
		if !ok {
			data, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(e.File)))
			if err != nil {
				return nil, err
			}
			source = string(data)
		}
		if n := strings.Count(source, e.Find); n != 1 {
			return nil, fmt.Errorf("mutation %q: its text is in %s %d times, want once; the code has changed, so write the mutation anew:\n%s", m.Name, e.File, n, e.Find)
		}
		files[e.File] = strings.Replace(source, e.Find, e.Replace, 1)
	}
	return files, nil
}

const (
	groupCommit = "internal/store/group_commit.go"
	groupWrite  = "internal/store/group_write.go"
)

// mutations are the planted bugs.
var mutations = []Mutation{
	{
		Name: "acknowledged before commit", Scenario: "kill",
		Found: `an acknowledged write is not in the log|an answer told version`,
		Edits: []Edit{
			{groupCommit, "\tr.log.holdBack()\n", "\tr.announce(g, r.log.Last()+int64(len(g.steps)))\n\tr.log.holdBack()\n"},
			{groupCommit, "\tr.announce(g, end.last)\n\tr.log.release()\n", "\tr.log.release()\n"},
		},
	},
	{
		Name: "published before commit", Scenario: "kill",
		Found: `watcher \d+ (got change|was refused)`,
		Edits: []Edit{{groupCommit, "\tr.log.holdBack()\n", `	early := make([]dat.Change, len(g.steps))
	for i := range g.steps {
		early[i] = g.steps[i].change
		early[i].ID = r.log.Last() + int64(i) + 1
	}
	r.log.publish(early)
	r.log.holdBack()
`}},
	},
	{
		Name: "ids in another order than commits", Scenario: "kill",
		Found: `watcher \d+ (got change|was refused)|has version \d+ where|are not one unit`,
		Edits: []Edit{{
			groupWrite, "SELECT (SELECT last FROM change_head) - $2::bigint + r.ord,",
			"SELECT (SELECT last FROM change_head) + 1 - r.ord + 0 * $2::bigint,",
		}},
	},
	{
		Name: "an undo is lost", Scenario: "engine",
		Found: `promise 7: the engine has \d+`,
		Edits: []Edit{{
			"internal/manager/unit_commit.go", "\tfor _, f := range slices.Backward(u.undo) {\n\t\tf()\n",
			"\tfor range slices.Backward(u.undo) {\n",
		}},
	},
	{
		Name: "an answer is kept apart from its change", Scenario: "kill",
		Found: `(more than once|a refused write is in the log): \S+ /(endpoints|pzs|evds|psps)`,
		Edits: []Edit{
			{groupWrite, "if len(rs.answers) > 0 {", "if len(rs.answers) > 1<<30 {"},
			{"internal/api/idempotency.go", "\tk.inCommit.Store(&stored)\n", ""},
		},
	},
	{
		Name: "a cancelled COMMIT is taken for committed", Scenario: "standby",
		Found: `an acknowledged write is not in the log|an answer told version|/problems/log-rewound|a reader saw version \d+ of \S+, which is not in the log`,
		Edits: []Edit{{
			groupCommit, "\t\tr.setAway(errCommitPending, false)\n",
			"\t\ts.abandon()\n\t\t<-done\n\t\tend.last = r.log.Last() + int64(end.changes)\n\t\treturn nil\n",
		}},
	},
}
