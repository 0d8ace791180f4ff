//go:build verbs && rxe

package verbs

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"runtime/pprof"
	"time"

	"github.com/datapi/datapi/internal/rdma"
)

// endsConnection are the reports that end a connection, or the attempt at one.
var endsConnection = map[rdma.ReportKind]bool{
	rdma.ReportPeerRejected: true, rdma.ReportNonPeerRejected: true, rdma.ReportUnreachable: true,
	rdma.ReportAcceptFailed: true, rdma.ReportDisconnected: true, rdma.ReportBroken: true, rdma.ReportEPError: true,
}

// seen are commands of the guest that show what the kernel has of connections and who waits in it.
var seen = []string{
	"rdma resource show cm_id",
	"rdma resource show qp",
	"ss -tan | grep -v TIME-WAIT",
	`for t in /proc/[0-9]*/task/*; do s=$(cat $t/stack 2>/dev/null); [ -z "$s" ] || echo "$t $(cat $t/comm): $s"; done | grep -A 12 "verbs.test\|siw\|iw_cm\|rdma\|ib"`,
	"dmesg | tail -n 60",
}

// whoWaits returns what each party waits for: the goroutines, the kernel's ids, queue pairs, TCP
// connections and threads, and what the kernel said last.
func (b *bench) whoWaits() string {
	b.t.Helper()
	var all bytes.Buffer
	_ = pprof.Lookup("goroutine").WriteTo(&all, 2)
	for _, command := range seen {
		ctx, cancel := context.WithTimeout(b.t.Context(), 20*time.Second)
		out, err := exec.CommandContext(ctx, "sh", "-c", command).CombinedOutput()
		cancel()
		fmt.Fprintf(&all, "# %s (%v)\n%s\n", command, err, bytes.TrimSpace(out))
	}
	return all.String()
}
