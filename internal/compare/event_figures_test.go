package compare

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/tarebench/tare/internal/record"
)

// outage is what is true of an event in a simulated trial, in seconds since the event began.
type outage struct {
	exited, listens, routed, made, served float64
	container                             float64 // of a pod
}

// withEvent is a trial of 2 s of warm-up and 20 s of window at a rate, in which the server is killed 5 s
// into the window: nothing is completed until it is served again, and then at once what was due meanwhile.
func withEvent(round int, arm string, rate int, o outage) *record.Trial {
	const step, began, length = 0.02, 7.0, 22.0
	n := int(length / step)
	t := &record.Timeline{Step: step, Completed: make([]int64, n), Failed: make([]int64, n), Broken: make([]int64, n), Made: make([]int64, n)}
	each := int64(float64(rate) * step)
	for i := range n {
		if at := float64(i) * step; at < began || at >= began+o.served {
			t.Completed[i] = each
		}
	}
	t.Completed[int((began+o.served)/step)] += int64(o.served * float64(rate))
	t.Broken[int(began/step)], t.Failed[int(began/step)], t.Made[int((began+o.made)/step)] = 8, 3, 8
	trial := &record.Trial{Header: record.Header{Arm: arm, Threads: 8, Round: round, Trial: round}, End: &record.End{Outcome: record.Measured},
		Window: &record.Window{Silences: [][2]float64{{1, 1.5}, {began, began + o.served}}, Timeline: t}}
	for s := 1; s <= length; s++ {
		trial.Intervals = append(trial.Intervals, record.Interval{End: float64(s), Length: 1, Warmup: s <= 2, Transactions: float64(rate)})
	}
	fact := func(key, value string) {
		trial.Facts = append(trial.Facts, record.Fact{Key: "event.1." + key, Value: value, Phase: "end"})
	}
	fact("kind", "kill")
	fact("named", "server")
	fact("began_s", "5")
	for key, at := range map[string]float64{"exited_after_s": o.exited, "listens_after_s": o.listens, "routed_after_s": o.routed, "container_after_s": o.container} {
		if at > 0 {
			fact(key, fmt.Sprintf("%.3f", at))
		}
	}
	trial.Facts = append(trial.Facts, record.Fact{Key: "ledger.member.1.result", Value: "not whole", Phase: "end"}, record.Fact{Key: "ledger.member.1.lost", Value: "2", Phase: "end"})
	return trial
}

func figureOf(t *testing.T, e Event, name string) float64 {
	t.Helper()
	for _, f := range e.Figures {
		if f.Name == name {
			return f.Mean
		}
	}
	t.Fatalf("no figure %s in %+v", name, e.Figures)
	return 0
}

// TestPartsOfAnOutage: a way of the clients that leads to no server for 3 s, and a client that connects 1 s
// later, are found in their parts of the outage within 0.2 s, in 10 of 10 rounds with different recovery times.
func TestPartsOfAnOutage(t *testing.T) {
	draw := rand.New(rand.NewPCG(1, 2))
	for round := range 10 {
		start := 0.3 + 2*draw.Float64()
		truth := outage{exited: 0.05, listens: start, routed: start + 3, made: start + 4, served: start + 4.1}
		all := eventsOf([]Arm{{Name: "a", Threads: 8, Trials: []*record.Trial{withEvent(round, "a", 500, truth)}}}, 2)
		got := map[string]float64{}
		for _, p := range all[0].Parts {
			got[p.Name] = p.Mean
		}
		want := map[string]float64{PartShutdown: 0.05, PartStart: start - 0.05, PartRouting: 3, PartReconnect: 1, PartFirst: 0.1}
		if diff := cmp.Diff(want, got, cmpopts.EquateApprox(0, 0.2)); diff != "" {
			t.Errorf("round %d: -want +got:\n%s", round, diff)
		}
		if without := figureOf(t, all[0], WithoutService); math.Abs(without-truth.served) > 1e-9 {
			t.Errorf("round %d: %.3f s without service, want %.3f", round, without, truth.served)
		}
	}
}

