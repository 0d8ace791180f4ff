package store

import (
	"context"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/datapi/datapi/internal/access"
	"github.com/datapi/datapi/internal/dat"
)

// metrics are what the recorder counts for an operator. They may be used by several
// goroutines.
type metrics struct {
	changes  *prometheus.CounterVec
	size     prometheus.Histogram
	duration *prometheus.HistogramVec
}

// How a group commit ended, as a label.
const (
	commitDone    = "committed"
	commitFailed  = "failed"
	commitUnknown = "unknown"
)

func newMetrics() metrics {
	m := metrics{
		changes: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "datapi_changes_total", Help: "Changes that this node has committed, by the type of the object and the outcome as a DAT return.",
		}, []string{"type", "outcome"}),
		size: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "datapi_group_commit_changes", Help: "Changes that were committed together, by group.",
			Buckets: prometheus.ExponentialBuckets(1, 2, 10),
		}),
		duration: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "datapi_group_commit_duration_seconds", Help: "Time from the first statement of a group to the answer to its COMMIT, by outcome: committed, failed, unknown.",
			Buckets: []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10},
		}, []string{"outcome"}),
	}
	for _, t := range dat.ObjectTypes() {
		m.changes.WithLabelValues(t.String(), dat.RetSuccess.String())
	}
	for _, outcome := range []string{commitDone, commitFailed, commitUnknown} {
		m.duration.WithLabelValues(outcome)
	}
	return m
}

// committed counts the changes of a group that was committed.
func (m metrics) committed(changes []dat.Change) {
	m.size.Observe(float64(len(changes)))
	for i := range changes {
		m.changes.WithLabelValues(changes[i].Object.Type.String(), changes[i].Outcome.String()).Inc()
	}
}

// took notes how long a group took that began at start.
func (m metrics) took(outcome string, start time.Time) {
	m.duration.WithLabelValues(outcome).Observe(time.Since(start).Seconds())
}

// Metrics returns the collectors of what the store counts, to be registered once.
func (s *Store) Metrics() []prometheus.Collector {
	m := s.recorder.metrics
	return []prometheus.Collector{m.changes, m.size, m.duration, poolCollector{s.pool}}
}

// poolCollector reads the statistics of the pool of connections.
type poolCollector struct{ pool *pgxpool.Pool }

// poolMetric is one number of the pool's statistics.
type poolMetric struct {
	desc  *prometheus.Desc
	kind  prometheus.ValueType
	value func(*pgxpool.Stat) float64
}

func newPoolMetric(name, help string, value func(*pgxpool.Stat) float64) poolMetric {
	kind := prometheus.GaugeValue
	if strings.HasSuffix(name, "_total") {
		kind = prometheus.CounterValue
	}
	return poolMetric{prometheus.NewDesc("datapi_database_pool_"+name, help, nil, nil), kind, value}
}

// poolMetrics are the numbers that poolCollector sends.
var poolMetrics = []poolMetric{
	newPoolMetric("connections_max", "Connections that the pool may have.", func(s *pgxpool.Stat) float64 { return float64(s.MaxConns()) }),
	newPoolMetric("connections", "Connections that the pool has, used, idle or being made.", func(s *pgxpool.Stat) float64 { return float64(s.TotalConns()) }),
	newPoolMetric("connections_used", "Connections of the pool that a query uses.", func(s *pgxpool.Stat) float64 { return float64(s.AcquiredConns()) }),
	newPoolMetric("acquires_total", "Times that a query got a connection.", func(s *pgxpool.Stat) float64 { return float64(s.AcquireCount()) }),
	newPoolMetric("acquires_waited_total", "Times that a query waited for a connection because none was idle.", func(s *pgxpool.Stat) float64 { return float64(s.EmptyAcquireCount()) }),
	newPoolMetric("acquires_canceled_total", "Times that a query gave up waiting for a connection.", func(s *pgxpool.Stat) float64 { return float64(s.CanceledAcquireCount()) }),
	newPoolMetric("acquire_seconds_total", "Time that queries needed to get their connections.", func(s *pgxpool.Stat) float64 { return s.AcquireDuration().Seconds() }),
	newPoolMetric("connections_made_total", "Connections that were made.", func(s *pgxpool.Stat) float64 { return float64(s.NewConnsCount()) }),
}

// Describe sends the descriptions.
func (c poolCollector) Describe(out chan<- *prometheus.Desc) {
	for _, m := range poolMetrics {
		out <- m.desc
	}
}

// Collect sends the numbers.
func (c poolCollector) Collect(out chan<- prometheus.Metric) {
	stat := c.pool.Stat()
	for _, m := range poolMetrics {
		out <- prometheus.MustNewConstMetric(m.desc, m.kind, m.value(stat))
	}
}

// sessionsTimeout bounds the question how many sessions are open.
const sessionsTimeout = time.Second

// CountSessions returns how many sessions are open, those of other nodes included. It
// asks nothing of a database that is known to be away.
func (s *Store) CountSessions(ctx context.Context) (n int, err error) {
	if err := s.recorder.Away(); err != nil {
		return 0, err
	}
	ctx, cancel := context.WithTimeout(ctx, sessionsTimeout)
	defer cancel()
	err = s.pool.QueryRow(ctx, `SELECT count(*) FROM sessions WHERE expires_at > now() AND seen_at > now() - $1::interval`, access.SessionIdle).Scan(&n)
	return n, mapError(err)
}
