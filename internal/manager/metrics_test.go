package manager_test

import (
	"maps"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/manager"
)

// counted returns the value of every counter of the node, and of the count of every histogram, by its name and the
// values of its labels.
func (node *testNode) counted() map[string]float64 {
	node.Helper()
	registry := prometheus.NewRegistry()
	registry.MustRegister(node.m.Metrics()...)
	families, err := registry.Gather()
	node.must(err)
	all := map[string]float64{}
	for _, f := range families {
		for _, m := range f.Metric {
			name := f.GetName()
			for _, l := range m.Label {
				name += " " + l.GetValue()
			}
			all[name] = m.GetCounter().GetValue() + float64(m.GetHistogram().GetSampleCount())
		}
	}
	return all
}

// What was counted stays counted when its endpoint and its EVD have ended: a counter that falls would look like a restart.
func TestCountersGoOnWhenTheirObjectsEnd(t *testing.T) {
	node := newNode(t)
	active, passive := node.newEP(node.ia), node.newEP(node.peer)
	node.connect(active, passive)
	_, err := node.m.SetWatermark(node.ctx(), testCall, passive.ep, new(int64(1)), new(int64(3)))
	node.must(err)
	_, err = node.m.ModifyEVD(node.ctx(), testCall, passive.evd, manager.EVDModify{QLen: new(int64(2))})
	node.must(err)
	node.postRecvs(passive.ep, 4) // their flushes and the end of the connection are five events for two places
	peer := string(node.peer)
	node.waitUntil("all receives are flushed", func() bool { return node.counted()["datapi_dtos_total "+peer+" flushed"] == 4 })
	node.waitUntil("three events are lost", func() bool { return node.counted()["datapi_evd_dropped_events_total "+peer] == 3 })
	node.hooks.refuse("CreateEP", errRefused)
	_, err = node.m.CreateEP(node.ctx(), testCall, manager.EPCreate{IA: node.ia})
	node.expectRefusal(err, dat.RetInsufficientResources)
	before := node.counted()
	for name, want := range map[string]float64{
		"datapi_engine_call_duration_seconds create_endpoint DAT_INSUFFICIENT_RESOURCES": 1,
		"datapi_engine_call_duration_seconds connect DAT_SUCCESS":                        1,
		"datapi_engine_call_duration_seconds accept DAT_SUCCESS":                         1,
		"datapi_engine_call_duration_seconds create_endpoint DAT_SUCCESS":                2,
		"datapi_watermark_events_total " + peer + " soft_high":                           1,
		"datapi_watermark_events_total " + peer + " hard_high":                           1,
		"datapi_watermark_events_total " + string(node.ia) + " hard_high":                0,
	} {
		if got, ok := before[name]; !ok || got != want {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
	node.must(node.m.FreeEP(node.ctx(), testCall, passive.ep))
	after := node.counted()
	for name := range maps.Keys(before) {
		if after[name] < before[name] {
			t.Errorf("%s fell from %v to %v", name, before[name], after[name])
		}
	}
	if after["datapi_engine_call_duration_seconds free_endpoint DAT_SUCCESS"] != 1 {
		t.Error("the engine's free of the endpoint was not measured")
	}
}
