package compare

import (
	"math"
	"strconv"
	"testing"

	"github.com/tarebench/tare/internal/record"
)

// TestEvidencePerTrial: a counter's growth is a sum with the trials that it is of, so that an arm
// with twice the trials can be shown beside another; an amount has its mean at the end.
func TestEvidencePerTrial(t *testing.T) {
	trial := func(used, periods float64) *record.Trial {
		of := func(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }
		return &record.Trial{Facts: []record.Fact{
			{Key: "cgroup.memory.usage_in_bytes", Value: "100", Phase: "start"}, {Key: "cgroup.cpu.nr_periods", Value: "5", Phase: "start"},
			{Key: "cgroup.memory.usage_in_bytes", Value: of(100 + used), Phase: "end"}, {Key: "cgroup.cpu.nr_periods", Value: of(5 + periods), Phase: "end"},
		}}
	}
	all := evidence([]*record.Trial{trial(50, 10), trial(70, 30), trial(60, 20), {}})
	if memory := all[0]; memory.End != 160 || memory.Trials != 3 {
		t.Errorf("%+v", memory)
	}
	if periods := all[1]; periods.Change != 60 || periods.Trials != 3 || !math.IsNaN(periods.End) {
		t.Errorf("%+v", periods)
	}
}