// TestPartsOfAPod: the new container of a pod is a part of its own, and one that the API server has reported and nobody
// has seen begin is not known.
func TestPartsOfAPod(t *testing.T) {
	truth := outage{exited: 0.2, container: 1.2, listens: 2, routed: 4, made: 4.5, served: 4.6}
	unseen := withEvent(1, "a", 500, truth)
	for i := range unseen.Facts {
		if unseen.Facts[i].Key == "event.1.container_after_s" {
			unseen.Facts[i].Key = "event.1.running_after_s"
		}
	}
	for want, trial := range map[string]*record.Trial{
		"shutdown 0.2, container 1.0, start 0.8, routing 2.0, reconnect 0.5, first 0.1": withEvent(1, "a", 500, truth),
		"shutdown 0.2, routing 2.0, reconnect 0.5, first 0.1, unknown 1.8":              unseen,
	} {
		var got []string
		for _, p := range eventsOf([]Arm{{Name: "a", Threads: 8, Trials: []*record.Trial{trial}}}, 2)[0].Parts {
			got = append(got, fmt.Sprintf("%s %.1f", p.Name, p.Mean))
		}
		if got := strings.Join(got, ", "); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// TestUnseenPart: what nobody saw is unknown, and not a part of what somebody saw.
func TestUnseenPart(t *testing.T) {
	all := eventsOf([]Arm{{Name: "a", Threads: 8, Trials: []*record.Trial{withEvent(1, "a", 500, outage{exited: 0.5, made: 3, served: 3.5})}}}, 2)
	got := map[string]float64{}
	for _, p := range all[0].Parts {
		got[p.Name] = p.Mean
	}
	if diff := cmp.Diff(map[string]float64{PartShutdown: 0.5, PartUnknown: 2.5, PartFirst: 0.5}, got, cmpopts.EquateApprox(0, 0.021)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestEventFigures: the figures of a trial are those of its event, and one that was not served again has none.
func TestEventFigures(t *testing.T) {
	served := withEvent(1, "a", 500, outage{exited: 0.1, listens: 2, made: 2.5, served: 3})
	never := withEvent(2, "a", 500, outage{exited: 0.1, served: 14.99})
	never.Window.Silences[1][1] = 22
	all := eventsOf([]Arm{{Name: "a", Threads: 8, Trials: []*record.Trial{served, never}}}, 2)
	for name, want := range map[string]float64{WithoutService: 3, ToHalf: 3, ToMost: 3, FailedAttempts: 3, Broken: 8, LostWrites: 2} {
		if got := figureOf(t, all[0], name); math.Abs(got-want) > 0.021 {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
	if all[0].Without.Trials != 1 || all[0].AtLeast != 15 {
		t.Errorf("%d trials have a time without service, want 1; the other is without it for at least %v s, want 15", all[0].Without.Trials, all[0].AtLeast)
	}
	if all[0].Unserved != 1 || all[0].Trials != 2 {
		t.Errorf("%d of %d trials were not served again, want 1 of 2", all[0].Unserved, all[0].Trials)
	}
}

// TestEventVerdict: six rounds with a difference have a verdict, five have none, and neither have equal arms.
func TestEventVerdict(t *testing.T) {
	draw := rand.New(rand.NewPCG(3, 4))
	verdict := func(rounds int, more float64) Verdict {
		base, arm := byRounds{}, byRounds{}
		for round := range rounds {
			base[round], arm[round] = 3+0.1*draw.NormFloat64(), 3+more+0.1*draw.NormFloat64()
		}
		return comparison{res: &Result{}}.difference(base, arm, 1).Verdict
	}
	for _, c := range []struct {
		rounds int
		more   float64
		want   Verdict
	}{{6, 1, Costs}, {6, -1, Gains}, {5, 1, Inconclusive}, {6, 0, Inconclusive}} {
		if got := verdict(c.rounds, c.more); got != c.want {
			t.Errorf("%d rounds with %v s more: %s, want %s", c.rounds, c.more, got, c.want)
		}
	}
}

// TestNoDifferenceOfTheTrialsThatCameBack: an arm that is back sooner in half of its trials and never in the others has no
// difference from the baseline; nor has one that is served again and does not reach the throughput before.
func TestNoDifferenceOfTheTrialsThatCameBack(t *testing.T) {
	var base, lost, slow []*record.Trial
	for round := 1; round <= 12; round++ {
		late := 0.01 * float64(round)
		base = append(base, withEvent(round, "bare", 500, outage{exited: 0.05, made: 3 + late, served: 3 + late}))
		some, half := withEvent(round, "pod", 500, outage{exited: 0.05, made: 2 + late, served: 2 + late}), withEvent(round, "pod", 500, outage{exited: 0.05, made: 2 + late, served: 2 + late})
		if round%2 == 0 {
			some = withEvent(round, "pod", 500, outage{exited: 0.05, made: 14.9, served: 14.9})
			some.Window.Silences[1][1] = 22
			for i := range half.Window.Timeline.Completed {
				if float64(i)*half.Window.Timeline.Step > 7 {
					half.Window.Timeline.Completed[i] = min(5, half.Window.Timeline.Completed[i])
				}
			}
		}
		lost, slow = append(lost, some), append(slow, half)
	}
	of := eventsOf([]Arm{{Name: "bare", Threads: 8, Trials: base}, {Name: "pod", Threads: 8, Trials: lost}, {Name: "slow", Threads: 8, Trials: slow}}, 2)
	if of[1].Unserved != 6 || of[1].Unrecovered != 0 || of[2].Unserved != 0 || of[2].Unrecovered != 6 || of[0].Unserved+of[0].Unrecovered != 0 {
		t.Fatalf("not served again: %d, %d, %d; not as before: %d, %d, %d", of[0].Unserved, of[1].Unserved, of[2].Unserved, of[0].Unrecovered, of[1].Unrecovered, of[2].Unrecovered)
	}
	j := comparison{res: &Result{}}
	compared := func(e Event) (names string) {
		for i := range e.Figures {
			f := &e.Figures[i]
			for k := range of[0].Figures {
				if b := &of[0].Figures[k]; b.Name == f.Name && j.differenceOf(b, f, 1) != nil {
					names += f.Name + " "
				}
			}
		}
		return names
	}
	if got := compared(of[1]); got != LostWrites+" " {
		t.Errorf("half of the trials were not served again, and these are compared: %s", got)
	}
	if got := compared(of[2]); strings.Contains(got, ToMost) || !strings.Contains(got, WithoutService) {
		t.Errorf("half of the trials did not reach 95 %%, and these are compared: %s", got)
	}
}

// TestCEventIntervals: on simulated streams whose recovery times are known, the interval of the difference of
// the time without service holds the true one in 95 % of the experiments, also where recovery times are skewed.
func TestCEventIntervals(t *testing.T) {
	const experiments, rounds = 600, 8
	for name, draw := range map[string]func(*rand.Rand) float64{
		"normal": func(r *rand.Rand) float64 { return 3 + 0.3*r.NormFloat64() },
		"skewed": func(r *rand.Rand) float64 { return 2 * math.Exp(0.25*r.NormFloat64()) },
	} {
		r := rand.New(rand.NewPCG(5, 6))
		held := 0
		for range experiments {
			var base, arm Arm
			for round := range rounds {
				truth := func(served float64) outage {
					return outage{exited: 0.01, listens: served / 2, made: served * 0.9, served: served}
				}
				base.Trials = append(base.Trials, withEvent(round, "base", 200, truth(draw(r))))
				arm.Trials = append(arm.Trials, withEvent(round, "arm", 200, truth(1+draw(r))))
			}
			b, a := eventsOf([]Arm{base}, 2)[0], eventsOf([]Arm{arm}, 2)[0]
			d := comparison{res: &Result{}}.difference(b.Figures[0].rounds, a.Figures[0].rounds, 1)
			if d.Interval.Lo <= 1 && 1 <= d.Interval.Hi {
				held++
			}
		}
		// 3 standard errors of a share of 0.95 in 600 experiments are 0.027.
		if share := float64(held) / experiments; share < 0.923 || share > 0.977 {
			t.Errorf("%s: %.3f of the intervals hold the true difference, want 0.95", name, share)
		}
	}
}
