package api

import (
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/datapi/datapi/internal/dat"
)

// metrics are what /metrics shows: requests are counted as they come, objects and their counters are read when the
// metrics are asked for.
type metrics struct {
	registry *prometheus.Registry
	duration *prometheus.HistogramVec
	streams  prometheus.Gauge
	passedOn *prometheus.CounterVec
}

func newMetrics(a *API) *metrics {
	m := &metrics{
		registry: prometheus.NewRegistry(),
		duration: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "datapi_http_request_duration_seconds", Help: "Time to answer, by method, route and status.",
			Buckets: []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10},
		}, []string{"method", "route", "status"}),
		streams: prometheus.NewGauge(prometheus.GaugeOpts{Name: "datapi_change_streams", Help: "Change streams that are open."}),
		passedOn: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "datapi_forwarded_calls_total", Help: "Calls passed on to the node that owns the object, by what came back: answered, away, unknown.",
		}, []string{"outcome"}),
	}
	m.registry.MustRegister(m.duration, m.streams, m.passedOn, &objectCollector{a},
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

func (m *metrics) handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{EnableOpenMetrics: true})
}

func (m *metrics) request(method, route string, status int, took time.Duration) {
	m.duration.WithLabelValues(methodLabel(method), route, strconv.Itoa(status)).Observe(took.Seconds())
}

// methodLabel returns the method of a request. All that no call has share one word, so that nobody can fill the metrics
// with invented ones.
func methodLabel(method string) string {
	if method == http.MethodHead || slices.Contains(methods, method) {
		return method
	}
	return "other"
}

// objectCollector is the prometheus.Collector that reads the Manager and the recorder.
type objectCollector struct{ api *API }

var (
	endpointsDesc = prometheus.NewDesc("datapi_endpoints", "Living endpoints by adapter and state.", []string{"ia", "state"}, nil)
	dtosDesc      = prometheus.NewDesc("datapi_dtos_total", "Completed DTOs of living endpoints by adapter and kind.", []string{"ia", "kind"}, nil)
	bytesDesc     = prometheus.NewDesc("datapi_dto_bytes_total", "Bytes of living endpoints by adapter and direction.", []string{"ia", "direction"}, nil)
	iaUpDesc      = prometheus.NewDesc("datapi_ia_up", "1 while the adapter's port is up.", []string{"ia"}, nil)
	waitingDesc   = prometheus.NewDesc("datapi_recorder_waiting", "Events that wait for their record.", nil, nil)
	awayDesc      = prometheus.NewDesc("datapi_store_away", "1 while the database is away.", nil, nil)
	nodesDesc     = prometheus.NewDesc("datapi_nodes", "Nodes on the database by state.", []string{"state"}, nil)
	movesDesc     = prometheus.NewDesc("datapi_node_moves_total", "Moves of nodes from state to state that this process has recorded, by the state after it.", []string{"state"}, nil)
	lastDesc      = prometheus.NewDesc("datapi_last_change", "The id of the newest change seen.", nil, nil)
)

// Describe sends the descriptions of the metrics.
func (c *objectCollector) Describe(out chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{endpointsDesc, dtosDesc, bytesDesc, iaUpDesc, waitingDesc, awayDesc, nodesDesc, movesDesc, lastDesc} {
		out <- d
	}
}

// Collect sends the metrics.
func (c *objectCollector) Collect(out chan<- prometheus.Metric) {
	gauge := func(d *prometheus.Desc, v float64, labels ...string) {
		out <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v, labels...)
	}
	for _, ia := range c.api.manager.IAs() {
		gauge(iaUpDesc, oneIf(ia.State == dat.IAUp), string(ia.ID))
	}
	c.endpoints(out, gauge)
	gauge(waitingDesc, float64(c.api.store.Recorder().Waiting()))
	gauge(awayDesc, oneIf(c.api.store.Recorder().Away() != nil))
	for state, n := range c.api.fabric.states(c.api.alive, c.api.store) {
		gauge(nodesDesc, float64(n), state)
	}
	for state, n := range c.api.store.Moves() {
		out <- prometheus.MustNewConstMetric(movesDesc, prometheus.CounterValue, float64(n), state)
	}
	gauge(lastDesc, float64(c.api.store.Log().Last()))
}

// endpoints sends the metrics of endpoints by adapter.
func (c *objectCollector) endpoints(out chan<- prometheus.Metric, gauge func(*prometheus.Desc, float64, ...string)) {
	type stateOf struct{ ia, state string }
	states, sums := map[stateOf]int{}, map[string]dat.DTOCounters{}
	for _, o := range c.api.manager.List(dat.TypeEndpoint) {
		s, err := c.api.manager.EPStatus(o.Head().ID)
		if err != nil {
			continue // freed since the list was made
		}
		ia := string(o.Head().IA)
		states[stateOf{ia, s.State.String()}]++
		sums[ia] = added(sums[ia], s.Counters)
	}
	for of, n := range states {
		gauge(endpointsDesc, float64(n), of.ia, of.state)
	}
	for ia, sum := range sums {
		for kind, n := range map[string]int64{
			"recv": sum.Recvs, "send": sum.Sends, "rdma_write": sum.RDMAWrites, "rdma_read": sum.RDMAReads,
			"rmr_bind": sum.RMRBinds, "error": sum.Errors, "flushed": sum.Flushed,
		} {
			gauge(dtosDesc, float64(n), ia, kind)
		}
		gauge(bytesDesc, float64(sum.RecvBytes), ia, "received")
		gauge(bytesDesc, float64(sum.SentBytes), ia, "sent")
	}
}

// added returns the sums of two endpoints' counters.
func added(a, b dat.DTOCounters) dat.DTOCounters {
	return dat.DTOCounters{
		Recvs: a.Recvs + b.Recvs, Sends: a.Sends + b.Sends, RDMAWrites: a.RDMAWrites + b.RDMAWrites, RDMAReads: a.RDMAReads + b.RDMAReads,
		RMRBinds: a.RMRBinds + b.RMRBinds, RecvBytes: a.RecvBytes + b.RecvBytes, SentBytes: a.SentBytes + b.SentBytes,
		Errors: a.Errors + b.Errors, Flushed: a.Flushed + b.Flushed,
	}
}

func oneIf(is bool) float64 {
	if is {
		return 1
	}
	return 0
}
