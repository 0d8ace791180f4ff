package api

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/datapi/datapi/internal/dat"
)

// objectCollector is the prometheus.Collector that reads the Manager, the recorder and what is known of the nodes.
type objectCollector struct{ api *API }

// newGauge returns the description of a gauge, or of a counter, that objectCollector reads.
func newGauge(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc(name, help, labels, nil)
}

var (
	endpointsDesc = newGauge("datapi_endpoints", "Living endpoints by adapter and state.", "ia", "state")
	objectsDesc   = newGauge("datapi_objects", "Living objects by adapter and type, of the types that an adapter limits.", "ia", "type")
	limitsDesc    = newGauge("datapi_objects_max", "How many objects of a type an adapter can have.", "ia", "type")
	iaUpDesc      = newGauge("datapi_ia_up", "1 while the adapter's port is up.", "ia")
	queuedDesc    = newGauge("datapi_evd_queued_events", "Events that wait in EVDs, by adapter.", "ia")
	deepestDesc   = newGauge("datapi_evd_deepest_queue_events", "Events that wait in the EVD of an adapter that has most.", "ia")
	waitingDesc   = newGauge("datapi_recorder_waiting", "Events that wait for their record.")
	awayDesc      = newGauge("datapi_store_away", "1 while the database is away.")
	staleDesc     = newGauge("datapi_log_stale", "1 while this process may lack the newest changes.")
	behindDesc    = newGauge("datapi_log_lag_changes", "Changes of the log that this node had not seen at its last heartbeat; 0 where nobody watches.")
	lastDesc      = newGauge("datapi_last_change", "The id of the newest change seen.")
	nodesDesc     = newGauge("datapi_nodes", "Nodes on the database by state.", "state")
	movesDesc     = newGauge("datapi_node_moves_total", "Moves of nodes from state to state that this process has recorded, by the state after it.", "state")
	clockDesc     = newGauge("datapi_clock_offset_seconds", "How far the database's clock is ahead of this host's, as measured at the last heartbeat.")
	sessionsDesc  = newGauge("datapi_sessions", "Sessions that are open, those of other nodes included; absent while the database is away.")
)

// Describe sends the descriptions of the metrics.
func (c *objectCollector) Describe(out chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{
		endpointsDesc, objectsDesc, limitsDesc, iaUpDesc, queuedDesc, deepestDesc, waitingDesc, awayDesc, staleDesc, behindDesc, lastDesc,
		nodesDesc, movesDesc, clockDesc, sessionsDesc,
	} {
		out <- d
	}
}

// gauges sends the value of a gauge.
type gauges func(d *prometheus.Desc, value float64, labels ...string)

// Collect sends the metrics.
func (c *objectCollector) Collect(out chan<- prometheus.Metric) {
	gauge := gauges(func(d *prometheus.Desc, v float64, labels ...string) {
		out <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v, labels...)
	})
	c.adapters(gauge)
	c.endpoints(gauge)
	c.queues(gauge)
	c.database(gauge)
	for state, n := range c.api.store.Moves() {
		out <- prometheus.MustNewConstMetric(movesDesc, prometheus.CounterValue, float64(n), state)
	}
}

// adapters sends the metrics of adapters and of their limits; a limit of 0 is none.
func (c *objectCollector) adapters(gauge gauges) {
	for _, ia := range c.api.manager.IAs() {
		gauge(iaUpDesc, oneIf(ia.State == dat.IAUp), string(ia.ID))
		for _, t := range limitOrder {
			used, limit := objectKinds[t].use(ia)
			gauge(objectsDesc, float64(used), string(ia.ID), t.String())
			if limit > 0 {
				gauge(limitsDesc, float64(limit), string(ia.ID), t.String())
			}
		}
	}
}

// endpoints sends how many endpoints are in each state.
func (c *objectCollector) endpoints(gauge gauges) {
	type stateOf struct{ ia, state string }
	states := map[stateOf]int{}
	for _, o := range c.api.manager.List(dat.TypeEndpoint) {
		s, err := c.api.manager.EPStatus(o.Head().ID)
		if err != nil {
			continue // freed since the list was made
		}
		states[stateOf{string(o.Head().IA), s.State.String()}]++
	}
	for of, n := range states {
		gauge(endpointsDesc, float64(n), of.ia, of.state)
	}
}

// queues sends how much waits in EVDs.
func (c *objectCollector) queues(gauge gauges) {
	queued, deepest := map[string]float64{}, map[string]float64{}
	for _, o := range c.api.manager.List(dat.TypeEVD) {
		if d, ok := o.(*dat.EVD); ok {
			ia := string(d.IA)
			queued[ia] += float64(d.Depth)
			deepest[ia] = max(deepest[ia], float64(d.Depth))
		}
	}
	for ia := range queued {
		gauge(queuedDesc, queued[ia], ia)
		gauge(deepestDesc, deepest[ia], ia)
	}
}

// database sends the metrics of the database and of the nodes that share it.
func (c *objectCollector) database(gauge gauges) {
	gauge(waitingDesc, float64(c.api.store.Recorder().Waiting()))
	gauge(awayDesc, oneIf(c.api.store.Recorder().Away() != nil))
	gauge(staleDesc, oneIf(c.api.store.Log().Stale()))
	gauge(lastDesc, float64(c.api.store.Log().Last()))
	for state, n := range c.api.fabric.states(c.api.alive, c.api.store) {
		gauge(nodesDesc, float64(n), state)
	}
	own := c.api.fabric.node(c.api.alive, c.api.store, c.api.node)
	gauge(behindDesc, float64(own.ChangesBehind))
	if own.ClockOffset != nil {
		gauge(clockDesc, (time.Duration(*own.ClockOffset) * time.Microsecond).Seconds())
	}
	if n, err := c.api.store.CountSessions(c.api.alive); err == nil {
		gauge(sessionsDesc, float64(n))
	}
}

func oneIf(is bool) float64 {
	if is {
		return 1
	}
	return 0
}
