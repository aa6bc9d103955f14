package probe

import (
	"time"

	"github.com/tarebench/tare/internal/record"
)

// Reading are counters of a server that another program has read, such as a kubelet, under
// the names of this package's metrics.
type Reading struct {
	// At is when they were read there.
	At     time.Time
	Values map[string]float64
}

// Declared is the metric of that name, and the probe of a machine that reads it.
func Declared(name string) (m record.Metric, probe string, ok bool) {
	for _, p := range OfMachine() {
		for _, m := range p.Metrics {
			if m.Name == name {
				return m, p.Name, true
			}
		}
	}
	return record.Metric{}, "", false
}
