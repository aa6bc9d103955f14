// Package record defines the format of a run on disk and on the wire: the plan and
// everything that was observed.
//
// It is the waist of tare: the measuring side writes it, the reading side reads
// it, and neither knows the other. Everything here is data; nothing interprets.
package record

import "time"

// Version is the version of the stream format. A reader refuses a larger one.
// 2 added samples, 3 turns, 4 the steps of a search for the capacity, 5 the window at a fixed rate.
const Version = 5

// Direction says which way of a metric is better for the user of the database.
type Direction string

const (
	HigherIsBetter Direction = "higher"
	LowerIsBetter  Direction = "lower"
	Neutral        Direction = "neutral"
)

// Metric declares a series once, so that a reader needs no dictionary.
type Metric struct {
	Name      string    `json:"name"`
	Unit      string    `json:"unit"`
	Direction Direction `json:"direction"`
	Help      string    `json:"help"`
	// Counter marks a value that only grows, so that its change says something;
	// the others are read as they stand.
	Counter bool `json:"counter,omitempty"`
}

// Outcome says how a trial ended. Everything but Failed is a result of the arm:
// an arm that starves has told us something (docs/report.md: outcomes are never
// reasons to drop a trial).
type Outcome string

const (
	// Measured: the window was measured to its end.
	Measured Outcome = "measured"
	// NotReady: the server did not answer a query within its time limit.
	NotReady Outcome = "not-ready"
	// Starved: the server was ready, but committed nothing in the window, or the
	// load engine gave up waiting for it.
	Starved Outcome = "starved"
	// ServerLost: the server died, was killed, restarted, hung or lost its tables while
	// it was loaded, or DNS or TLS kept the load from connecting to it again. What the engine measured is not a figure of the arm.
	ServerLost Outcome = "server-lost"
	// Failed: tare or the machine failed; the trial says nothing about the arm.
	Failed Outcome = "failed"
)

// Outcomes are all of them, in the order in which they are shown.
func Outcomes() []Outcome { return []Outcome{Measured, NotReady, Starved, ServerLost, Failed} }

// Event is something that happened once, at a time since the trial's start.
type Event struct {
	At     time.Duration `json:"at_ns"`
	Name   string        `json:"name"`
	Detail string        `json:"detail,omitempty"`
}

// Fact is one thing read from the machine, the kernel or the server, with where
// it was read. Value is what was read, verbatim; an unreadable fact has no value
// and says why (Unknown).
type Fact struct {
	Key     string `json:"key"`
	Value   string `json:"value,omitempty"`
	Source  string `json:"source,omitempty"`
	Unknown string `json:"unknown,omitempty"`
	// Phase is when it was read: "start" (before the load) or "end" (after the
	// window). Counters are read at both.
	Phase string `json:"phase,omitempty"`
}

// Counts are the operations of an interval or of a window, by class.
type Counts struct {
	Transactions int64 `json:"transactions"`
	Reads        int64 `json:"reads"`
	Writes       int64 `json:"writes"`
	Other        int64 `json:"other"`
	Errors       int64 `json:"errors"`
	Reconnects   int64 `json:"reconnects"`
}

// Interval is one step of the series that a load engine reports, usually a
// second. Rates are per second, as the engine measured them; sysbench prints
// rates rather than counts, so rates are what is kept and counts are not
// reconstructed from rounded numbers.
type Interval struct {
	// End is the end of the interval in seconds since the load began (the
	// engine's own clock, warm-up included).
	End float64 `json:"end_s"`
	// Length of the interval in seconds.
	Length float64 `json:"length_s"`
	// Warmup marks an interval that lies before the measured window.
	Warmup bool `json:"warmup,omitempty"`
	// Turn is the number of the arm's turn, from 1, of an arm that takes turns with
	// others; its times are then the arm's own, which stands still while it is off.
	Turn         int     `json:"turn,omitempty"`
	Threads      int     `json:"threads"`
	Transactions float64 `json:"tps"`
	Queries      float64 `json:"qps"`
	Reads        float64 `json:"reads_per_s"`
	Writes       float64 `json:"writes_per_s"`
	Other        float64 `json:"other_per_s"`
	Errors       float64 `json:"errors_per_s"`
	Reconnects   float64 `json:"reconnects_per_s"`
	// Percentile is the latency percentile (0 to 100) that Latency holds, in
	// milliseconds; 0 where the engine was told to report none.
	Percentile float64 `json:"percentile,omitempty"`
	Latency    float64 `json:"latency_ms,omitempty"`
	// Coarse is how the response times of the interval were spread; nil from an engine
	// that does not tell, in older records, and where nothing was answered.
	Coarse *Coarse `json:"coarse,omitempty"`
	// Queue and Concurrency are reported by an open loop only.
	Queue       int64 `json:"queue,omitempty"`
	Concurrency int64 `json:"concurrency,omitempty"`
}

// Latency summarises a window. Milliseconds. Nil pointers are values that the
// engine did not print.
//
// Min, Mean and Max are 0 where the program that measured did not print them.
type Latency struct {
	Min         float64            `json:"min_ms"`
	Mean        float64            `json:"mean_ms"`
	Max         float64            `json:"max_ms"`
	Sum         float64            `json:"sum_ms"`
	Percentiles map[string]float64 `json:"percentiles_ms,omitempty"` // "95" -> ms
	Histogram   *Histogram         `json:"histogram,omitempty"`
}

// Timed is the latency of one statement of a transaction, or of one kind of
// transaction.
type Timed struct {
	Name    string  `json:"name"`
	Latency Latency `json:"latency"`
}

