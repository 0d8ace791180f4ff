package main

import (
	"encoding/json"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/datapi/datapi/internal/doctor"
)

// examine runs the program's doctor and returns its checks by name, and its exit status.
func examine(t *testing.T, token string, args ...string) (checks map[string]doctor.Check, status int) {
	t.Helper()
	c := exec.CommandContext(t.Context(), program, append([]string{"doctor", "-o", "json", "--engine=soft"}, args...)...)
	c.Env = append(os.Environ(), "DATAPI_TOKEN="+token)
	out, err := c.Output()
	var report doctor.Report
	if wrong := json.Unmarshal(out, &report); wrong != nil {
		t.Fatalf("%v (%v): %s", wrong, err, out)
	}
	checks = map[string]doctor.Check{}
	for _, check := range report.Checks {
		checks[check.Name] = check
		if check.Verdict != doctor.OK && check.Remedy == "" || check.Evidence == "" {
			t.Errorf("%+v lacks evidence or remedy", check)
		}
	}
	if status = c.ProcessState.ExitCode(); (status == exitRefused) != (report.Verdict == doctor.Wrong) {
		t.Errorf("exit status %d where the verdict is %s", status, report.Verdict)
	}
	return checks, status
}

// expect demands the verdict of a check, and a part of its evidence.
func expect(t *testing.T, checks map[string]doctor.Check, name string, v doctor.Verdict, evidence string) {
	t.Helper()
	if c := checks[name]; c.Verdict != v || !strings.Contains(c.Evidence, evidence) {
		t.Errorf("%s is %+v, want %s with %q", name, c, v, evidence)
	}
}

// freeAddress returns an address on which nothing listens.
func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

func TestTheDoctorNeedsNoServiceAndChangesNothing(t *testing.T) {
	dir := filepath.Join(stateDir(t), "not", "there")
	checks, status := examine(t, "", "--data-dir="+dir, "--listen="+freeAddress(t))
	if status != exitDone {
		t.Errorf("exit status %d: %v", status, checks)
	}
	expect(t, checks, "service.running", doctor.Warning, "nothing listens")
	expect(t, checks, "service.data_directory", doctor.OK, "is not there yet")
	expect(t, checks, "database.programs", doctor.OK, "has no data yet")
	if _, err := os.Stat(filepath.Dir(dir)); !os.IsNotExist(err) {
		t.Errorf("the data directory's parent is there afterwards: %v", err)
	}
}

func TestTheDoctorTellsWhatARunningServiceSays(t *testing.T) {
	const token = "a token of the test's own"
	dir := stateDir(t)
	p := serveIn(t, dir, "--admin-token="+token, "--tls-self-signed")
	address := strings.TrimPrefix(p.base, "https://")
	checks, status := examine(t, token, "--data-dir="+dir, "--listen="+address)
	if status != exitDone {
		t.Errorf("exit status %d: %v", status, checks)
	}
	expect(t, checks, "service.certificate", doctor.OK, "is good until")
	expect(t, checks, "service.running", doctor.OK, "https://"+address)
	expect(t, checks, "service.ready.database", doctor.OK, "the private PostgreSQL")
	expect(t, checks, "service.ready.engine", doctor.OK, "soft0@alpha UP")
	expect(t, checks, "service.data_directory", doctor.OK, "belongs to this user")

	checks, _ = examine(t, "", "--data-dir="+dir, "--listen="+address)
	expect(t, checks, "service.ready", doctor.OK, "/readyz answers with 200")

	// Without the certificate in reach the token stays here.
	checks, _ = examine(t, token, "--data-dir="+stateDir(t), "--listen="+address)
	expect(t, checks, "service.ready", doctor.OK, "the credential for its lines was refused")

	if err := p.cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = p.cmd.Process.Signal(syscall.SIGCONT) }()
	checks, status = examine(t, token, "--data-dir="+dir, "--listen="+address)
	if expect(t, checks, "service.running", doctor.Wrong, "/livez"); status != exitRefused {
		t.Errorf("a service that hangs: exit status %d", status)
	}
}

func TestTheDoctorFindsTheServiceOfItsDataDirectory(t *testing.T) {
	dir := stateDir(t)
	p := serveIn(t, dir, "--open=false")
	checks, status := examine(t, "", "--data-dir="+dir)
	if status != exitDone {
		t.Errorf("exit status %d: %v", status, checks)
	}
	expect(t, checks, "service.running", doctor.OK, p.base+"/livez answers")
	expect(t, checks, "service.ready.node", doctor.OK, "alpha, epoch 1")
}

func TestTheDoctorFindsAnotherProgramOnThePort(t *testing.T) {
	other := httptest.NewServer(http.NotFoundHandler())
	defer other.Close()
	checks, status := examine(t, "secret", "--data-dir="+stateDir(t), "--listen="+other.Listener.Addr().String())
	expect(t, checks, "service.running", doctor.Wrong, "with 404")
	if status != exitRefused {
		t.Errorf("exit status %d", status)
	}
}

