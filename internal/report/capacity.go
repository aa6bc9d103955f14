package report

import (
	"fmt"
	"math"
	"strconv"

	"github.com/tarebench/tare/internal/compare"
	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/report/language"
	"github.com/tarebench/tare/internal/report/safe"
)

// Find is the search for the capacity that the experiment asks for.
type Find struct {
	Percentile float64 `json:"percentile"`
	LimitMS    float64 `json:"limit_ms"`
	// WithinPercent is the resolution of the search.
	WithinPercent float64 `json:"within_percent"`
	StepSeconds   float64 `json:"step_s"`
	// Beyond is the overload after the window, as a multiple of the capacity; 0 for none.
	Beyond float64 `json:"beyond"`
}

// Capacity is the highest rate at which an arm keeps the limit, over its trials.
type Capacity struct {
	Arm     string `json:"arm"`
	Threads int    `json:"threads"`
	// Rate is a geometric mean in transactions per second, Interval its 95 % interval, null
	// below two trials.
	Rate     Number     `json:"rate"`
	Interval *[2]Number `json:"interval"`
	Trials   int        `json:"trials"`
	// Low and High are the rates between which steps kept the limit at times, medians over
	// the trials.
	Low  Number `json:"low"`
	High Number `json:"high"`
	// WindowsKept are the trials whose window at the rate kept the limit.
	WindowsKept int `json:"windows_kept"`
	// WindowsMissed are the trials whose window missed the limit by more than twice, MissedMS the percentile there, null
	// where none did.
	WindowsMissed int             `json:"windows_missed"`
	MissedMS      Number          `json:"missed_ms"`
	Steps         int             `json:"steps"`
	Beyond        *BeyondCapacity `json:"beyond,omitempty"`
	Sentence      string          `json:"sentence"`
}

// BeyondCapacity is what an arm did under an overload.
type BeyondCapacity struct {
	Load float64 `json:"load"`
	// CompletedPercent is the share of the capacity that was completed, Interval its 95 %
	// interval, null below two trials.
	CompletedPercent Number     `json:"completed_percent"`
	Interval         *[2]Number `json:"interval"`
	// WaitingPerSecond are the transactions that fell due and were not completed.
	WaitingPerSecond Number `json:"waiting_per_s"`
	LatencyMS        Number `json:"latency_ms"`
	Trials           int    `json:"trials"`
	// Lost are the trials whose server did not survive; How is the first one's way.
	Lost int    `json:"lost"`
	How  string `json:"how,omitempty"`
}

// CapacityStep is one rate of one trial.
type CapacityStep struct {
	Trial     int    `json:"trial"`
	Round     int    `json:"round"`
	Arm       string `json:"arm"`
	Threads   int    `json:"threads"`
	Step      int    `json:"step"`
	Purpose   string `json:"purpose"` // closed, search or beyond
	Rate      Number `json:"rate"`    // null in a closed loop
	Completed Number `json:"completed"`
	LatencyMS Number `json:"latency_ms"`
	Kept      bool   `json:"kept"`
}

// capacities fills in what a search found.
func (doc *Document) capacities(run *record.Run, res *compare.Result) {
	if res.Find == nil {
		return
	}
	doc.Run.Find = findOf(*res.Find)
	for i := range doc.Contrasts {
		doc.Contrasts[i].Metric = "capacity"
	}
	for _, c := range res.Capacities {
		doc.Capacities = append(doc.Capacities, capacityOf(c))
	}
	if res.Sealed {
		return
	}
	for _, t := range run.Trials {
		for _, s := range t.Steps {
			doc.CapacitySteps = append(doc.CapacitySteps, stepOf(t, s))
		}
	}
}

func findOf(f experiment.Find) *Find {
	return &Find{
		Percentile: f.Percentile, LimitMS: float64(f.Limit.Std().Microseconds()) / 1000, WithinPercent: language.Round(100*float64(f.Within), 9),
		StepSeconds: f.Step.Std().Seconds(), Beyond: float64(f.Beyond),
	}
}

func capacityOf(c compare.Capacity) Capacity {
	out := Capacity{
		Arm: text(c.Arm), Threads: c.Threads, Rate: Number(c.Rate), Interval: intervalOf(c.Interval), Trials: c.Trials,
		Low: Number(c.Low), High: Number(c.High), WindowsKept: c.Kept, WindowsMissed: c.Missed, MissedMS: missedMS(&c), Steps: c.Steps,
	}
	if b := c.Beyond; b != nil {
		out.Beyond = &BeyondCapacity{
			Load: b.Load, CompletedPercent: Number(100 * b.Completed), WaitingPerSecond: Number(b.Waiting),
			LatencyMS: Number(b.Latency), Trials: b.Trials, Lost: b.Lost, How: text(b.How),
		}
		if in := b.Interval; in != nil {
			out.Beyond.Interval = intervalOf(&compare.Interval{Lo: 100 * in.Lo, Hi: 100 * in.Hi})
		}
	}
	return out
}

