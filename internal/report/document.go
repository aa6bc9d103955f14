// Package report turns a finished run into the document that all views show: figures,
// verdicts, sentences and next steps.
package report

import (
	"time"

	"github.com/tarebench/tare/internal/compare"
	"github.com/tarebench/tare/internal/report/language"
)

// Schema and Version name the result document. A reader refuses a larger
// version; docs/result.schema.json is its contract.
const (
	Schema  = "tare.result/v1"
	Version = 1
)

// Document is the result of a run: everything that any view shows. Terminal,
// Markdown, JSON and page are views of it and compute nothing that another view
// could get wrong in its own way.
type Document struct {
	Schema  string `json:"schema"`
	Version int    `json:"version"`
	Tare    string `json:"tare"`

	Run RunInfo `json:"run"`
	// Answer is what the run means and what to do, in one sentence before all others; left out where no arm is a
	// remedy of another that is decided.
	Answer string `json:"answer,omitempty"`
	// Headline is the result in sentences, the most important first.
	Headline []string `json:"headline"`
	// Next is what to do about it, the most useful first.
	Next []Step `json:"next"`
	// Contrasts come before the arms with their distributions, so that who lists runs
	// reads the start of a file.
	Contrasts []Contrast `json:"contrasts"`
	// Arms has one entry per arm and level of the load, the baseline first, then
	// in the order of the experiment.
	Arms []Arm `json:"arms"`
	// Attributions has one entry per level of the load where the experiment asks
	// which layer owns the loss; else it is empty.
	Attributions []Attribution `json:"attributions"`
	// Neighbours separate what an arm costs by itself from what its neighbour takes; left
	// out where no two arms differ only in the neighbour.
	Neighbours []Neighbour `json:"neighbours,omitempty"`
	// Answers are the arms that are remedies of other arms; left out where there is none.
	Answers []Answer `json:"answers,omitempty"`
	// Remedies are the changes whose arms the experiment measures; left out where
	// it measures none.
	Remedies []Remedy `json:"remedies,omitempty"`
	// Hypotheses are the claims that the experiment tests; left out where it has none.
	Hypotheses []Hypothesis `json:"hypotheses,omitempty"`
	// NoiseFloors has one entry per level of the load where the baseline was
	// measured twice in every round; else it is empty.
	NoiseFloors []NoiseFloor `json:"noise_floors"`
	// Steadiness, CarryOvers and Scalings say whether machine and arms held still
	// and how the arms scale; empty while the run is sealed.
	Steadiness []Steadiness `json:"steadiness"`
	CarryOvers []CarryOver  `json:"carry_overs"`
	Scalings   []Scaling    `json:"scalings"`
	// Capacities has one entry per arm and level with a capacity, CapacitySteps one per rate
	// that was offered in a trial; left out where the experiment does not search for it.
	Capacities    []Capacity     `json:"capacities,omitempty"`
	CapacitySteps []CapacityStep `json:"capacity_steps,omitempty"`
	// Prices has one entry per arm and level with a price, Pools one per arm and level whose
	// buffer pool was watched; left out where there is none, and while the run is sealed.
	Prices []Price `json:"prices,omitempty"`
	Pools  []Pool  `json:"pools,omitempty"`
	// Correlations are what goes along with throughput over four arms or more.
	Correlations []Correlation `json:"correlations"`
	// Network has predictors of throughput and the use of links; left out where no trial
	// measured them.
	Network *Network `json:"network,omitempty"`
	// Stalls are times within trials in which almost nothing was committed; left out where
	// there was none.
	Stalls []Stall `json:"stalls,omitempty"`
	// StallTotals count them for each arm, also those that are not listed.
	StallTotals []StallTotal `json:"stall_totals,omitempty"`
	// Events are what happened to databases while they were loaded, and Ledgers whether every
	// acknowledged write was on every member afterwards; left out where nothing did, and of
	// workloads without a ledger.
	Events  []Event  `json:"events,omitempty"`
	Ledgers []Ledger `json:"ledgers,omitempty"`
	// Limits is what so many rounds cannot show; left out without an interval.
	Limits *Limits `json:"limits,omitempty"`
	// Voids are the trials that an external factor disturbed.
	Voids []Void `json:"voids"`
	// Attempts are all measurements in the order of their execution, those of rounds that
	// were run again among them; empty for an imported run.
	Attempts []Attempt `json:"attempts"`
	// Probes are what was watched beside the load; empty while the run is sealed.
	Probes Probes `json:"probes"`
	// Heat is how response times were spread over the seconds of the trials; empty where
	// the record does not tell, and while the run is sealed.
	Heat Heat `json:"heat"`
	// Explained has one entry per arm and level of the load whose counters say
	// something; empty while the run is sealed.
	Explained []Explained `json:"explained"`
	// Causes are the findings of Explained that the counters show, in short.
	Causes      []Cause      `json:"causes,omitempty"`
	Trials      []Trial      `json:"trials"`
	Differences []Difference `json:"differences"`
	// Parameters are the server parameters that decide most, with who gave each arm its value;
	// left out where all arms are alike and tare configured every server.
	Parameters  []Parameter `json:"parameters,omitempty"`
	Environment []Setting   `json:"environment"`
	// Warnings are the sentences of WarningReasons.
	Warnings       []string         `json:"warnings"`
	WarningReasons []compare.Reason `json:"warning_reasons"`
	// Protocol is how the arms of a round shared its time.
	Protocol Protocol `json:"protocol"`
	// Confidence says which intervals hold at once and which by themselves; "" without any.
	Confidence string `json:"confidence"`
	// Scope says what the result holds for.
	Scope string `json:"scope"`
	// ExperimentYAML is the experiment file, byte for byte; "" for an imported run.
	ExperimentYAML string `json:"experiment_yaml"`

	dir      string             // of the run, for commands; "" of a document that was read
	language *language.Language // of the sentences; nil for English
	source   *Document          // of a translation: the document of the run
	place    place              // where the servers were
	round    time.Duration      // how long a round took, for the price of more of them
}

