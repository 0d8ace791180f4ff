package verbs

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// writeFiles makes files below a directory, with the folders that they are in.
func writeFiles(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func TestADiagnosisReadsPortsGIDsAndNodes(t *testing.T) {
	at := roots{class: t.TempDir(), dev: t.TempDir()}
	for _, m := range at.modules() {
		if m.Loaded {
			t.Errorf("%s is loaded in an empty kernel", m.Name)
		}
	}
	writeFiles(t, at.class, map[string]string{
		"infiniband/mlx5_0/ports/1/state":             "1: DOWN",
		"infiniband/mlx5_0/ports/1/phys_state":        "3: Disabled",
		"infiniband/mlx5_0/ports/1/link_layer":        "Ethernet",
		"infiniband/mlx5_0/ports/1/gids/0":            "0000:0000:0000:0000:0000:0000:0000:0000",
		"infiniband/mlx5_0/ports/1/gids/1":            "0000:0000:0000:0000:0000:ffff:0a4d:0002",
		"infiniband/mlx5_0/ports/1/gid_attrs/ndevs/1": "none-such",
		"infiniband/mlx5_0/ports/2/state":             "4: ACTIVE",
		"infiniband_verbs/uverbs0/ibdev":              "mlx5_0",
	})
	ports := at.ports(func(string) (map[int]string, error) { return map[int]string{1: "eth7"}, nil })
	if len(ports) != 2 || ports[1].State != "ACTIVE" || ports[1].Port != 2 {
		t.Fatalf("the ports are %+v", ports)
	}
	p := ports[0]
	if p.State != "DOWN" || p.Physical != "Disabled" || p.LinkLayer != "Ethernet" || p.Netdev != "eth7" ||
		!slices.Equal(p.GIDs, []string{"0000:0000:0000:0000:0000:ffff:0a4d:0002"}) || len(p.Addresses) != 0 {
		t.Errorf("the first port is %+v", p)
	}
	if !strings.Contains(p.NodeProblem, filepath.Join(at.dev, "uverbs0")+" is missing") {
		t.Errorf("its node: %q", p.NodeProblem)
	}
	writeFiles(t, at.dev, map[string]string{"uverbs0": "", "rdma_cm": ""})
	if p = at.ports(func(string) (map[int]string, error) { return nil, os.ErrNotExist })[0]; p.NodeProblem != "" || p.Netdev != "" {
		t.Errorf("with nodes that may be opened: %+v", p)
	}
	for _, m := range at.modules() {
		if m.Loaded != (m.Name != "rdma_ucm") {
			t.Errorf("%s is loaded: %v", m.Name, m.Loaded)
		}
	}
}