func stepOf(t *record.Trial, s record.Step) CapacityStep {
	out := CapacityStep{
		Trial: t.Header.Trial, Round: t.Header.Round, Arm: text(t.Header.Arm), Threads: t.Header.Threads, Step: s.Number, Purpose: text(s.Purpose),
		Rate: Number(s.Rate), Completed: Number(s.Throughput()), LatencyMS: Number(s.Latency), Kept: s.Kept,
	}
	if s.Rate == 0 {
		out.Rate = Unknown()
	}
	if s.Latency == 0 {
		out.LatencyMS = Unknown()
	}
	return out
}

// Limit is the percentile with its limit: p99 at or below 20 ms.
func (doc *Document) Limit() string {
	f := doc.Run.Find
	return doc.Say("capacity.limit", "p", strconv.FormatFloat(f.Percentile, 'g', -1, 64), "ms", strconv.FormatFloat(f.LimitMS, 'g', -1, 64))
}

// writeCapacities makes the sentences of the capacities.
func (doc *Document) writeCapacities() {
	if doc.Run.Find == nil {
		return
	}
	for i := range doc.Capacities {
		c := &doc.Capacities[i]
		c.Sentence = doc.capacitySentence(c)
		if c.WindowsMissed > 0 { // before the rate, which the measurement does not show
			c.Sentence = doc.Say("capacity.missed", "n", fmt.Sprint(c.WindowsMissed), "of", fmt.Sprint(c.Trials), "p", strconv.FormatFloat(doc.Run.Find.Percentile, 'g', -1, 64), "ms", language.Significant(float64(c.MissedMS))) + c.Sentence
		}
		if c.Beyond != nil {
			c.Sentence += doc.beyondSentence(c)
		}
	}
}

// missedMS is the percentile of the windows that missed the limit by far, unknown without one.
func missedMS(c *compare.Capacity) Number {
	if c.Missed == 0 {
		return Number(math.NaN())
	}
	return Number(c.MissedLatency)
}

func (doc *Document) capacitySentence(c *Capacity) string {
	if c.Interval == nil && c.Trials > 1 {
		return doc.Say("capacity.few", "arm", doc.Called(c.Arm, c.Threads), "limit", doc.Limit(), "rate", Rate(c.Rate), "trials", doc.Count(c.Trials, "trial"))
	}
	if c.Interval == nil {
		return doc.Say("capacity.one", "arm", doc.Called(c.Arm, c.Threads), "limit", doc.Limit(), "rate", Rate(c.Rate))
	}
	return doc.Say("capacity.arm", "arm", doc.Called(c.Arm, c.Threads), "limit", doc.Limit(), "rate", Rate(c.Rate),
		"in", doc.Language().Between(Rate(c.Interval[0]), Rate(c.Interval[1])), "rounds", doc.Count(c.Trials, "round"))
}

func (doc *Document) beyondSentence(c *Capacity) string {
	b, s := c.Beyond, ""
	if b.Trials > 0 {
		share := doc.Say("capacity.share-one", "share", language.Decimal(float64(b.CompletedPercent), 1))
		if b.Interval != nil {
			share = doc.Say("capacity.share", "share", language.Decimal(float64(b.CompletedPercent), 1), "in", doc.Language().Between(language.Decimal(float64(b.Interval[0]), 1), language.Decimal(float64(b.Interval[1]), 1)))
		}
		s = doc.Say("capacity.beyond", "load", fmt.Sprintf("%.0f", 100*b.Load), "share", share, "waiting", Rate(b.WaitingPerSecond))
		if b.CompletedPercent > 100 && (b.Interval == nil || b.Interval[0] > 100) {
			s += doc.Say("capacity.beyond.latency")
		}
	}
	if b.Lost > 0 {
		s += doc.Say("capacity.lost", "load", fmt.Sprintf("%.0f", 100*b.Load), "n", fmt.Sprint(b.Lost), "of", fmt.Sprint(b.Lost+b.Trials), "how", safe.Name(doc.Ended(b.How)))
	}
	return s
}
