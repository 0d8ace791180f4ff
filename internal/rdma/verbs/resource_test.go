package verbs

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mdlayher/netlink"
	"golang.org/x/sys/unix"

	"github.com/datapi/datapi/internal/dat"
)

// textOf returns what a pointer points to, "" for nil.
func wordOf(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// write makes a file with its folders.
func write(t *testing.T, text string, path ...string) {
	t.Helper()
	file := filepath.Join(path...)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// listed encodes the kernel's list of one kind, in which each function encodes an object.
func listed(kind dat.ResourceKind, objects ...func(*netlink.AttributeEncoder)) func(*netlink.AttributeEncoder) {
	list := resourceDumps[kind].list
	return func(e *netlink.AttributeEncoder) {
		e.Uint32(attrDevIndex, 4)
		e.Nested(list, func(e *netlink.AttributeEncoder) error {
			for _, encode := range objects {
				e.Nested(list+1, func(e *netlink.AttributeEncoder) error {
					encode(e)
					return nil
				})
			}
			return nil
		})
	}
}

// rxe0 is the kernel's list of devices.
func rxe0(e *netlink.AttributeEncoder) {
	e.Uint32(attrDevIndex, 4)
	e.String(attrDevName, "rxe0")
}

func TestTheObjectsOfADeviceAreReadFromTheKernel(t *testing.T) {
	v4, v6 := make([]byte, 128), make([]byte, 128)
	binary.NativeEndian.PutUint16(v4, unix.AF_INET)
	binary.BigEndian.PutUint16(v4[2:], 4711)
	copy(v4[4:], []byte{10, 77, 0, 1})
	binary.NativeEndian.PutUint16(v6, unix.AF_INET6)
	binary.BigEndian.PutUint16(v6[2:], 4712)
	v6[8], v6[23] = 0xfd, 2
	c := kernel(t, map[netlink.HeaderType][]func(*netlink.AttributeEncoder){
		nldevGet: {rxe0},
		resourceDumps[dat.ResourceQP].command: {listed(dat.ResourceQP,
			func(e *netlink.AttributeEncoder) {
				e.Uint32(attrPortIndex, 1)
				e.Uint32(attrLocalQPN, 19)
				e.Uint32(attrRemoteQPN, 20)
				e.Uint8(attrType, 2)
				e.Uint8(attrState, 3)
				e.Uint32(attrPID, 77)
			},
			func(e *netlink.AttributeEncoder) {
				e.Uint32(attrLocalQPN, 1)
				e.Uint8(attrType, 1)
				e.Uint8(attrState, 200)
				e.String(attrKernelName, "ib_core")
			},
		)},
		resourceDumps[dat.ResourceCMID].command: {listed(dat.ResourceCMID, func(e *netlink.AttributeEncoder) {
			e.Uint32(attrLocalQPN, 19)
			e.Uint32(attrPortSpace, 0x106)
			e.Uint8(attrState, 5)
			e.Bytes(attrSource, v4)
			e.Bytes(attrDestination, v6)
			e.Uint32(63, 9)
			e.Uint32(attrPID, 77)
		})},
	})
	got, err := deviceResources(c, "rxe0", []dat.ResourceKind{dat.ResourceQP, dat.ResourceCMID})
	if err != nil || len(got) != 3 {
		t.Fatalf("the objects are %+v, %v", got, err)
	}
	special, qp, id := got[0], got[1], got[2]
	if special.Number != 1 || !special.kernel || wordOf(special.Type) != "GSI" || special.State != nil || wordOf(special.Comm) != "ib_core" {
		t.Errorf("the kernel's queue pair is %+v", special)
	}
	if qp.Number != 19 || qp.port != 1 || wordOf(qp.Type) != "RC" || wordOf(qp.State) != "RTS" || *qp.RemoteNumber != 20 || *qp.PID != 77 {
		t.Errorf("the queue pair is %+v", qp)
	}
	if id.Number != 9 || id.qpNum != 19 || wordOf(id.Type) != "TCP" || wordOf(id.State) != "CONNECT" ||
		wordOf(id.Source) != "10.77.0.1:4711" || wordOf(id.Destination) != "[fd00::2]:4712" {
		t.Errorf("the id is %+v %s %s", id, wordOf(id.Source), wordOf(id.Destination))
	}
	if _, err := deviceResources(c, "gone", dat.ResourceKinds()); err == nil {
		t.Error("a device that is not there has objects")
	}
}

func TestAnObjectBelongsToItsEndpointOrIsAnOrphan(t *testing.T) {
	self, other := int32(77), int32(78)
	proc := t.TempDir()
	write(t, "rping\n", proc, "78", "comm")
	write(t, "Name:\tthread\nTgid:\t77\n", proc, "80", "status")
	thread := int32(80)
	of := func(kind dat.ResourceKind, number uint32, pid *int32, port int, qp uint32) kernelResource {
		return kernelResource{Resource: dat.Resource{Kind: kind, Number: number, PID: pid}, port: port, qpNum: qp}
	}
	kernels := of(dat.ResourceQP, 1, nil, 1, 0)
	kernels.kernel = true
	o := owners{
		port: 1, self: self, program: programs(proc),
		before: map[uint32]dat.Handle{17: "ended"}, after: map[uint32]dat.Handle{18: "living"},
	}
	got := o.assign([]kernelResource{
		kernels, of(dat.ResourceQP, 16, &thread, 1, 0), of(dat.ResourceQP, 17, nil, 1, 0), of(dat.ResourceQP, 18, &self, 0, 0),
		of(dat.ResourceQP, 19, &other, 1, 0), of(dat.ResourceQP, 20, &self, 2, 0), of(dat.ResourceCMID, 5, &self, 1, 18),
		of(dat.ResourceMR, 6, nil, 0, 0),
	})
	type row struct {
		number   uint32
		owner    dat.ResourceOwner
		endpoint dat.Handle
	}
	want := []row{
		{1, dat.OwnerKernel, ""},
		{16, dat.OwnerOrphan, ""},
		{17, dat.OwnerDatapi, "ended"},
		{18, dat.OwnerDatapi, "living"},
		{19, dat.OwnerProcess, ""},
		{5, dat.OwnerDatapi, "living"},
		{6, dat.OwnerProcess, ""},
	}
	if len(got) != len(want) {
		t.Fatalf("%d objects are of port 1, want %d", len(got), len(want))
	}
	for i, w := range want {
		if r := (row{got[i].Number, got[i].Owner, got[i].Endpoint}); r != w {
			t.Errorf("an object is %v, want %v", r, w)
		}
	}
	if wordOf(got[4].Comm) != "rping" || got[1].Comm != nil {
		t.Errorf("the programs are %q and %q", wordOf(got[4].Comm), wordOf(got[1].Comm))
	}
}

func TestTheCountersOfAPortHaveTheKernelsNames(t *testing.T) {
	root := t.TempDir()
	for path, text := range map[string]string{
		"mlx5_0/hw_counters/shared": "1\n", "mlx5_0/ports/1/hw_counters/shared": "2\n",
		"mlx5_0/ports/1/hw_counters/out_of_sequence": "18446744073709551615\n", "mlx5_0/ports/1/hw_counters/lifespan": "10\n",
		"mlx5_0/ports/1/counters/port_xmit_data": "7\n", "mlx5_0/ports/1/counters/port_xmit_wait": "N/A (no PMA)\n",
		"mlx5_0/ports/2/counters/port_xmit_data": "8\n",
	} {
		write(t, text, root, path)
	}
	got := devicePort{"mlx5_0", 1}.counters(root)
	want := map[string]uint64{"shared": 2, "out_of_sequence": 1<<64 - 1, "port_xmit_data": 7}
	if len(got) != len(want) {
		t.Errorf("the counters are %v, want %v", got, want)
	}
	for name, n := range want {
		if got[name] != n {
			t.Errorf("%s is %d, want %d", name, got[name], n)
		}
	}
	if none := (devicePort{"siw0", 1}).counters(root); len(none) != 0 {
		t.Errorf("a device without counters has %v", none)
	}
}

func TestTheLimitsOfTheSystemAreRead(t *testing.T) {
	root := t.TempDir()
	from := limitFiles{
		memlock: 1 << 20, status: filepath.Join(root, "status"), cgroup: filepath.Join(root, "cgroup"), cgroupRoot: filepath.Join(root, "fs"),
	}
	write(t, "Name:\tdatapi\nVmLck:\t       4 kB\nVmPin:\t     512 kB\nCapEff:\t0000000000000000\n", from.status)
	write(t, "0::/system.slice/datapi.service\n", from.cgroup)
	write(t, "rxe0 hca_handle=10 hca_object=2000\nsiw0 hca_handle=max hca_object=max\n", from.cgroupRoot, "system.slice/rdma.max")
	write(t, "rxe0 hca_handle=2 hca_object=1990\n", from.cgroupRoot, "system.slice/rdma.current")
	write(t, "rxe0 hca_handle=max hca_object=100\n", from.cgroupRoot, "system.slice/datapi.service/rdma.max")
	write(t, "rxe0 hca_handle=1 hca_object=50\n", from.cgroupRoot, "system.slice/datapi.service/rdma.current")
	got := limitsOf("rxe0", from)
	if len(got) != 3 || got[0].Used != 512<<10 || *got[0].Max != 1<<20 || got[1].Used != 2 || *got[1].Max != 10 ||
		got[2].Name != "rdma_objects" || got[2].Used != 1990 || *got[2].Max != 2000 {
		t.Errorf("the limits are %+v", got)
	}
	if !strings.Contains(got[2].Remedy, "system.slice/rdma.max") {
		t.Errorf("the remedy %q does not name the file", got[2].Remedy)
	}
	if other := limitsOf("siw0", from); len(other) != 1 {
		t.Errorf("a device without limits has %+v", other)
	}
	write(t, "VmPin:\t     512 kB\nCapEff:\t0000000000004000\n", from.status)
	if lifted := limitsOf("siw0", from); lifted[0].Max != nil {
		t.Errorf("with CAP_IPC_LOCK the limit is %d", *lifted[0].Max)
	}
	if here := lockedMemory(systemLimits()); here.Name != "locked_memory" || here.Used < 0 {
		t.Errorf("the limit of this process is %+v", here)
	}
}
