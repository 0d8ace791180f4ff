package manager

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/datapi/datapi/internal/dat"
	"github.com/datapi/datapi/internal/rdma"
)

// metrics are what the Manager counts for an operator since it was made. Nothing but a
// finite set of words becomes a label: adapters, kinds, operations and returns. They may be
// used by several goroutines, under any lock.
type metrics struct {
	engine     *prometheus.HistogramVec
	dtos       *prometheus.CounterVec
	bytes      *prometheus.CounterVec
	watermarks *prometheus.CounterVec
	lostEvents *prometheus.CounterVec
}

func newMetrics() metrics {
	return metrics{
		engine: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "datapi_engine_call_duration_seconds", Help: "Time that a call of the engine takes, by operation and DAT return.",
			Buckets: []float64{.000001, .00001, .0001, .001, .01, .1, 1, 10},
		}, []string{"operation", "return"}),
		dtos: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "datapi_dtos_total", Help: "Completed DTOs by adapter and kind, with failed and flushed ones as kinds of their own.",
		}, []string{"ia", "kind"}),
		bytes: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "datapi_dto_bytes_total", Help: "Bytes of DTOs that succeeded, by adapter and direction.",
		}, []string{"ia", "direction"}),
		watermarks: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "datapi_watermark_events_total", Help: "Watermarks that fired, by adapter and watermark.",
		}, []string{"ia", "watermark"}),
		lostEvents: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "datapi_evd_dropped_events_total", Help: "Events that were lost because their EVD was full, by adapter.",
		}, []string{"ia"}),
	}
}

// Metrics returns the collectors of what the Manager counts, to be registered once.
func (m *Manager) Metrics() []prometheus.Collector {
	return []prometheus.Collector{m.metrics.engine, m.metrics.dtos, m.metrics.bytes, m.metrics.watermarks, m.metrics.lostEvents}
}

// call makes a call of the engine and notes how long it took and what it returned. The
// error is the call's.
func (m metrics) call(operation string, call func() error) error {
	start := time.Now()
	err := call()
	ret := dat.RetSuccess
	if err != nil {
		ret = asError(err).Return
	}
	m.engine.WithLabelValues(operation, ret.String()).Observe(time.Since(start).Seconds())
	return err
}

// created is metrics.call for a call that makes something.
func created[T any](m metrics, operation string, create func() (T, error)) (made T, err error) {
	err = m.call(operation, func() error {
		made, err = create()
		return err
	})
	return made, err
}

// does is metrics.call for a call that cannot fail.
func (m metrics) does(operation string, call func()) {
	_ = m.call(operation, func() error { call(); return nil })
}

// adapterMetrics are the counters of one adapter, so that counting a completion looks
// nothing up.
type adapterMetrics struct {
	failed, flushed prometheus.Counter
	// dtos and bytes are by kind.
	dtos, bytes [dat.KindRMRBind + 1]prometheus.Counter
	// soft, hard and srqLow count watermarks that fired.
	soft, hard, srqLow prometheus.Counter
	lostEvents         prometheus.Counter
}

// of returns the counters of an adapter.
func (m metrics) of(ia dat.Handle) adapterMetrics {
	name := string(ia)
	a := adapterMetrics{
		failed: m.dtos.WithLabelValues(name, "error"), flushed: m.dtos.WithLabelValues(name, "flushed"),
		soft: m.watermarks.WithLabelValues(name, "soft_high"), hard: m.watermarks.WithLabelValues(name, "hard_high"),
		srqLow: m.watermarks.WithLabelValues(name, "srq_low"), lostEvents: m.lostEvents.WithLabelValues(name),
	}
	received, sent := m.bytes.WithLabelValues(name, "received"), m.bytes.WithLabelValues(name, "sent")
	for kind, of := range map[dat.DTOKind]struct {
		word  string
		bytes prometheus.Counter
	}{
		dat.KindRecv: {"recv", received}, dat.KindSend: {"send", sent}, dat.KindRDMAWrite: {"rdma_write", sent},
		dat.KindRDMARead: {"rdma_read", received}, dat.KindRMRBind: {"rmr_bind", nil},
	} {
		a.dtos[kind], a.bytes[kind] = m.dtos.WithLabelValues(name, of.word), of.bytes
	}
	return a
}

// completed counts a completion.
func (a *adapterMetrics) completed(kind dat.DTOKind, r rdma.Report) {
	switch {
	case r.Status == dat.DTOErrFlushed:
		a.flushed.Inc()
	case r.Status != dat.DTOSuccess:
		a.failed.Inc()
	default:
		a.dtos[kind].Inc()
		if bytes := a.bytes[kind]; bytes != nil {
			bytes.Add(float64(r.Length))
		}
	}
}
