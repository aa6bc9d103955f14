package report_test

import (
	"strings"
	"testing"

	"github.com/tarebench/tare/internal/compare"
	"github.com/tarebench/tare/internal/keys"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/report"
	"github.com/tarebench/tare/internal/report/text"
)

// TestUntimed: an arm without a time budget says which of its readings is missing, and no other.
func TestUntimed(t *testing.T) {
	timed := []*record.Trial{{Window: &record.Window{Seconds: 10, Latency: &record.Latency{Mean: 4}}}}
	threads := []compare.Counter{{Metric: record.Metric{Name: keys.ServerBackgroundRunNS}}}
	for want, arm := range map[string]compare.Arm{
		"the trials have no latency":              {Counters: threads, Trials: []*record.Trial{{Window: &record.Window{Seconds: 10}}}},
		"no probe read the threads of the server": {Trials: timed},
		"the names of the server's threads":       {Trials: timed, Counters: threads},
	} {
		arm.Name, arm.Slowest = "pod", &compare.Slowest{All: 100, Slow: 1} // without any of these it is left out
		all := report.Explain(&record.Run{}, &compare.Result{Arms: []compare.Arm{arm}})
		if len(all) != 1 {
			t.Fatalf("%q: %d arms", want, len(all))
		}
		all[0].Slowest = nil
		var said strings.Builder
		if err := text.Explain(&said, all, "en", 0); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(said.String(), "where the time goes is not known: "+want) {
			t.Errorf("%q: %s", want, said.String())
		}
	}
}