func TestTheDoctorJudgesTheDatabaseThatIsNamed(t *testing.T) {
	db := database(t, stateDir(t))
	address := freeAddress(t)
	look := func(url string) (map[string]doctor.Check, int) {
		return examine(t, "", "--data-dir="+stateDir(t), "--listen="+address, "--database-url="+url)
	}
	checks, status := look(db.URL())
	if status != exitDone {
		t.Errorf("an empty database: %d %v", status, checks)
	}
	expect(t, checks, "database.reachable", doctor.OK, "commits wait for no standby")
	expect(t, checks, "database.schema", doctor.OK, "the schema is at version 0")
	expect(t, checks, "database.clock", doctor.OK, "ahead of this host's")

	if _, err := exec.CommandContext(t.Context(), program, "migrate", "up", "--database-url="+db.URL()).Output(); err != nil {
		t.Fatal(err)
	}
	checks, _ = look(db.URL() + "&options=-c%20synchronous_commit%3Doff")
	expect(t, checks, "database.synchronous_commit", doctor.Wrong, `synchronous_commit = "off"`)
	if now := checks["database.schema"]; now.Verdict != doctor.OK || strings.Contains(now.Evidence, "version 0,") {
		t.Errorf("after the migrations: %+v", now)
	}

	stopDatabase(t, db)
	checks, status = look(db.URL())
	if expect(t, checks, "database.reachable", doctor.Wrong, "its socket is not there"); status != exitRefused {
		t.Errorf("without a database: exit status %d", status)
	}
	checks, _ = look("postgres://kim:hunter2@127.0.0.1:1/x?connect_timeout=1")
	expect(t, checks, "database.reachable", doctor.Wrong, "it refuses connections")
	if strings.Contains(checks["database.reachable"].Evidence, "hunter2") {
		t.Error("the password is shown")
	}
}

func TestTheDoctorFindsACertificateAndADirectoryThatAStartRefuses(t *testing.T) {
	dir := stateDir(t)
	config, err := serverTLS(&settings{serveOptions: serveOptions{tlsSelfSigned: true, dataDir: dir, listen: "127.0.0.1:1"}}, slog.New(slog.DiscardHandler))
	if err != nil || len(config.Certificates) != 1 {
		t.Fatal(err)
	}
	file := filepath.Join(dir, tlsFolder, certFile)
	if err := os.WriteFile(file, []byte("no certificate"), 0o600); err != nil {
		t.Fatal(err)
	}
	checks, status := examine(t, "", "--data-dir="+dir, "--listen="+freeAddress(t), "--tls-cert="+file)
	if expect(t, checks, "service.certificate", doctor.Wrong, "holds no PEM certificate"); status != exitRefused {
		t.Errorf("exit status %d", status)
	}
	open := stateDir(t)
	if err := os.Chmod(open, 0o777); err != nil {
		t.Fatal(err)
	}
	checks, _ = examine(t, "", "--data-dir="+filepath.Join(open, "data"), "--listen="+freeAddress(t))
	expect(t, checks, "service.data_directory", doctor.Wrong, "everybody may write into")
}

func TestTheDoctorWarnsBeforeACertificateEnds(t *testing.T) {
	dir := stateDir(t)
	folder, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer folder.Close()
	for ago, want := range map[time.Duration]doctor.Verdict{0: doctor.OK, selfSignedFor - 24*time.Hour: doctor.Warning, selfSignedFor + time.Hour: doctor.Wrong} {
		if err := os.RemoveAll(filepath.Join(dir, certFile)); err != nil {
			t.Fatal(err)
		}
		if err := makeSelfSigned(folder, time.Now().Add(-ago), "127.0.0.1:1"); err != nil {
			t.Fatal(err)
		}
		checks, _ := examine(t, "", "--data-dir="+stateDir(t), "--listen="+freeAddress(t), "--tls-cert="+filepath.Join(dir, certFile))
		expect(t, checks, "service.certificate", want, "is good until")
	}
}

// For people each check is a line, and what would help stands below it.
func TestTheDoctorPrintsLinesForPeople(t *testing.T) {
	c := exec.CommandContext(t.Context(), program, "doctor", "--engine=soft", "--data-dir="+stateDir(t), "--listen="+freeAddress(t), "--database-url=postgres://127.0.0.1:1/x?connect_timeout=1")
	out, err := c.CombinedOutput()
	if text := string(out); err == nil || c.ProcessState.ExitCode() != exitRefused || !strings.Contains(text, "wrong    database.reachable") || !strings.Contains(text, "-> Look at the address") || !strings.Contains(text, "\n1 wrong, ") {
		t.Errorf("%v: %s", err, out)
	}
	c = exec.CommandContext(t.Context(), program, "doctor", "-o", "yaml")
	if out, _ := c.CombinedOutput(); c.ProcessState.ExitCode() != exitUsage {
		t.Errorf("-o yaml: %d %s", c.ProcessState.ExitCode(), out)
	}
}
