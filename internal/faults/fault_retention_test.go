package faults

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// smallPartitions puts the log into partitions of 100 ids.
const smallPartitions = `
	LOCK TABLE changes;
	CREATE TEMPORARY TABLE present AS SELECT * FROM changes;
	DROP TABLE changes_first, changes_open;
	DO $$ BEGIN
		FOR n IN 1..40 LOOP
			EXECUTE format('CREATE TABLE changes_before_%1$s PARTITION OF changes FOR VALUES FROM (%2$s) TO (%1$s)', n * 100, n * 100 - 100);
			PERFORM complete_change_partition('changes_before_' || n * 100);
		END LOOP;
		CREATE TABLE changes_open PARTITION OF changes FOR VALUES FROM (4000) TO (MAXVALUE);
		PERFORM complete_change_partition('changes_open');
	END $$;
	INSERT INTO changes SELECT * FROM present`

// setRetention asks a node to set the retention, which makes it carry that out.
func (w *World) setRetention(s *Service, age string) {
	w.t.Helper()
	c := w.newClientOf(s.node, s.Address())
	defer c.close()
	body := encode(map[string]any{"age": age})
	if status, _, answer, loss := c.send(w.t.Context(), &Call{Method: http.MethodPut, Path: "/retention", Body: body}, ""); status != http.StatusOK {
		w.must(fmt.Errorf("the retention could not be set: %d %s %s", status, answer, loss))
	}
}

// number returns what a query counts.
func (w *World) number(sql string) (n int) {
	w.t.Helper()
	text, err := w.Cluster.query(sql)
	w.must(err)
	_, err = fmt.Sscan(text, &n)
	w.must(err)
	return n
}

// Promises 1, 4 and 5: a retention of a second, under load and while the node that carries it out
// is killed, refuses no write, leaves each object's last change, and makes older positions 410.
func TestFaultNodeThatDropsPartitionsIsKilled(t *testing.T) {
	t.Parallel()
	w := newWorld(t, programs)
	w.Cluster = w.startCluster("primary")
	w.startService(Build{}, w.Cluster.URL())
	beta := w.newNode(Build{}, "beta", w.Cluster.URL())
	w.must(beta.Start())
	nodes := []*Service{w.Service, beta}
	w.must(w.Cluster.Exec(smallPartitions))
	gone := func() int { return w.number(`SELECT gone FROM change_head`) }
	w.underLoad(Load{Writers: 8, Nodes: nodes}, func(context.Context) {
		for n := range 2 + 2*w.settings.Rounds {
			elected, other := nodes[n%2], nodes[1-n%2]
			last := w.number(`SELECT last FROM change_head`)
			w.must(eventually("two partitions are filled", patience, func() bool { return w.number(`SELECT last FROM change_head`) > last+200 }))
			w.pause(1)
			w.setRetention(elected, "1s")
			w.must(elected.Process().Kill())
			w.setRetention(other, "1001ms")
			w.must(eventually("the other one carries it out", patience, func() bool { return gone() > last }))
			w.must(elected.Start())
		}
	})
	for _, c := range w.history.Calls() {
		for _, a := range c.Attempts {
			if a.Status == http.StatusInternalServerError {
				w.broken(1, "%s %s was answered %d: %s", c.Method, c.Path, a.Status, a.Body)
			}
		}
		made := c.decoded()
		if c.Kind != KindCreate || c.Outcome() != Acknowledged || made == nil {
			continue
		}
		if id := text(made, "id"); w.number(`SELECT count(*) FROM changes WHERE object_id = '`+id+`'`) == 0 {
			w.broken(4, "of %s no change is left", id)
		}
	}
	if n := w.number(`SELECT count(*) FROM objects o WHERE freed_at IS NULL AND body IS DISTINCT FROM
		(SELECT image FROM changes c WHERE c.object_id = o.id AND (before IS NOT NULL OR image IS NOT NULL) ORDER BY id DESC LIMIT 1)`); n != 0 {
		w.broken(4, "%d objects are not as their last change says", n)
	}
	if n := w.number(`SELECT count(*) FROM pg_class WHERE relname LIKE 'changes\_kept\_before\_%' AND relispartition`); n == 0 {
		w.broken(4, "no partition was dropped")
	}
	if n := w.number(`SELECT last - max(id) FROM change_head, changes GROUP BY last`); n != 0 {
		w.broken(4, "the log ends %d changes before its end", n)
	}
	c := w.newClient(w.front())
	defer c.close()
	if status, answer := c.read(t.Context(), "/changes/stream?after=1"); status != http.StatusGone {
		w.broken(5, "a position past the retention is answered %d %v", status, answer)
	}
	for _, s := range nodes {
		if log := s.Log(); strings.Contains(log, "no partition of relation") {
			w.broken(1, "a change found no partition")
		}
	}
	for _, s := range nodes {
		w.must(s.Stop())
	}
}
