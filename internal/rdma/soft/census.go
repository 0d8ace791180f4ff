package soft

// Census counts what there is on a fabric; all is zero when everything was freed.
type Census struct {
	PZs, EVDs, SRQs, LMRs, RMRs, EPs, Listeners int
	// Requests are those without an answer, Connections the ends of connections and
	// of their setups, Keys what peers can use, Shared the memories with an id.
	Requests, Connections, Keys, Shared int
	// Memory is the registered memory in bytes, InFlight what is on the wire, Posted
	// the receives and requests that have not completed.
	Memory   int64
	InFlight int
	Posted   int
}

// Census returns what there is on the fabric now.
func (f *Fabric) Census() Census {
	f.mu.Lock()
	defer f.mu.Unlock()
	c := Census{Shared: len(f.shared), Memory: f.memory, InFlight: len(f.wire)}
	for _, a := range f.adapters {
		c.PZs += a.count[kindPZ]
		c.EVDs += a.count[kindEVD]
		c.SRQs += a.count[kindSRQ]
		c.LMRs += a.count[kindLMR]
		c.RMRs += a.count[kindRMR]
		c.EPs += a.count[kindEP]
		c.Listeners += a.count[kindListener]
		c.Requests += len(a.requests)
		c.Keys += len(a.keys)
		for p := range a.live {
			if e, ok := p.(*ep); ok {
				c.Posted += len(e.recvs) + len(e.taken) + len(e.sends)
				if e.conn != nil {
					c.Connections++
				}
			}
		}
	}
	return c
}
