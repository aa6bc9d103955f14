package experiment

// This file is load.latency: a second window of every trial, at a rate that all arms share.

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tarebench/tare/internal/interleave"
)

// Latency is the window at a fixed rate that follows the measured window of a closed loop, on the
// same server. Its p95 and p99 are those that arms are compared by.
type Latency struct {
	// Rate is what is offered to every arm.
	Rate Offer `yaml:"rate"`
	// Measure is the length of the window; 0 is that of protocol.measure.
	Measure Duration `yaml:"measure"`
}

// Offer is a rate in transactions per second, written as 350/s, or a share of the throughput that the
// slowest arm has in a closed loop, written as 60%. One of the two is 0.
type Offer struct {
	PerSecond Rate
	Share     Percent
}

// UnmarshalText reads either.
func (o *Offer) UnmarshalText(b []byte) error {
	*o = Offer{}
	read := o.PerSecond.UnmarshalText
	if strings.HasSuffix(strings.TrimSpace(string(b)), "%") {
		read = o.Share.UnmarshalText
	}
	if err := read(b); err != nil || *o == (Offer{}) {
		return fmt.Errorf("%q is not a rate: write transactions per second with the unit, such as 350/s, or a share of the throughput of the slowest arm, above 0%% and below 100%%, such as 60%%", b)
	}
	return nil
}

// MarshalText is the notation UnmarshalText reads.
func (o Offer) MarshalText() ([]byte, error) {
	if o.Share > 0 {
		return o.Share.MarshalText()
	}
	return o.PerSecond.MarshalText()
}

// Of is the rate of arms of which the slowest has a throughput in a closed loop, in transactions per
// second: a number of two figures, because it is quoted in every sentence.
func (o Offer) Of(slowest float64) float64 {
	if o.PerSecond > 0 {
		return float64(o.PerSecond)
	}
	rate := slowest * float64(o.Share)
	if !(rate > 0) {
		return 0
	}
	unit := math.Pow(10, math.Floor(math.Log10(rate))-1)
	return stripped(math.Floor(rate/unit+1e-9) * unit)
}

// stripped is a number of two figures without what the binary system adds.
func stripped(rate float64) float64 {
	v, _ := strconv.ParseFloat(strconv.FormatFloat(rate, 'g', 2, 64), 64) // a number that was just written
	return v
}

// settleLatency is the part of the fixed rate that is offered before it is measured, as a share of
// the window: the server is warm, and only its queue has to become that of the rate.
const settleLatency = 5

// LatencyTimes are the lengths of the window at the fixed rate and of what comes before it; 0 without
// load.latency.
func (e *Experiment) LatencyTimes() (settle, measure time.Duration) {
	if e.Load.Latency == nil {
		return 0, 0
	}
	measure = e.Load.Latency.Measure.Std()
	if measure == 0 {
		measure = e.Protocol.Measure.Std()
	}
	return measure / settleLatency, measure
}

// AtRate says whether a trial has a window at the fixed rate. The connections are those of the
// highest level of the load; the second measurement of the baseline and the combinations of an
// attribution are not compared by latency.
func (e *Experiment) AtRate(t Trial) bool {
	if e.Load.Latency == nil || t.Again || t.Threads != slices.Max(e.Load.Threads) {
		return false
	}
	arm, _ := e.Arm(t.Arm)
	return t.Arm == e.Baseline || e.Compared(arm)
}

// Compared says that an arm is compared with the baseline: those of the file, and the full stack of
// an attribution. The combinations between them serve the attribution, and 2^k contrasts would
// widen the intervals that are asked for.
func (e *Experiment) Compared(a Arm) bool {
	return a.Name != e.Baseline && (e.Attribute == nil || len(a.Layers) == 0 || a.Name == e.Attribute.Full())
}

// RateTurns is who is on while the fixed rate is offered in a round of slices; the cell of a trial is
// its place in the second value. Without slices or load.latency it has none. The servers run only while their load is
// offered: an open loop has a queue at the end of a turn, which guard and drain would shorten (C32).
func (p Plan) RateTurns(e *Experiment, round int) (interleave.Schedule, []Trial) {
	s := interleave.Schedule{Seed: p.Seed, Round: round, AtRate: true}
	if !p.Sliced() || e.Load.Latency == nil {
		return s, nil
	}
	var cells []Trial
	for _, t := range p.Trials {
		if t.Round == round && e.AtRate(t) {
			cells = append(cells, t)
		}
	}
	if s.Slices, s.Cells = *p.Current().Slices, len(cells); s.ExactAtRate {
		s.Slices = s.Exactly()
	}
	settle, measure := e.LatencyTimes()
	s.Warmup = int((settle + s.Load() - 1) / s.Load())
	s.Slices.Cycles = max(1, int((measure+s.Slice/2)/s.Slice))
	return s, cells
}

// FixRate is the plan with the rate of load.latency, in transactions per second. It is fixed once.
func (p Plan) FixRate(rate float64) (Plan, error) {
	if p.LatencyRate != 0 || !(rate > 0) {
		return p, fmt.Errorf("fix rate: %g/s cannot be the rate of a run that has %g/s", rate, p.LatencyRate)
	}
	p.LatencyRate = rate
	p.Version, p.Sum = PlanVersion, p.sum()
	return p, nil
}

// checkRate says that the fixed rate cannot be that of the experiment.
func (p Plan) checkRate(e *Experiment) error {
	switch l := e.Load.Latency; {
	case p.LatencyRate == 0:
		return nil
	case l == nil || !(p.LatencyRate > 0) || p.LatencyRate > maxRate || l.Rate.PerSecond > 0 && p.LatencyRate != float64(l.Rate.PerSecond):
		return errors.New("check plan: plan.json was changed: latency_rate is not one that the experiment can have")
	}
	return nil
}

// latency checks what the file says of the window at a fixed rate.
func (c *checker) latency() {
	l := c.e.Load
	if l.Latency == nil {
		return
	}
	c.want(l.Latency.Rate != (Offer{}), "load.latency.rate", "name the rate, for example rate: 60%% (of the throughput of the slowest arm) or rate: 350/s")
	c.want(l.Latency.Measure == 0 || l.Latency.Measure.Std() >= time.Second, "load.latency.measure", "expected at least 1s; without it, the window is as long as protocol.measure")
	c.want(l.Rate == 0, "load.rate", "load.latency is measured after a closed loop; leave out rate or latency")
	c.want(l.Limit == 0, "load.limit", "load.latency is measured after a closed loop without a limit; leave out limit or latency")
	c.want(l.Find == nil, "load.find", "a search for the capacity measures latency at the capacity; leave out find or latency")
	c.want(!l.From.Pods(), "load.from", "load.latency is measured from this host alone; leave out from or latency")
}
