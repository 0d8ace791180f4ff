package doctor

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/datapi/datapi/internal/store"
)

// databaseChecks looks at the database of the URL, or at what a private one needs.
func databaseChecks(ctx context.Context, h Host) []Check {
	if h.DatabaseURL == "" {
		return []Check{privatePrograms(h.DataDir)}
	}
	f, err := store.Inspect(ctx, h.DatabaseURL)
	if err != nil {
		return []Check{bad("database.reachable", Wrong, "Look at the address, the user and the password in --database-url, at pg_hba.conf there, and whether PostgreSQL runs; several servers: whether one of them takes writes.", "%v", err)}
	}
	return judgeServer(f)
}

// privatePrograms looks for the programs of a private PostgreSQL.
func privatePrograms(dataDir string) Check {
	programs, version, err := store.InspectPrivate(dataDir)
	if err != nil {
		return bad("database.programs", Wrong, "Install PostgreSQL (Debian: `apt-get install postgresql`), or name a database with --database-url.", "%v", err)
	}
	if version == "" {
		return good("database.programs", "a private PostgreSQL would run with %s; %s has no data yet", programs, dataDir)
	}
	return good("database.programs", "a private PostgreSQL runs with %s; the data in %s are of version %s", programs, dataDir, version)
}

// minServer is the oldest major version of PostgreSQL that the service was tried with.
const minServer = 15

// judgeServer judges what a server says of itself.
func judgeServer(f *store.ServerFacts) []Check {
	checks := []Check{good("database.reachable", "%s", f.Replication)}
	var major int
	if _, err := fmt.Sscanf(f.Version, "%d", &major); err != nil || major < minServer {
		checks = append(checks, bad("database.version", Warning, "Use PostgreSQL 15 or newer; nothing older was tried.", "the server is PostgreSQL %s", f.Version))
	} else {
		checks = append(checks, good("database.version", "the server is PostgreSQL %s", f.Version))
	}
	return append(checks, diskSafety(f), commitSafety(f), standbys(f), schema(f), clock(f.ClockAhead), connections(f), size(f))
}

// settings returns settings with their values, as evidence.
func settings(f *store.ServerFacts, names ...string) string {
	words := make([]string, len(names))
	for i, name := range names {
		words[i] = name + " = " + strconv.Quote(f.Settings[name])
	}
	return strings.Join(words, ", ")
}

// diskSafety judges whether a commit survives a loss of power.
func diskSafety(f *store.ServerFacts) Check {
	const name = "database.disk_safety"
	evidence := settings(f, "fsync", "full_page_writes")
	if f.Settings["fsync"] == "off" || f.Settings["full_page_writes"] == "off" {
		return bad(name, Wrong, "Set both to on: without them a loss of power leaves a database that cannot be used.", "%s", evidence)
	}
	return good(name, "%s", evidence)
}

// commitSafety judges whether a commit is what an acknowledgement promises. Source: docs/ha.md.
func commitSafety(f *store.ServerFacts) Check {
	const name = "database.synchronous_commit"
	evidence := settings(f, "synchronous_commit", "synchronous_standby_names")
	const remedy = "Set synchronous_commit to on (docs/ha.md)."
	switch commit := f.Settings["synchronous_commit"]; {
	case commit == "off":
		return bad(name, Wrong, remedy, "%s: acknowledged changes are lost where the server ends", evidence)
	case commit == "local" && f.Settings["synchronous_standby_names"] != "":
		return bad(name, Wrong, remedy, "%s: commits wait for no standby, although some are named", evidence)
	case commit == "remote_write":
		return bad(name, Warning, remedy, "%s: changes are lost where primary and standby lose their power at once", evidence)
	}
	return good(name, "%s", evidence)
}

// standbys judges the replication. Source: docs/ha.md.
func standbys(f *store.ServerFacts) Check {
	const name = "database.standbys"
	evidence := settings(f, "synchronous_standby_names", "wal_level", "cluster_name")
	if f.Patroni {
		evidence += ", Patroni is connected"
	}
	named := f.Settings["synchronous_standby_names"] != ""
	switch {
	case !f.StandbysKnown && (named || f.Patroni):
		return bad(name, Unknown, "GRANT pg_read_all_stats TO the service's user, to see how many standbys stream.", "%s", evidence)
	case named && f.SyncStandbys == 0:
		return bad(name, Wrong, "Start the standby, or look at Patroni (`patronictl list`): every write waits for it, and is 503 until then.", "%s, none of which streams", evidence)
	case !named && (f.Standbys > 0 || f.Patroni):
		return bad(name, Warning, "With Patroni set synchronous_mode and synchronous_mode_strict to true (docs/ha.md), else synchronous_standby_names.", "%s, %d standbys stream: commits wait for none, so a fail-over loses acknowledged changes", evidence, f.Standbys)
	}
	return good(name, "%s, %d standbys stream, commits wait for %d of them", evidence, f.Standbys, f.SyncStandbys)
}

// schema judges the version of the schema.
func schema(f *store.ServerFacts) Check {
	const name = "database.schema"
	evidence := fmt.Sprintf("the schema is at version %d, this program's is %d", f.Schema, f.Newest)
	switch {
	case f.Half:
		return bad(name, Wrong, "Start `datapi serve`: it names the statement that removes the traces of the migration.", "%s, and a migration has begun and did not end", evidence)
	case !f.Usable:
		return bad(name, Wrong, "Use a newer program: the schema does not name this one among those that may use it.", "%s", evidence)
	}
	return good(name, "%s", evidence)
}

// maxClock is the difference of clocks at which nodes refuse each other's calls, warnClock that of a warning.
const maxClock, warnClock = 5 * time.Minute, 10 * time.Second

// clock judges how far the database's clock is ahead of this host's.
func clock(ahead time.Duration) Check {
	const name = "database.clock"
	const remedy = "Run a time service (chrony, systemd-timesyncd) here and on the database's host."
	evidence := fmt.Sprintf("the database's clock is ahead of this host's by %s", ahead.Round(time.Millisecond))
	switch by := ahead.Abs(); {
	case by > maxClock:
		return bad(name, Wrong, remedy, "%s: nodes refuse each other's calls", evidence)
	case by > warnClock:
		return bad(name, Warning, remedy, "%s", evidence)
	}
	return good(name, "%s", evidence)
}

// wantedConnections is how many connections a node uses at most by default.
const wantedConnections = 13

// connections judges how many connections the server has left.
func connections(f *store.ServerFacts) Check {
	if f.FreeConnections < wantedConnections {
		return bad("database.connections", Warning, "Raise max_connections there, or bound the pool of each node (`pool_max_conns` in the URL).", "%d connections are left; a node uses up to %d", f.FreeConnections, wantedConnections)
	}
	return good("database.connections", "%d connections are left", f.FreeConnections)
}

// size says how large the database is. Whether its disk has room can only be seen there.
func size(f *store.ServerFacts) Check {
	return bad("database.disk", Unknown, "Look at the free space on the database's own host.", "the database has %d MiB; PostgreSQL does not tell what is free", f.Size>>20)
}
