package runner

import (
	"testing"

	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/record"
)

// TestSlowRecordIsTold: a device that was slow while the load ran is told once, and is an
// event of the record.
func TestSlowRecordIsTold(t *testing.T) {
	tr := &trial{Job: Job{Dir: t.TempDir()}, plan: experiment.Trial{Number: 1, Round: 1, Slot: 1, Arm: "a"}}
	told := 0
	tr.Observe = func(p Progress) {
		if p.Kind == Slow {
			told++
		}
	}
	dir := record.TrialDir(tr.Dir, tr.plan)
	var err error
	if tr.stream, err = record.CreateStream(dir, record.Header{Trial: 1, Round: 1, Slot: 1, Arm: "a"}); err != nil {
		t.Fatal(err)
	}
	tr.tellSlow()
	tr.tellSlow()
	if err := tr.closeRecord(record.End{Outcome: record.Measured}); err != nil {
		t.Fatal(err)
	}
	read, err := record.OpenTrial(dir)
	if err != nil || read.Incomplete != "" {
		t.Fatal(err, read)
	}
	if told != 1 || len(read.Events) != 1 || read.Events[0].Name != slowRecord {
		t.Errorf("told %d times, events %v", told, read.Events)
	}
}
