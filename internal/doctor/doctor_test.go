package doctor

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/rdma/verbs"
	"github.com/datapi/datapi/internal/store"
)

// verdicts returns the verdicts that are not OK, by the names of their checks, and demands evidence of every check and a
// remedy of those.
func verdicts(t *testing.T, checks []Check) map[string]Verdict {
	t.Helper()
	all := map[string]Verdict{}
	for _, c := range checks {
		if c.Evidence == "" || strings.Contains(c.Evidence, "%!") || strings.Contains(c.Remedy, "%!") {
			t.Errorf("%s has the evidence %q and the remedy %q", c.Name, c.Evidence, c.Remedy)
		}
		if c.Verdict == OK {
			continue
		}
		if c.Remedy == "" {
			t.Errorf("%s is %s and says nothing that would help", c.Name, c.Verdict)
		}
		all[c.Name] = c.Verdict
	}
	return all
}

// healthy returns what a host with one port that is up shows.
func healthy() verbs.Diagnosis {
	return verbs.Diagnosis{
		Modules: []verbs.Module{{Name: "ib_core", Shows: "/sys/class/infiniband", Loaded: true}},
		Ports: []verbs.PortDiagnosis{{
			Device: "mlx5_0", Port: 1, State: "ACTIVE", Physical: "LinkUp", LinkLayer: "Ethernet", Netdev: "eth7",
			GIDs: []string{"fe80::1"}, Addresses: []string{"10.77.0.2/24 eth7"},
		}},
		Limits: []dat.ResourceLimit{{Name: "locked_memory", Unit: "bytes", Remedy: "raise it"}},
	}
}

func TestWhatTheKernelShowsIsJudged(t *testing.T) {
	gone := verbs.Diagnosis{Modules: []verbs.Module{{Name: "ib_uverbs", Shows: "/sys/class/infiniband_verbs"}}}
	cases := map[string]struct {
		engine string
		change func(*verbs.Diagnosis)
		want   map[string]Verdict
	}{
		"a port that is up": {"verbs", func(*verbs.Diagnosis) {}, map[string]Verdict{}},
		"no device, and soft adapters may stand in": {
			"auto", func(d *verbs.Diagnosis) { *d = gone },
			map[string]Verdict{"rdma.module.ib_uverbs": Warning, "rdma.devices": Warning},
		},
		"no device, and verbs is asked for": {
			"verbs", func(d *verbs.Diagnosis) { *d = gone },
			map[string]Verdict{"rdma.module.ib_uverbs": Wrong, "rdma.devices": Wrong},
		},
		"devices in another network namespace": {
			"verbs", func(d *verbs.Diagnosis) { d.Ports, d.Hidden = nil, "they may be elsewhere" },
			map[string]Verdict{"rdma.devices": Wrong},
		},
		"a device whose nodes may not be opened": {
			"auto", func(d *verbs.Diagnosis) { d.Ports[0].NodeProblem = "may not be opened" },
			map[string]Verdict{"rdma.rights.mlx5_0-1": Wrong},
		},
		"a port that is down": {
			"auto", func(d *verbs.Diagnosis) { d.Ports[0].State = "DOWN" },
			map[string]Verdict{"rdma.port.mlx5_0-1": Warning, "rdma.active": Wrong},
		},
		"one of two ports is down": {"auto", func(d *verbs.Diagnosis) {
			d.Ports = append(d.Ports, verbs.PortDiagnosis{Device: "mlx5_0", Port: 2, State: "INIT", LinkLayer: "InfiniBand"})
		}, map[string]Verdict{"rdma.port.mlx5_0-2": Warning}},
		"no address": {"auto", func(d *verbs.Diagnosis) { d.Ports[0].Addresses = nil }, map[string]Verdict{"rdma.address.mlx5_0-1": Wrong}},
		"no GID":     {"auto", func(d *verbs.Diagnosis) { d.Ports[0].GIDs = nil }, map[string]Verdict{"rdma.address.mlx5_0-1": Warning}},
		"little memory may be locked": {
			"auto", func(d *verbs.Diagnosis) { d.Limits[0].Max = new(int64(8 << 20)) },
			map[string]Verdict{"rdma.limit.locked_memory": Warning},
		},
		"all memory is locked": {
			"auto", func(d *verbs.Diagnosis) { d.Limits[0].Max, d.Limits[0].Used = new(int64(1<<30)), 1<<30-1 },
			map[string]Verdict{"rdma.limit.locked_memory": Wrong},
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			d := healthy()
			c.change(&d)
			if got := verdicts(t, judgeRDMA(d, c.engine)); !maps.Equal(got, c.want) {
				t.Errorf("%v, want %v", got, c.want)
			}
		})
	}
	if got := verdicts(t, rdmaChecks("soft")); len(got) != 0 {
		t.Errorf("soft adapters alone: %v", got)
	}
}