// RunInfo says which run this is and how far it came.
type RunInfo struct {
	Name     string `json:"name"`
	Imported bool   `json:"imported"`
	// Unit is that of the throughput of a log whose program does not count transactions per second;
	// IntervalSeconds are the lengths of a log's shortest and longest interval.
	Unit            string   `json:"unit,omitempty"`
	IntervalSeconds []Number `json:"interval_seconds,omitempty"`
	// PlanHash fixes experiment and order; "" for an imported run.
	PlanHash       string `json:"plan_hash"`
	RoundsPlanned  int    `json:"rounds_planned"`
	RoundsComplete int    `json:"rounds_complete"`
	// TrialsPlanned and TrialsDone tell an unfinished run, which is sealed.
	TrialsPlanned int    `json:"trials_planned"`
	TrialsDone    int    `json:"trials_done"`
	MarginPercent Number `json:"margin_percent"`
	Stopped       string `json:"stopped,omitempty"` // why the run stopped before its end; "" for one that did not, or goes on
	// Stopping is how the number of rounds is found: fixed, pilot, looks or open; ""
	// for an imported run.
	Stopping string `json:"stopping"`
	// Seed is a string: JavaScript cannot hold all 64 bits in a number.
	Seed     string     `json:"seed"`
	Started  *time.Time `json:"started"`
	Finished *time.Time `json:"finished"`
	// WarmupSeconds and MeasureSeconds are the planned spans; null when imported.
	WarmupSeconds  Number `json:"warmup_seconds"`
	MeasureSeconds Number `json:"measure_seconds"`
	Workload       string `json:"workload"`
	Engine         string `json:"engine"`
	// Rate is how many transactions fall due in a second of an open loop; left out
	// in a closed one.
	Rate float64 `json:"rate,omitempty"`
	// LoopUnknown says that an imported run is not known to be of a closed loop, nor of one open loop: its logs have several
	// rates, or the program's files do not say.
	LoopUnknown bool `json:"-"`
	// OthersCPU is what others used of the machine's CPU time while the arms were loaded; left out where
	// no trial tells.
	OthersCPU *OthersCPU `json:"others_cpu,omitempty"`
	// ServersUnwatched: nothing was read on the servers' machine in at least one trial. UnwatchedWhy is why, of the first.
	ServersUnwatched bool            `json:"servers_unwatched,omitempty"`
	UnwatchedWhy     *compare.Reason `json:"-"`
	// LatencyRate is the rate, in transactions per second, at which the latencies of all arms were
	// measured, after a closed loop; LatencyShare is what share of the slowest arm's throughput the
	// experiment asked for, in %. Left out in a run without such a rate, and for one in figures.
	LatencyRate  float64 `json:"latency_rate,omitempty"`
	LatencyShare float64 `json:"latency_share_percent,omitempty"`
	// Find is the search for the capacity, which is then what throughput means; left out
	// where there is none.
	Find *Find `json:"find,omitempty"`
}