// Window is the measured window as a whole. Transactions / Seconds is the
// throughput of the trial (total over time, not a median of seconds: a freeze
// of 1 s in 30 costs 3.3 % and the median would show 0 %).
type Window struct {
	Seconds float64 `json:"seconds"`
	Counts  Counts  `json:"counts"`
	// Uncounted are the transactions that ended in lead-ins of slices, or after them:
	// counters of the server hold those, too.
	Uncounted int64    `json:"uncounted,omitempty"`
	Latency   *Latency `json:"latency,omitempty"`
	// Statements are those of a transaction in the order in which they are sent,
	// Kinds the kinds of transaction of a mix; from an engine that times them.
	Statements []Timed `json:"statements,omitempty"`
	Kinds      []Timed `json:"kinds,omitempty"`
	// Slowest is where the transactions spent their time, all of them and the
	// slowest; nil from an engine that does not tell, and in older records.
	Slowest *Slowest `json:"slowest,omitempty"`
	// Silences are the times, in seconds since the load began, in which transactions waited
	// and none was completed for 0.2 s or longer; nil from an engine that does not tell, and
	// in older records.
	Silences [][2]float64 `json:"silences_s,omitempty"`
	// Timeline is what the clients saw in short steps, in a trial during which something happened to
	// the server; nil in others.
	Timeline *Timeline `json:"timeline,omitempty"`
	// Partial marks a window that was summed up from the series because the
	// engine did not print its totals (an aborted run, or a log without them).
	Partial bool `json:"partial,omitempty"`
	// Rate is the mean of the series' transactions per second, weighted by the
	// length of each interval. It is set on a partial window only: there Counts
	// are rounded sums of rates, and Transactions / Seconds would carry that
	// rounding into the throughput.
	Rate float64 `json:"tps,omitempty"`
	// Capacity is set where the experiment searches for it; the window is then the load
	// at its rate.
	Capacity *Capacity `json:"capacity,omitempty"`
}

// Timeline counts what the clients saw, in steps of so many seconds since the load began.
type Timeline struct {
	Step float64 `json:"step_s"`
	// Completed are transactions by when they ended, Failed attempts that ended in an error and were
	// made again, Broken connections that were lost, Made those that replaced them.
	Completed []int64 `json:"completed"`
	Failed    []int64 `json:"failed"`
	Broken    []int64 `json:"broken"`
	Made      []int64 `json:"made"`
}

// Throughput is the figure that arms are compared by, in transactions per second: the
// capacity where the experiment searches for it, else what the window completed.
func (w Window) Throughput() float64 {
	if w.Capacity != nil {
		return w.Capacity.Rate
	}
	return w.Completed()
}

// Completed is transactions per second over the window; 0 for an empty one.
func (w Window) Completed() float64 {
	if w.Partial && w.Rate > 0 {
		return w.Rate
	}
	if w.Seconds <= 0 {
		return 0
	}
	return float64(w.Counts.Transactions) / w.Seconds
}

// Sample is what the probes read at one moment, by the name of the metric that
// declares it. A value that is not there is as it was in the sample before, or
// was not read at this moment.
type Sample struct {
	At time.Duration `json:"at_ns"` // since the trial's start
	// Warmup marks a sample before the measured window; the first without it is
	// the window's beginning.
	Warmup bool   `json:"warmup,omitempty"`
	Values Values `json:"values"`
}

// Header opens a stream and says which trial of which plan it is.
type Header struct {
	Version int       `json:"version"`
	Trial   int       `json:"trial"` // index in the plan, from 1
	Round   int       `json:"round"` // from 1
	Slot    int       `json:"slot"`  // position within the round, from 1
	Arm     string    `json:"arm"`
	Threads int       `json:"threads"`
	Started time.Time `json:"started"`
	Engine  string    `json:"engine"`
	Tare    string    `json:"tare"` // version of tare that wrote it
}

// End closes a stream. Without it, and without a matching checksum, the trial
// does not count and `tare run --resume` does it again.
type End struct {
	Outcome  Outcome       `json:"outcome"`
	Reason   string        `json:"reason,omitempty"`
	Hopeless bool          `json:"-"` // each other attempt of this run fails for this reason
	Duration time.Duration `json:"duration_ns"`
	Lines    int           `json:"lines"`
	SHA256   string        `json:"sha256"` // of all bytes before this line
}

// Line is one line of a stream: exactly one field is set.
type Line struct {
	Header   *Header   `json:"header,omitempty"`
	Metric   *Metric   `json:"metric,omitempty"`
	Event    *Event    `json:"event,omitempty"`
	Fact     *Fact     `json:"fact,omitempty"`
	Interval *Interval `json:"interval,omitempty"`
	Sample   *Sample   `json:"sample,omitempty"`
	Step     *Step     `json:"step,omitempty"`
	Window   *Window   `json:"window,omitempty"`
	AtRate   *AtRate   `json:"at_rate,omitempty"`
	End      *End      `json:"end,omitempty"`
}

// Trial is a stream read back.
type Trial struct {
	Header    Header
	Metrics   []Metric
	Events    []Event
	Facts     []Fact
	Intervals []Interval
	Samples   []Sample
	Steps     []Step
	Window    *Window
	AtRate    *AtRate // nil where the trial has none
	End       *End
	// Dir is the trial's directory, "" for a trial that was not read from disk.
	Dir string
	// Incomplete says why the stream does not count, "" when it does.
	Incomplete string
}
