package runner

// A run directory on a device that takes seconds for a write or a sync. The load and the
// probes do not wait for it (see record.Behind); the end of a trial does, and the user is
// told.

import (
	"fmt"
	"time"

	"github.com/tarebench/tare/internal/record"
)

// slowWrite is how long a write or a sync of the record may take before it is told.
const slowWrite = time.Second

// slowRecord is the event of a device that had not returned from a write in time.
const slowRecord = "slow-record"

// seeRecord looks at the device while the load runs: once a second, with an interval.
func (t *trial) seeRecord() {
	if held := t.stream.Held(); held > slowWrite {
		t.tellSlow()
	}
}

// tellSlow tells once for a trial that its record is written slowly.
func (t *trial) tellSlow() {
	if !t.slow.Swap(true) {
		t.Observe(Progress{Kind: Slow, Trial: t.plan})
	}
}

// closeRecord ends the record and waits until the device has it: from then on the trial
// counts. A device that was slow while the trial ran is an event of its record.
func (t *trial) closeRecord(end record.End) error {
	t.Observe(Progress{Kind: Phase, Trial: t.plan, Phase: "write the record"})
	t.seeRecord()
	if t.slow.Load() {
		event := record.Event{At: end.Duration, Name: slowRecord,
			Detail: fmt.Sprintf("a write to the run directory took more than %s; the load and the probes did not wait for it", slowWrite)}
		if err := t.write(record.Line{Event: &event}); err != nil {
			return err
		}
	}
	late := time.AfterFunc(slowWrite, t.tellSlow)
	defer late.Stop()
	return t.stream.Close(end)
}