// Arm is one arm at one level of the load, over all its trials.
type Arm struct {
	Name     string `json:"name"`
	Baseline bool   `json:"baseline"`
	Target   string `json:"target"`
	// Servers are the products and releases of its servers, such as MariaDB 10.11.19; left out where they are not known.
	Servers []string `json:"servers,omitempty"`
	Threads int      `json:"threads"`
	Trials  int      `json:"trials"`
	// Outcomes counts the trials by how they ended.
	Outcomes map[string]int `json:"outcomes"`
	// Voids counts the disturbed ones, those that were run again among them.
	Voids int `json:"voids"`
	// ThroughputMean is the geometric mean of transactions per second of the window, over the complete rounds that the
	// arm's change is computed from, without a change over all trials; Min and Max are the smallest and largest second
	// of any window. Null where nothing was measured, and while the run is sealed.
	ThroughputMean Number `json:"throughput_mean"`
	ThroughputMin  Number `json:"throughput_min"`
	ThroughputMax  Number `json:"throughput_max"`
	Unit           string `json:"unit"`
	// QueriesMean is that of statements per second of the window.
	QueriesMean Number `json:"queries_mean"`
	// States is empty when one level describes the arm.
	States []State `json:"states"`
	// Spread is 50 evenly spaced quantiles of the measured seconds where a trial's
	// series is reduced; else it is empty.
	Spread []Number `json:"seconds_spread"`
	// Latency is that of the load whose latencies are compared: at the fixed rate where the run has
	// one. Closed is then that of the closed loop, and AtRate what was offered; both are left out in
	// other runs.
	Latency *Latency `json:"latency_ms"`
	Closed  *Latency `json:"closed_latency_ms,omitempty"`
	AtRate  *Offered `json:"at_rate,omitempty"`
	// Tails are the percentiles 95 and 99 of that load over the trials, with their intervals.
	Tails []Tail `json:"tails"`
	// Offered is left out in a closed loop; Kinds of transaction and Statements
	// where the engine does not time them.
	Offered    *Offered `json:"offered,omitempty"`
	Kinds      []Timed  `json:"kinds,omitempty"`
	Statements []Timed  `json:"statements,omitempty"`
	Errors     int64    `json:"errors"`
	Reconnects int64    `json:"reconnects"`
	// Cgroup is what the kernel says of the server's cgroup, read back.
	Cgroup []Evidence `json:"cgroup"`
	// Throttled is nil without a CPU quota or a counter of it.
	Throttled *Throttled `json:"throttled"`
	// CPUWait is how many seconds the server's threads waited for a CPU for each
	// second that they ran; null where the target cannot know it.
	CPUWait Number `json:"cpu_wait"`
	// Generator is what the load generator used of the machine that it shares with the server; left
	// out where it shares none, or does not tell.
	Generator *Generator `json:"generator,omitempty"`
	// Logs is what the files of an imported arm hold; left out of others.
	Logs *Logs `json:"logs,omitempty"`
}

// Generator is the load generator's share of the machine's CPU time, and the share of its event loops'
// time that they waited for a CPU, 0 to 1.
type Generator struct {
	CPU    Number `json:"cpu_share"`
	Waited Number `json:"waited_share"`
}

// Throttled is the share of scheduler periods in which an arm's cgroup had used
// up its CPU quota, over all its trials.
type Throttled struct {
	Share   Number `json:"share"` // 0 to 1
	Periods Number `json:"periods"`
}

// State is one of the levels that throughput stays at.
type State struct {
	Level Number `json:"level"` // transactions per second
	Share Number `json:"share"` // of all measured seconds, 0 to 1
}

// Latency is the distribution of an arm's response times over all its windows,
// in milliseconds.
type Latency struct {
	Mean Number `json:"mean"`
	Max  Number `json:"max"`
	// Percentiles by name ("50", "99.9"); null where fewer than ten values lie
	// beyond it, because such a percentile depends on a single request.
	Percentiles map[string]Number `json:"percentiles"`
	Histogram   *Histogram        `json:"histogram"`
}

// Timed is the latency of one statement, or of one kind of transaction. Its
// histogram is in the record only.
type Timed struct {
	Name    string   `json:"name"`
	Latency *Latency `json:"latency_ms"`
}

// Histogram is the merged distribution: [nanoseconds, count], ascending.
type Histogram struct {
	Scheme string     `json:"scheme"`
	Counts [][2]int64 `json:"counts"`
}

// Evidence is one value of an arm's cgroup.
type Evidence struct {
	Key    string `json:"key"`
	Source string `json:"source"`
	// Value is what was read before the load when every trial read the same, else
	// "" (a counter, or a setting that did not hold still).
	Value string `json:"value"`
	// Change is end minus start summed over the trials, for counters; else null.
	Change Number `json:"change"`
	// PerTrial is Change for each trial that it was read in, End the mean at the end of the
	// trials of an amount, such as memory in use; null of what is none.
	PerTrial Number `json:"per_trial"`
	End      Number `json:"end"`
	Unknown  string `json:"unknown"`
}

