//go:build verbs && rxe

package verbs

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/datapi/datapi/internal/rdma"
)

// unprivileged is a user of the guest who owns nothing.
const unprivileged = 1000

// The environment of a child of the tests: what it tries (openIA or registerMemory) or is (acceptPeer).
const (
	childTask      = "DATAPI_TEST_CHILD"
	openIA         = "open"
	registerMemory = "register"
)

// TestMain lets the test program be its own child with other rights.
func TestMain(m *testing.M) {
	switch task := os.Getenv(childTask); task {
	case "":
		os.Exit(m.Run())
	case acceptPeer:
		if err := beAPeer(); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
	default:
		fmt.Println(tryAs(task))
	}
}

// tryAs opens the IA of the device under test and returns what a user is told of it: the
// refusal, its state, or that of registering memory.
func tryAs(task string) string {
	if task == registerMemory {
		limit := unix.Rlimit{Cur: 64 << 10, Max: 64 << 10}
		if err := unix.Setrlimit(unix.RLIMIT_MEMLOCK, &limit); err != nil {
			return err.Error()
		}
	}
	p := New()
	ias, err := p.Open(context.Background())
	if err != nil {
		return err.Error()
	}
	defer p.Close()
	for _, ia := range ias {
		if ia.Device() != os.Getenv("DATAPI_TEST_DEVICE") {
			continue
		}
		state, detail := ia.State()
		if task == openIA {
			return strings.TrimSpace(state.String() + " " + detail)
		}
		zone, err := ia.CreatePZ("pz")
		if err != nil {
			return err.Error()
		}
		defer zone.Free()
		if _, err = ia.CreateLMR("lmr", rdma.LMRSpec{PZ: zone, Length: 1 << 20}); err != nil {
			return err.Error()
		}
		return "the memory is registered"
	}
	return "no IA of the device"
}

// whatAUserIsTold runs the task as the unprivileged user.
func whatAUserIsTold(t *testing.T, task string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), waitLimit)
	defer cancel()
	c := exec.CommandContext(ctx, "/proc/self/exe")
	c.Env = append(os.Environ(), childTask+"="+task)
	c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: unprivileged, Gid: unprivileged}}
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return strings.TrimSpace(string(out))
}

// wantTold demands that a user is told all the words.
func wantTold(t *testing.T, told string, words ...string) {
	t.Helper()
	for _, w := range words {
		if !strings.Contains(told, w) {
			t.Errorf("a user is told %q, without %q", told, w)
		}
	}
}

// without moves a file of the guest away until the test ends.
func without(t *testing.T, path string) {
	t.Helper()
	if err := os.Rename(path, path+".away"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.Rename(path+".away", path); err != nil {
			t.Error(err)
		}
	})
}

// library returns the path of a library of the guest.
func library(t *testing.T, pattern string) string {
	t.Helper()
	for _, folder := range []string{"/usr/lib/x86_64-linux-gnu", "/lib/x86_64-linux-gnu"} {
		if found, _ := filepath.Glob(filepath.Join(folder, pattern)); len(found) > 0 {
			return found[0]
		}
	}
	t.Fatalf("there is no %s", pattern)
	return ""
}

func TestAUserWithRightsToTheDeviceNodesNeedsNoOthers(t *testing.T) {
	if told := whatAUserIsTold(t, openIA); told != "UP" {
		t.Errorf("a user is told %q", told)
	}
}

func TestAUserWithoutRightsToADeviceNodeIsToldWhichAndHow(t *testing.T) {
	node := uverbsNode(classRoot, deviceName(t))
	for _, path := range []string{filepath.Join(devRoot, node), filepath.Join(devRoot, "rdma_cm")} {
		was, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, 0o600); err != nil {
			t.Fatal(err)
		}
		told := whatAUserIsTold(t, openIA)
		wantTold(t, told, "DOWN", path, "may not be opened by this user", "add it to the group")
		if err := os.Chmod(path, was.Mode().Perm()); err != nil {
			t.Fatal(err)
		}
	}
}

func TestAMissingDriverLibraryIsToldWithItsPackage(t *testing.T) {
	without(t, library(t, "libibverbs/lib"+deviceName(t)[:3]+"-rdmav*.so"))
	wantTold(t, whatAUserIsTold(t, openIA), "DOWN", "libibverbs has no driver for "+deviceName(t), "install ibverbs-providers")
}

func TestAMissingLibraryIsToldWithItsPackage(t *testing.T) {
	for _, name := range []string{"librdmacm.so.1", "libibverbs.so.1"} {
		t.Run(name, func(t *testing.T) {
			without(t, library(t, name))
			wantTold(t, whatAUserIsTold(t, openIA), "DAT_PROVIDER_NOT_FOUND", name, "install libibverbs1, ibverbs-providers and librdmacm1")
		})
	}
}

func TestASmallLimitOnLockedMemoryIsToldWithWhatRaisesIt(t *testing.T) {
	wantTold(t, whatAUserIsTold(t, registerMemory), "DAT_INSUFFICIENT_RESOURCES", "register memory", "ulimit -l", "LimitMEMLOCK")
}
