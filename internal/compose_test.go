package internal_test

import (
	"fmt"
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

// A variable that compose does not pass on is one that nobody can set without a change of the file.
func TestComposePassesEverySettingOnAndAsksTheProgramForItsHealth(t *testing.T) {
	d := compose(t)["datapi"]
	if got, want := fmt.Sprint(d.Healthcheck.Test), "[CMD datapi health]"; got != want {
		t.Errorf("the health check is %s, want %s, which knows the address and TLS", got, want)
	}
	options, err := os.ReadFile("../cmd/datapi/options_serve.go")
	if err != nil {
		t.Fatal(err)
	}
	flags := regexp.MustCompile(`f\.\w+Var\(&o\.\w+, "([a-z-]+)"`).FindAllStringSubmatch(string(options), -1)
	if len(flags) < 10 {
		t.Fatalf("options_serve.go has the flags %v", flags)
	}
	for _, flag := range flags {
		name := "DATAPI_" + strings.ToUpper(strings.ReplaceAll(flag[1], "-", "_"))
		if value, ok := d.Environment[name]; !ok {
			t.Errorf("docker-compose.yml does not pass %s on", name)
		} else if name != "DATAPI_DATA_DIR" && !strings.HasPrefix(value, "${"+name+":-") {
			t.Errorf("docker-compose.yml has %s as %q, which nobody can set", name, value)
		}
	}
	if url := d.Environment["DATAPI_DATABASE_URL"]; strings.Contains(url, "PASSWORD") {
		t.Errorf("the password is in %q, where some characters mean something else", url)
	}
}
