package internal_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"
)

// service is what the tests look at in a service of docker-compose.yml.
type service struct {
	Image       string
	Profiles    []string
	Ports       []string
	Environment map[string]string
	ReadOnly    bool     `yaml:"read_only"`
	NetworkMode string   `yaml:"network_mode"`
	CapDrop     []string `yaml:"cap_drop"`
	CapAdd      []string `yaml:"cap_add"`
	Privileged  bool
	Healthcheck *struct{ Test any }
	Build       *struct{ Target string }
	DependsOn   map[string]struct {
		Condition string
		Required  *bool
	} `yaml:"depends_on"`
}

// compose reads docker-compose.yml.
func compose(t *testing.T) map[string]service {
	t.Helper()
	data, err := os.ReadFile("../docker-compose.yml")
	if err != nil {
		t.Fatal(err)
	}
	var file struct{ Services map[string]service }
	if err := yaml.Unmarshal(data, &file); err != nil {
		t.Fatalf("docker-compose.yml: %v", err)
	}
	return file.Services
}

// dockerfile reads the lines of the Dockerfile that begin with an instruction.
func dockerfile(t *testing.T, instruction string) []string {
	t.Helper()
	data, err := os.ReadFile("../Dockerfile")
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for line := range strings.Lines(string(data)) {
		if rest, ok := strings.CutPrefix(strings.TrimSpace(line), instruction+" "); ok {
			found = append(found, rest)
		}
	}
	return found
}

func TestComposeKeepsTheDatabaseOnLoopbackAndHealthy(t *testing.T) {
	db := compose(t)["postgres"]
	if !regexp.MustCompile(`^postgres:\d+\.\d+`).MatchString(db.Image) {
		t.Errorf("the database's image is %q, want one pinned to a minor version", db.Image)
	}
	if db.Healthcheck == nil {
		t.Error("the database has no health check")
	}
	for _, p := range db.Ports {
		if !strings.HasPrefix(p, "127.0.0.1:") {
			t.Errorf("the database's port %q is not on loopback", p)
		}
	}
}

func TestComposeRunsTheServiceWithoutRightsItDoesNotNeed(t *testing.T) {
	services := compose(t)
	d := services["datapi"]
	if !d.ReadOnly || !slices.Equal(d.CapDrop, []string{"ALL"}) || len(d.CapAdd) != 0 || d.Privileged {
		t.Errorf("datapi: read-only root %v, drops %v, adds %v, privileged %v", d.ReadOnly, d.CapDrop, d.CapAdd, d.Privileged)
	}
	if users := dockerfile(t, "USER"); !slices.Equal(users, []string{"10001"}) {
		t.Errorf("the image runs as %v, want the user 10001", users)
	}
	if d.DependsOn["postgres"].Condition != "service_healthy" {
		t.Error("datapi does not wait for a healthy database")
	}
	rxe := services["rxe"]
	if !slices.Equal(rxe.Profiles, []string{"rxe"}) || rxe.NetworkMode != "host" || d.NetworkMode != "host" {
		t.Errorf("rxe: profiles %v, network %q; datapi's network %q", rxe.Profiles, rxe.NetworkMode, d.NetworkMode)
	}
	after := d.DependsOn["rxe"]
	if after.Condition != "service_completed_successfully" || after.Required == nil || *after.Required {
		t.Error("datapi must wait for the device where the profile makes one, and start without it where not")
	}
}

func TestTheImageCopiesWhatIsThereAndPinsWhatItStandsOn(t *testing.T) {
	for _, line := range dockerfile(t, "COPY") {
		words := strings.Fields(line)
		if strings.HasPrefix(line, "--from=") {
			continue
		}
		for _, pattern := range words[:len(words)-1] {
			if found, err := filepath.Glob(filepath.Join("..", pattern)); err != nil || len(found) == 0 {
				t.Errorf("COPY %s: %s is not there (%v)", line, pattern, err)
			}
		}
	}
	stages := []string{}
	for _, line := range dockerfile(t, "FROM") {
		image, stage, _ := strings.Cut(line, " AS ")
		if !strings.Contains(image, ":") || strings.HasSuffix(image, ":latest") {
			t.Errorf("FROM %s is not pinned", image)
		}
		stages = append(stages, stage)
	}
	for name, s := range compose(t) {
		if s.Build != nil && !slices.Contains(stages, s.Build.Target) {
			t.Errorf("%s is built from stage %q, the Dockerfile has %v", name, s.Build.Target, stages)
		}
	}
}
