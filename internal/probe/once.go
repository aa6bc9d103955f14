package probe

import (
	"context"
	"strconv"
	"strings"

	"github.com/tarebench/tare/internal/keys"
	"github.com/tarebench/tare/internal/record"
)

// OnceOfCgroup reads what the kernel counts of the server's cgroup a single time: all
// that is known of a server that did not answer in time. Its trial has no window and
// no samples, so each metric is a fact, and a counter's value is the sum since the
// cgroup was made, which is since the server was started. What cannot be read is left out.
func OnceOfCgroup(ctx context.Context, p Place) []record.Fact {
	var facts []record.Fact
	for _, probe := range OfMachine() {
		if !strings.HasPrefix(probe.Name, "cgroup.") {
			continue
		}
		read, err := probe.Start(p)
		if err != nil {
			continue
		}
		_ = read(ctx, func(metric string, v float64) {
			facts = append(facts, record.Fact{Key: keys.UnreadyPrefix + metric, Value: strconv.FormatFloat(v, 'g', -1, 64), Source: "probe " + probe.Name})
		})
	}
	return facts
}
