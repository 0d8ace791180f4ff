package manager_test

import (
	"errors"
	"testing"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/manager"
)

func TestEveryPostingTestsTheConditionOnTheVersion(t *testing.T) {
	node := newNode(t)
	q, ep := node.srqWithEndpoint(node.newPZ(node.ia), dat.HandleNull)
	evd := node.newEVD(node.ia, 8, dat.StreamSoftware)
	stale := errors.New("version mismatch")
	c := manager.Call{Actor: "test", DryRun: true, Match: func(int64) error { return stale }}
	region, err := node.m.CreateLMR(node.ctx(), testCall, manager.LMRCreate{IA: node.ia, PZ: node.newPZ(node.ia), Length: 8})
	node.must(err)
	posts := map[string]func() error{
		"srq": func() error {
			_, err := node.m.PostSRQRecv(node.ctx(), c, q, manager.RecvPost{Count: 99, Size: 8})
			return err
		},
		"endpoint": func() error { _, err := node.m.PostSend(node.ctx(), c, ep, manager.SendPost{Count: 1}); return err },
		"event":    func() error { _, err := node.m.PostSE(node.ctx(), c, evd, nil); return err },
		"memory":   func() error { return node.m.WriteLMR(node.ctx(), c, region.ID, 99, []byte{1}) },
	}
	for what, post := range posts {
		if err := post(); !errors.Is(err, stale) {
			t.Errorf("%s: %v", what, err)
		}
	}
}
