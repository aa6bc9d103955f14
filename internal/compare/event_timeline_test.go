package compare

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/tarebench/tare/internal/record"
)

// TestEventTimeline: every trial has its throughput on one axis, whose zero is the event's beginning, and the parts of its
// outage; the axis ends a quarter after the last trial has recovered.
func TestEventTimeline(t *testing.T) {
	trials := []*record.Trial{
		withEvent(1, "a", 500, outage{exited: 0.5, listens: 2, made: 3, served: 4}),
		withEvent(2, "a", 500, outage{exited: 0.5, listens: 1, made: 1.5, served: 2}),
	}
	got := eventsOf([]Arm{{Name: "a", Threads: 8, Trials: trials}}, 2)[0].Timeline
	if got == nil || got.Step != 0.1 || math.Abs(got.From+2) > 1e-9 || len(got.Trials) != 2 || len(got.Trials[0].Throughput) != 70 {
		t.Fatalf("the timeline is %+v", got)
	}
	for i, served := range []float64{4, 2} {
		c := got.Trials[i]
		for k, tps := range c.Throughput {
			at := got.From + float64(k)*got.Step
			want := 500.0
			switch {
			case at > -0.05 && at < served-0.05:
				want = 0
			case math.Abs(at-served) < 0.05:
				want = 500 + served*500/got.Step // what waited is completed at once
			}
			if math.Abs(tps-want) > 1e-6 {
				t.Errorf("round %d: %.1f transactions/s at %.1f s, want %.1f", c.Round, tps, at, want)
			}
		}
	}
	want := []EventStretch{{PartShutdown, 0, 0.5}, {PartStart, 0.5, 2}, {PartReconnect, 2, 3}, {PartFirst, 3, 4}}
	if diff := cmp.Diff(want, got.Trials[0].Parts, cmpopts.EquateApprox(0, 0.021)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestTimelineOfAnUnservedTrial: it has a throughput, and no parts.
func TestTimelineOfAnUnservedTrial(t *testing.T) {
	never := withEvent(1, "a", 500, outage{exited: 0.1, served: 14.99})
	never.Window.Silences[1][1] = 22
	got := eventsOf([]Arm{{Name: "a", Threads: 8, Trials: []*record.Trial{never}}}, 2)[0].Timeline
	if got == nil || len(got.Trials[0].Parts) > 0 || len(got.Trials[0].Throughput) == 0 {
		t.Errorf("the timeline is %+v", got)
	}
}

// TestStallAtTheEnd: a short stretch without service at the end of the window does not say that the database did not come back.
func TestStallAtTheEnd(t *testing.T) {
	trial := withEvent(1, "a", 500, outage{exited: 0.5, listens: 1, made: 1.5, served: 2})
	trial.Window.Silences = append(trial.Window.Silences, [2]float64{21.7, 22})
	e := eventsOf([]Arm{{Name: "a", Threads: 8, Trials: []*record.Trial{trial}}}, 2)[0]
	if got := figureOf(t, e, WithoutService); e.Unserved != 0 || math.Abs(got-2.3) > 1e-9 || len(e.Parts) == 0 {
		t.Errorf("%d trials were not served again, %v s without service, parts %v", e.Unserved, got, e.Parts)
	}
}

// TestDetectionAndFailover: until the primary has failed for long enough it is detection, until another is there failover.
func TestDetectionAndFailover(t *testing.T) {
	trial := withEvent(1, "a", 500, outage{made: 5.5, served: 6})
	for key, value := range map[string]string{"member": "1", "detected_after_s": "5", "promoted_after_s": "5.4"} {
		trial.Facts = append(trial.Facts, record.Fact{Key: "event.1." + key, Value: value, Phase: "end"})
	}
	got := map[string]float64{}
	for _, p := range eventsOf([]Arm{{Name: "a", Threads: 8, Trials: []*record.Trial{trial}}}, 2)[0].Parts {
		got[p.Name] = p.Mean
	}
	if diff := cmp.Diff(map[string]float64{PartDetection: 5, PartFailover: 0.4, PartReconnect: 0.1, PartFirst: 0.5}, got, cmpopts.EquateApprox(0, 0.021)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