// Contrast is an arm against the baseline. EffectPercent is the change of
// throughput: negative = slower. Views draw the cost, -EffectPercent, so that
// right and positive are worse for every further metric.
type Contrast struct {
	Arm           string `json:"arm"`
	Baseline      string `json:"baseline"`
	Metric        string `json:"metric"`
	Threads       int    `json:"threads"`
	EffectPercent Number `json:"effect_percent"`
	// ArmThroughput and BaselineThroughput are the throughputs whose ratio is the effect: geometric means over the same
	// rounds, or trials. Arm.ThroughputMean is the same number where all changes of the arm are over the same rounds.
	ArmThroughput      Number     `json:"arm_throughput"`
	BaselineThroughput Number     `json:"baseline_throughput"`
	Interval           *[2]Number `json:"interval"`
	Interval90         *[2]Number `json:"interval90"`
	// IntervalKind is "paired-t", "stein-t", "looks-t", "anytime-t" or "welch", with
	// "-bonferroni" for several contrasts, or "" without interval.
	IntervalKind string `json:"interval_kind"`
	Joint
	Rounds    int    `json:"rounds"`
	SignFlipP Number `json:"sign_flip_p"`
	Verdict   string `json:"verdict"`
	// NoVerdict is why there is none, where the intervals alone do not decide that: NoVerdictBusy or
	// NoVerdictEarly; left out of any other verdict than inconclusive.
	NoVerdict  string `json:"no_verdict,omitempty"`
	PastMargin string `json:"past_margin"` // "yes", "unsettled" or ""
	// Reason is the sentence of Reasons, the first of which decided.
	Reason   string           `json:"reason"`
	Reasons  []compare.Reason `json:"reasons"`
	Sentence string           `json:"sentence"`
	// Exploratory marks too few rounds for the sign-flip test to reach 5 %.
	Exploratory bool `json:"exploratory"`
	// NewRun is what another run needs for a verdict; null of any other verdict than
	// inconclusive, and where it cannot be known.
	NewRun *NewRun `json:"new_run"`
	// Serial is the dependence of rounds on each other, Starts are rounds of another kind than
	// the others; left out where they cannot be tested, and where there are none.
	Serial *Serial `json:"serial,omitempty"`
	Starts *Starts `json:"starts,omitempty"`
	// Variants are the effect computed from parts of the data.
	Variants []Variant `json:"variants"`
	Pairs    []Pair    `json:"pairs"`
}

// NoiseFloor is the baseline against itself (A/A), in % of throughput.
type NoiseFloor struct {
	Threads int `json:"threads"`
	// Probes says that the second measurement was without probes: the difference is their cost.
	Probes        bool       `json:"probes,omitempty"`
	Rounds        int        `json:"rounds"`
	EffectPercent Number     `json:"effect_percent"`
	Interval      *[2]Number `json:"interval"`   // 95 %
	Interval99    *[2]Number `json:"interval99"` // decides the alarm
	SignFlipP     Number     `json:"sign_flip_p"`
	// Alarm says that the 99 % interval excludes zero.
	Alarm    bool   `json:"alarm"`
	Pairs    []Pair `json:"pairs"`
	Sentence string `json:"sentence"` // "" while there is nothing to say
}

// Pair is one round of a contrast; both throughputs in transactions per second.
type Pair struct {
	Round         int    `json:"round"`
	Baseline      Number `json:"baseline"`
	Arm           Number `json:"arm"`
	EffectPercent Number `json:"effect_percent"`
}

// Trial is one measurement. The four series have one entry per interval; a null
// is a second that the engine did not report, so that a line breaks there. Of a
// long trial they hold what a picture can show, every extreme among it.
type Trial struct {
	Trial      int      `json:"trial"`
	Round      int      `json:"round"`
	Slot       int      `json:"slot"`
	Arm        string   `json:"arm"`
	Threads    int      `json:"threads"`
	Outcome    string   `json:"outcome"` // "incomplete" when it has no end
	Reason     string   `json:"reason"`
	Throughput Number   `json:"throughput"`
	Seconds    []Number `json:"seconds"` // end of the interval since the load began
	TPS        []Number `json:"tps"`
	Latency    []Number `json:"latency_ms"` // the load's percentile
	Warmup     []bool   `json:"warmup"`
	// ReducedFrom is how many entries there were; 0 when all are here.
	ReducedFrom int `json:"reduced_from"`
	// Change is the end of the last second before the level changes for good; null
	// where it does not, and where the window is too short to tell.
	Change Number `json:"change_s"`
}

// Difference is a fact that is not the same in every arm.
type Difference struct {
	Key      string            `json:"key"`
	Values   map[string]string `json:"values"` // by arm
	Declared bool              `json:"declared"`
	// Why is the sentence of WhyReason.
	Why       string          `json:"why"`
	WhyReason *compare.Reason `json:"why_reason"`
}

// Setting is a fact that is the same in every trial.
type Setting struct {
	Key    string `json:"key"`
	Value  string `json:"value"`
	Source string `json:"source"`
}