func TestWhatAServerSaysIsJudged(t *testing.T) {
	cases := map[string]struct {
		change func(*store.ServerFacts)
		want   map[string]Verdict
	}{
		"one server":      {func(*store.ServerFacts) {}, map[string]Verdict{}},
		"an old one":      {func(f *store.ServerFacts) { f.Version = "13.9 (Debian)" }, map[string]Verdict{"database.version": Warning}},
		"no flush":        {func(f *store.ServerFacts) { f.Settings["fsync"] = "off" }, map[string]Verdict{"database.disk_safety": Wrong}},
		"no waiting":      {func(f *store.ServerFacts) { f.Settings["synchronous_commit"] = "off" }, map[string]Verdict{"database.synchronous_commit": Wrong}},
		"half a waiting":  {func(f *store.ServerFacts) { f.Settings["synchronous_commit"] = "remote_write" }, map[string]Verdict{"database.synchronous_commit": Warning}},
		"local, and none": {func(f *store.ServerFacts) { f.Settings["synchronous_commit"] = "local" }, map[string]Verdict{}},
		"local, and some": {func(f *store.ServerFacts) {
			f.Settings["synchronous_commit"], f.Settings["synchronous_standby_names"], f.SyncStandbys = "local", "*", 1
		}, map[string]Verdict{"database.synchronous_commit": Wrong}},
		"a standby that is away": {func(f *store.ServerFacts) { f.Settings["synchronous_standby_names"] = "member2" }, map[string]Verdict{"database.standbys": Wrong}},
		"a standby that is not seen": {func(f *store.ServerFacts) {
			f.Settings["synchronous_standby_names"], f.StandbysKnown = "member2", false
		}, map[string]Verdict{"database.standbys": Unknown}},
		"standbys for which none waits": {func(f *store.ServerFacts) { f.Standbys = 2 }, map[string]Verdict{"database.standbys": Warning}},
		"Patroni without synchronous":   {func(f *store.ServerFacts) { f.Patroni = true }, map[string]Verdict{"database.standbys": Warning}},
		"a schema of a newer program":   {func(f *store.ServerFacts) { f.Schema, f.Usable = 99, false }, map[string]Verdict{"database.schema": Wrong}},
		"a migration that was cut off":  {func(f *store.ServerFacts) { f.Half = true }, map[string]Verdict{"database.schema": Wrong}},
		"a clock that is behind":        {func(f *store.ServerFacts) { f.ClockAhead = -time.Minute }, map[string]Verdict{"database.clock": Warning}},
		"a clock that is far ahead":     {func(f *store.ServerFacts) { f.ClockAhead = time.Hour }, map[string]Verdict{"database.clock": Wrong}},
		"a server that is nearly full":  {func(f *store.ServerFacts) { f.FreeConnections = 2 }, map[string]Verdict{"database.connections": Warning}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			f := &store.ServerFacts{
				Version: "15.18 (Debian 15.18-1)", Replication: "commits wait for no standby", StandbysKnown: true, Schema: 12, Newest: 12, Usable: true, FreeConnections: 90,
				Settings: map[string]string{"synchronous_commit": "on", "synchronous_standby_names": "", "fsync": "on", "full_page_writes": "on", "wal_level": "replica"},
			}
			c.change(f)
			got := verdicts(t, judgeServer(f))
			if got["database.disk"] != Unknown {
				t.Error("what is free on the server's disk is known")
			}
			delete(got, "database.disk")
			if !maps.Equal(got, c.want) {
				t.Errorf("%v, want %v", got, c.want)
			}
		})
	}
}

var (
	checkName   = regexp.MustCompile(`"((?:rdma|database|service)\.[a-z_.]+)"`)
	checkCell   = regexp.MustCompile("(?m)^\\| (`(?:rdma|database|service)\\.[^|]+) \\|")
	checkMarked = regexp.MustCompile("`((?:rdma|database|service)\\.[a-z_.]+)…?`")
)

// The page lists every check, and names none that there is not.
func TestThePageOfTroublesNamesEveryCheck(t *testing.T) {
	made := map[string]bool{}
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range checkName.FindAllStringSubmatch(string(source), -1) {
			made[strings.TrimSuffix(m[1], ".")] = true
		}
	}
	page, err := os.ReadFile("../../docs/troubleshooting.md")
	if err != nil {
		t.Fatal(err)
	}
	listed := map[string]bool{}
	for _, row := range checkCell.FindAllStringSubmatch(string(page), -1) {
		for _, m := range checkMarked.FindAllStringSubmatch(row[1], -1) {
			listed[strings.TrimSuffix(m[1], ".")] = true
		}
	}
	for name := range made {
		if !listed[name] {
			t.Errorf("docs/troubleshooting.md does not list %s", name)
		}
	}
	for _, m := range checkMarked.FindAllStringSubmatch(string(page), -1) {
		name := strings.TrimSuffix(m[1], ".")
		if known := name == "rdma.limit.locked_memory"; !made[name] && !known {
			t.Errorf("docs/troubleshooting.md names %s, which the doctor does not make", name)
		}
	}
	if len(made) < 20 {
		t.Errorf("only %d checks were found", len(made))
	}
}
