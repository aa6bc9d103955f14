package barrier

// Which clocks keep the turns of a round. Generators on one node, each in a pod of its own, read one clock, whatever is known
// of its difference to the controller's: their turns exclude each other exactly, if all of them get the start by that clock.
// Comparisons over the network, which a busy machine or a port forwarding spoils, are for different clocks alone.

import (
	"sync"
	"time"
)

// Clocks are those that keep the turns of the jobs of one round. Every job adds its own before it asks when to begin.
type Clocks struct {
	own string // the name of this host's; "" where it is not known

	mu      sync.Mutex
	seen    map[string]sight
	keep    map[string]bool // those that keep turns, by name
	unnamed bool            // one without a name does, which may be any
	slowest time.Duration   // of the round trips of this host's readings
}

// sight is a clock compared with this host's.
type sight struct {
	here        time.Time
	there       int64 // nanoseconds: the same moment by the clock
	uncertainty time.Duration
}

// NewClocks are those of a round to which no job has added any.
func NewClocks() *Clocks {
	c := &Clocks{seen: map[string]sight{}, keep: map[string]bool{}}
	if own, err := ownMoment(); err == nil {
		c.own = own.name
		c.seen[own.name] = sight{here: own.at, there: own.ns}
	}
	return c
}

// Here says that this host's clock keeps the turns of a job.
func (c *Clocks) Here() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.own == "" {
		c.unnamed = true
		return
	}
	c.keep[c.own] = true
}

// See adds the clocks of the generators of a job, which were compared with its server's as this host's was. Of several
// comparisons of one clock the one with the shortest round trips counts, for all jobs.
func (c *Clocks) See(own Clock, arrivals []Arrival) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.slowest = max(c.slowest, own.took)
	for _, a := range arrivals {
		if a.Clock == "" {
			c.unnamed = true
			continue
		}
		c.keep[a.Clock] = true
		this := sight{own.began, a.Nanoseconds + (own.begin-a.Server)*1000, (own.took + a.Took) / 2}
		if best, ok := c.seen[a.Clock]; !ok || this.uncertainty < best.uncertainty {
			c.seen[a.Clock] = this
		}
	}
}

// One says that one clock keeps all turns.
func (c *Clocks) One() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.keep) == 1 && !c.unnamed
}

// Uncertainty is by how much what is known of a generator's clock, beside this host's, can be wrong. exact: it is this
// host's own. known: false for a clock without a name, of which only its own job knows.
func (c *Clocks) Uncertainty(a Arrival) (most time.Duration, exact, known bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	s, known := c.seen[a.Clock]
	return s.uncertainty, known && a.Clock == c.own, known
}

// Slowest is the longest round trip of this host's readings. To announce a start takes some of these.
func (c *Clocks) Slowest() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.slowest
}

// moments are one of this host's moments by all clocks.
func (c *Clocks) moments(at time.Time) map[string]int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	all := map[string]int64{}
	for name, s := range c.seen {
		all[name] = s.there + at.Sub(s.here).Nanoseconds()
	}
	return all
}
