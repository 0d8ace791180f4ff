package api

import (
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/datapi/datapi/internal/api/document"
)

// metrics are what /metrics shows: requests are counted as they come, objects are read when the metrics are asked for.
// docs/monitor.md lists all of them. Nothing that a client can invent becomes a label.
type metrics struct {
	registry *prometheus.Registry
	duration *prometheus.HistogramVec
	running  prometheus.Gauge
	streams  prometheus.Gauge
	passedOn *prometheus.CounterVec
	refused  *prometheus.CounterVec
	wrong    *prometheus.CounterVec
}

// What a wrong credential is, as a label.
const (
	wrongToken    = "token"
	wrongPassword = "password"
	wrongLink     = "link"
	wrongNode     = "node"
)

func newMetrics(a *API) *metrics {
	m := &metrics{
		registry: prometheus.NewRegistry(),
		duration: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "datapi_http_request_duration_seconds", Help: "Time to answer, by method, route and class of the status.",
			Buckets: []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10},
		}, []string{"method", "route", "status"}),
		running: prometheus.NewGauge(prometheus.GaugeOpts{Name: "datapi_http_requests_running", Help: "Requests that are being answered, streams included."}),
		streams: prometheus.NewGauge(prometheus.GaugeOpts{Name: "datapi_change_streams", Help: "Change streams that are open."}),
		passedOn: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "datapi_forwarded_calls_total", Help: "Calls passed on to the node that owns the object, by what came back: answered, away, unknown.",
		}, []string{"outcome"}),
		refused: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "datapi_refusals_total", Help: "Requests that were answered with a problem, by its kind.",
		}, []string{"kind"}),
		wrong: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "datapi_wrong_credentials_total", Help: "Credentials that were looked at and were wrong, by what they were: token, password, link, node.",
		}, []string{"credential"}),
	}
	for _, outcome := range []string{"answered", "away", "unknown"} {
		m.passedOn.WithLabelValues(outcome)
	}
	for _, kind := range document.ProblemKinds() {
		m.refused.WithLabelValues(kind)
	}
	for _, credential := range []string{wrongToken, wrongPassword, wrongLink, wrongNode} {
		m.wrong.WithLabelValues(credential)
	}
	m.registry.MustRegister(m.duration, m.running, m.streams, m.passedOn, m.refused, m.wrong, buildInfo(a.version), &objectCollector{a},
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// buildInfo returns a metric that is always 1 and says in a label which version runs.
func buildInfo(version string) prometheus.Collector {
	info := prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "datapi_build_info", Help: "1, with the version of the program.", ConstLabels: prometheus.Labels{"version": version},
	})
	info.Set(1)
	return info
}

func (m *metrics) handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{EnableOpenMetrics: true})
}

// request counts a request that was answered; problem is the kind of problem that it was answered with, "" for none.
func (m *metrics) request(method, route string, status int, problem string, took time.Duration) {
	m.duration.WithLabelValues(methodLabel(method), route, strconv.Itoa(status/100)+"xx").Observe(took.Seconds())
	if status >= http.StatusBadRequest && problem != "" {
		m.refused.WithLabelValues(problem).Inc()
	}
}

// methodLabel returns the method of a request. All that no call has share one word, so that nobody can fill the metrics
// with invented ones.
func methodLabel(method string) string {
	if method == http.MethodHead || slices.Contains(methods, method) {
		return method
	}
	return "other"
}
