//go:build verbs && rxe

package verbs

import (
	"bufio"
	"context"
	"fmt"
	"os"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/rdma"
)

// acceptPeer is the task of a child that is the other end of a connection in a process of
// its own, for the tests of the program (scripts/rxe/guest): it accepts one request, and
// loses its queue pair when it reads a line, as no program of the guest does: its peer is
// not told.
const acceptPeer = "accept"

// beAPeer runs that task, and says what has happened on its standard output. It returns
// when there is nothing more to read.
func beAPeer() error {
	p := New()
	ias, err := p.Open(context.Background())
	if err != nil {
		return err
	}
	defer p.Close()
	for _, ia := range ias {
		if ia.Device() == os.Getenv("DATAPI_TEST_DEVICE") {
			return acceptAndLose(ia)
		}
	}
	return fmt.Errorf("no IA of the device among %d", len(ias))
}

// acceptAndLose is beAPeer on an IA.
func acceptAndLose(ia rdma.IA) error {
	zone, err := ia.CreatePZ("pz")
	if err != nil {
		return err
	}
	queue, err := ia.CreateEVD("evd", 8, []dat.Stream{dat.StreamDTO})
	if err != nil {
		return err
	}
	e, err := ia.CreateEP("ep", rdma.EPParams{PZ: zone, RecvEVD: queue, RequestEVD: queue, Attributes: dat.EPAttributes{
		MaxRecvDTOs: 8, MaxRequestDTOs: 8, MaxRecvIOV: 1, MaxRequestIOV: 1,
	}})
	if err != nil {
		return err
	}
	l, err := ia.Listen("sp", 0, true)
	if err != nil {
		return err
	}
	fmt.Println(l.Qual())
	for r := range ia.Reports() {
		if r.Kind == rdma.ReportRequest {
			if err := r.Request.Accept(e, nil); err != nil {
				return err
			}
		}
		if r.Kind == rdma.ReportEstablished {
			break
		}
	}
	fmt.Println("connected")
	lines := bufio.NewScanner(os.Stdin)
	if lines.Scan() {
		c := e.(*ep).conn
		c.mu.Lock()
		c.closeQP()
		c.mu.Unlock()
		fmt.Println("lost")
	}
	for lines.Scan() {
	}
	return lines.Err()
}
