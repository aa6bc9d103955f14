package diagnose

import (
	"strings"
	"testing"

	"github.com/tarebench/tare/internal/compare"
	"github.com/tarebench/tare/internal/keys"
	"github.com/tarebench/tare/internal/record"
)

// TestPathUntried: load pods of a run by slices have not measured the network path, and the finding says how it is measured. Facts
// are as the record has them: how servers stood still is read at the end of a trial.
func TestPathUntried(t *testing.T) {
	arm := func(name string) *compare.Arm {
		return &compare.Arm{Name: name, Trials: []*record.Trial{{Facts: []record.Fact{
			{Key: keys.SlicesFrozen, Value: "yes", Phase: "end"}, {Key: keys.LoadPodPrefix + "0.node", Value: "n2", Phase: "start"},
		}}}}
	}
	all := observe(cNET01(), &Observed{Arm: arm("b"), Base: arm("a")})
	if len(all) != 1 || all[0].Verdict != Unknown || !strings.Contains(all[0].Says, "protocol: {kind: windows} measures it") {
		t.Errorf("%+v", all)
	}
}
