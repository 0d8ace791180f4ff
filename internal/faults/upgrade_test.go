//go:build upgrade

package faults

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"
)

// upgradeWorld is a World of two nodes on one database, each of which runs the version before
// this one or the present one.
type upgradeWorld struct {
	*World
	nodes []*Service
	// before and present are the paths of the two programs.
	before, present string
	// foreign is the endpoint that has members which neither program knows, since is the last
	// change before it got them.
	foreign, since string
}

// newUpgradeWorld starts two nodes of the version before.
func newUpgradeWorld(w *World, before string) *upgradeWorld {
	w.t.Helper()
	present, err := w.builder.program(Build{})
	w.must(err)
	u := &upgradeWorld{World: w, before: before, present: present}
	w.Cluster = w.startCluster("primary")
	for _, name := range []string{node, "beta"} {
		s := w.newNode(Build{}, name, w.Cluster.URL())
		s.program = before
		w.must(s.Start())
		u.nodes = append(u.nodes, s)
	}
	w.Service = u.nodes[0]
	for _, s := range u.nodes {
		w.makeContestedAt(s, 1)
		w.watchAt(s, 0, 0)
		w.watchAt(s, int64(len(w.contested)), 400*time.Millisecond)
	}
	return u
}

// versions says what the nodes run.
func (u *upgradeWorld) versions() string {
	var all []string
	for _, s := range u.nodes {
		version := "the present version"
		if s.program == u.before {
			version = "the version before"
		}
		all = append(all, s.node+" runs "+version)
	}
	return strings.Join(all, ", ")
}

// move ends what a node runs and starts another program in its place.
func (u *upgradeWorld) move(s *Service, program string, end func(*Service) error) {
	u.t.Helper()
	begun := time.Now()
	u.must(end(s))
	if s.program = program; program == u.before && u.foreign == "" {
		u.putForeignMembers(s)
	}
	u.must(s.Start())
	u.t.Logf("%s, %.1f s after its end began", u.versions(), time.Since(begun).Seconds())
}

// stop ends a service in order, kill as a crash does.
func stop(s *Service) error { return s.Stop() }
func kill(s *Service) error { return s.Process().Kill() }

// putForeignMembers writes into an endpoint of a node that does not run what a program of a
// later form may have written there.
func (u *upgradeWorld) putForeignMembers(s *Service) {
	u.t.Helper()
	var err error
	u.since, err = u.Cluster.query(`SELECT last FROM change_head`)
	u.must(err)
	u.foreign, err = u.Cluster.query(fmt.Sprintf(`UPDATE objects
		SET body = jsonb_set(body, '{attributes,max_widgets}', '3') || '{"form_version": 99, "colour": "red"}'
		WHERE node = '%s' AND id IN ('%s') RETURNING id`, s.node, strings.Join(u.contested, "','")))
	u.must(err)
}

// checkForeignMembers holds that the endpoint's record and each of its changes have the members
// that neither program knows.
func (u *upgradeWorld) checkForeignMembers() {
	u.t.Helper()
	if u.foreign == "" {
		return
	}
	const members = `{"form_version": 99, "colour": "red", "attributes": {"max_widgets": 3}}`
	without, err := u.Cluster.query(fmt.Sprintf(`SELECT count(*) FROM (
		SELECT body FROM objects WHERE id = '%[1]s' UNION ALL
		SELECT image FROM changes WHERE object_id = '%[1]s' AND id > %[2]s AND image IS NOT NULL) r WHERE NOT body @> '%[3]s'`, u.foreign, u.since, members))
	u.must(err)
	if without != "0" {
		u.broken(12, "%s: %s rows of endpoint %s have lost what another program put into it", u.versions(), without, u.foreign)
	}
}

// writeAcross holds that each node carries out what either is asked for: it makes an endpoint
// and modifies that and the contested ones.
func (u *upgradeWorld) writeAcross() {
	u.t.Helper()
	for _, owner := range u.nodes {
		for _, asked := range u.nodes {
			c := &Writer{Client: u.newClientOf(owner.node, asked.Address())}
			marker := c.unique()
			made := c.do(u.t.Context(), &Call{Kind: KindCreate, Method: http.MethodPost, Path: "/endpoints", Key: "key-" + marker, Marker: marker, Effects: 1},
				c.endpointBody(marker))
			u.checkCarriedOut(asked, owner, made)
			for _, id := range append([]string{text(made.decoded(), "id")}, u.contested...) {
				marker := c.unique()
				u.checkCarriedOut(asked, owner, c.do(u.t.Context(), &Call{
					Kind: KindModify, Method: http.MethodPatch, Path: "/endpoints/" + id, Object: id, Key: "key-" + marker, Marker: marker, Effects: 1,
				}, object{"labels": object{"op": marker}}))
			}
			c.close()
		}
	}
}

// checkCarriedOut holds that a write was acknowledged.
func (u *upgradeWorld) checkCarriedOut(asked, owner *Service, call *Call) {
	u.t.Helper()
	if call.Outcome() != Acknowledged {
		u.broken(12, "%s: what %s was asked for, with objects of %s, was not done: %s", u.versions(), asked.node, owner.node, story(call, nil))
	}
}

// Promises 1 to 5 and 12: nodes are upgraded one at a time, put back and upgraded again under load, and nothing
// is lost, whichever of two versions runs where.
func TestUpgradeAndBackOneNodeAtATime(t *testing.T) {
	program, commit := buildBefore(t)
	t.Logf("the version before is commit %s", commit)
	for range roundsOf(t) {
		u := newUpgradeWorld(newWorld(t, programs), program)
		steps := []struct {
			node    int
			program string
			end     func(*Service) error
		}{
			{0, u.present, stop},
			{1, u.present, stop},
			{0, u.before, kill},
			{1, u.before, stop},
			{1, u.present, kill},
			{0, u.present, stop},
		}
		for n, step := range steps {
			u.underLoad(Load{Writers: 8, Nodes: u.nodes, Across: true}, func(context.Context) {
				u.awaitWrites(50)
				u.move(u.nodes[step.node], step.program, step.end)
				u.writeAcross()
				u.pause(1)
				u.awaitWrites(50)
			})
			u.checkForeignMembers()
			u.Service = u.nodes[n%len(u.nodes)]
			u.verify()
		}
		schema, err := u.Cluster.query(`SELECT version FROM schema_migrations`)
		u.must(err)
		t.Logf("the schema is of version %s", schema)
		for _, s := range u.nodes {
			u.must(s.Stop())
		}
	}
}
