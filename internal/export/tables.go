// The tables that analysts load: what their rows are and how a document fills
// them.

package export

import (
	"io"
	"iter"
	"strings"

	"github.com/tarebench/tare/internal/report"
)

// A column's name ends in its unit; throughput has its unit beside it, because imported runs have that of their program.
// nil is a value that is not known, never zero.
// The struct of a row is the schema of both CSV and Parquet.

// effect is one arm against its baseline. Costs are % of the baseline's
// throughput, positive = slower.
type effect struct {
	Run           string   `parquet:"run,dict"`
	Metric        string   `parquet:"metric,dict"`
	Arm           string   `parquet:"arm,dict"`
	Baseline      string   `parquet:"baseline,dict"`
	Threads       int64    `parquet:"threads"`
	Cost          *float64 `parquet:"cost_percent,optional"`
	Lo95          *float64 `parquet:"lo95_percent,optional"`
	Hi95          *float64 `parquet:"hi95_percent,optional"`
	Lo90          *float64 `parquet:"lo90_percent,optional"`
	Hi90          *float64 `parquet:"hi90_percent,optional"`
	Interval      string   `parquet:"interval_kind,dict"`
	Comparisons   int64    `parquet:"comparisons"`
	SignFlip      *float64 `parquet:"sign_flip_p,optional"`
	Rounds        int64    `parquet:"rounds"`
	Margin        *float64 `parquet:"margin_percent,optional"`
	Verdict       string   `parquet:"verdict,dict"`
	PastMargin    string   `parquet:"past_margin,dict"`
	VerdictReason string   `parquet:"verdict_reason,dict"`
}

// trial is one measurement of one arm.
type trial struct {
	Run           string   `parquet:"run,dict"`
	Trial         int64    `parquet:"trial"`
	Round         int64    `parquet:"round"`
	Slot          int64    `parquet:"slot"`
	Arm           string   `parquet:"arm,dict"`
	Threads       int64    `parquet:"threads"`
	Outcome       string   `parquet:"outcome,dict"`
	OutcomeReason string   `parquet:"outcome_reason,dict"`
	Transactions  *float64 `parquet:"transactions_per_s,optional"` // unknown where the run has another unit
	Throughput    *float64 `parquet:"throughput,optional"`
	Unit          string   `parquet:"throughput_unit,dict"`
}

// second is one step of a trial's series. A step that the engine did not report
// has no throughput.
type second struct {
	Run     string   `parquet:"run,dict"`
	Trial   int64    `parquet:"trial"`
	Round   int64    `parquet:"round"`
	Arm     string   `parquet:"arm,dict"`
	Threads int64    `parquet:"threads"`
	End     *float64 `parquet:"end_s,optional"`
	Phase   string   `parquet:"phase,dict"` // warmup or measure
	// Transactions is unknown where the run has another unit.
	Transactions *float64 `parquet:"transactions_per_s,optional"`
	Throughput   *float64 `parquet:"throughput,optional"`
	Unit         string   `parquet:"throughput_unit,dict"`
	Latency      *float64 `parquet:"latency_percentile_s,optional"`
	// Reduced is how many steps the trial had; 0 where all of them are rows. Of a longer trial the
	// rows are the ends and the extremes of spans: a mean over them is not the trial's.
	Reduced int64 `parquet:"reduced_from"`
}

// bucket is one value of an arm's distribution of response times.
type bucket struct {
	Run     string  `parquet:"run,dict"`
	Arm     string  `parquet:"arm,dict"`
	Threads int64   `parquet:"threads"`
	Value   float64 `parquet:"latency_s"`
	Count   int64   `parquet:"count"`
}

// layer is what one layer owns of the loss. Points are % of the baseline's
// throughput, positive = slower.
type layer struct {
	Run       string   `parquet:"run,dict"`
	From      string   `parquet:"from,dict"`
	To        string   `parquet:"to,dict"`
	Threads   int64    `parquet:"threads"`
	Layer     string   `parquet:"layer,dict"`
	Cost      *float64 `parquet:"cost_points,optional"`
	Lo95      *float64 `parquet:"lo95_points,optional"`
	Hi95      *float64 `parquet:"hi95_points,optional"`
	Share     *float64 `parquet:"share,optional"`
	LoShare   *float64 `parquet:"lo95_share,optional"`
	HiShare   *float64 `parquet:"hi95_share,optional"`
	GivesBack *float64 `parquet:"gives_back_points,optional"`
	LoBack    *float64 `parquet:"lo95_gives_back_points,optional"`
	HiBack    *float64 `parquet:"hi95_gives_back_points,optional"`
	Rounds    int64    `parquet:"rounds"`
}

// What stands in the layers' column for what is not a layer; no layer's name has
// brackets.
const (
	unexplainedRow = "(unexplained)"
	totalRow       = "(total)"
)

// Table is one table by name.
type Table struct {
	Name    string
	csv     func(w io.Writer, doc *report.Document, o Options) error
	parquet func(w io.Writer, doc *report.Document) error
}

// Tables lists the tables, the answer first.
func Tables() []Table {
	return []Table{
		tableOf("effects", effects), tableOf("layers", layers), tableOf("trials", trials),
		tableOf("seconds", seconds), tableOf("latency", latency),
	}
}

func tableOf[T any](name string, rows func(*report.Document) iter.Seq[T]) Table {
	return Table{
		Name:    name,
		csv:     func(w io.Writer, d *report.Document, o Options) error { return writeCSV(w, rows(d), o) },
		parquet: func(w io.Writer, d *report.Document) error { return writeParquet(w, d, rows(d)) },
	}
}

func tableNames() string {
	var names []string
	for _, t := range Tables() {
		names = append(names, t.Name)
	}
	return strings.Join(names, ", ")
}

func effects(d *report.Document) iter.Seq[effect] {
	return func(yield func(effect) bool) {
		for _, c := range d.Contrasts {
			row := effect{
				Run: d.Run.Name, Metric: c.Metric, Arm: c.Arm, Baseline: c.Baseline, Threads: int64(c.Threads),
				Cost: turned(c.EffectPercent), Interval: c.IntervalKind, Comparisons: int64(c.FamilySize), SignFlip: known(c.SignFlipP),
				Rounds: int64(c.Rounds), Margin: known(d.Run.MarginPercent), Verdict: c.Verdict, PastMargin: c.PastMargin, VerdictReason: c.Reason,
			}
			row.Lo95, row.Hi95 = bounds(c.Interval)
			row.Lo90, row.Hi90 = bounds(c.Interval90)
			if !yield(row) {
				return
			}
		}
	}
}

func layers(d *report.Document) iter.Seq[layer] {
	return func(yield func(layer) bool) {
		for _, a := range d.Attributions {
			rows := make([]layer, 0, len(a.Layers)+2)
			add := func(name string, p report.Part) *layer {
				row := layer{Run: d.Run.Name, From: a.From, To: a.To, Threads: int64(a.Threads), Layer: name, Cost: turned(p.Points), Rounds: int64(a.Rounds)}
				row.Lo95, row.Hi95 = bounds(&p.Interval)
				rows = append(rows, row)
				return &rows[len(rows)-1]
			}
			for _, l := range a.Layers {
				row := add(l.Layer, l.Part)
				if in := l.ShareInterval; in != nil { // else the share is refused
					row.Share, row.LoShare, row.HiShare = known(l.Share), known(in[0]), known(in[1])
				}
				if back := l.GivesBack; back != nil {
					row.GivesBack, row.LoBack, row.HiBack = known(back.Points), known(back.Interval[0]), known(back.Interval[1])
				}
			}
			if a.Unexplained != nil {
				add(unexplainedRow, *a.Unexplained)
			}
			if a.Total != nil {
				add(totalRow, *a.Total)
			}
			for _, row := range rows {
				if !yield(row) {
					return
				}
			}
		}
	}
}

func trials(d *report.Document) iter.Seq[trial] {
	return func(yield func(trial) bool) {
		for _, t := range d.Trials {
			row := trial{
				Run: d.Run.Name, Trial: int64(t.Trial), Round: int64(t.Round), Slot: int64(t.Slot), Arm: t.Arm,
				Threads: int64(t.Threads), Outcome: t.Outcome, OutcomeReason: t.Reason,
				Transactions: transactions(d, t.Throughput), Throughput: known(t.Throughput), Unit: d.ThroughputUnit(),
			}
			if !yield(row) {
				return
			}
		}
	}
}

// transactions is a throughput that is one of transactions per second.
func transactions(d *report.Document, v report.Number) *float64 {
	if d.ThroughputUnit() != report.Unit {
		return nil
	}
	return known(v)
}

func seconds(d *report.Document) iter.Seq[second] {
	return func(yield func(second) bool) {
		for _, t := range d.Trials {
			for i := range t.Seconds {
				row := second{
					Run: d.Run.Name, Trial: int64(t.Trial), Round: int64(t.Round), Arm: t.Arm, Threads: int64(t.Threads),
					End: known(t.Seconds[i]), Phase: "measure", Transactions: transactions(d, t.TPS[i]), Throughput: known(t.TPS[i]), Unit: d.ThroughputUnit(),
					Latency: scaled(t.Latency[i], 1e-3), Reduced: int64(t.ReducedFrom),
				}
				if t.Warmup[i] {
					row.Phase = "warmup"
				}
				if !yield(row) {
					return
				}
			}
		}
	}
}

func latency(d *report.Document) iter.Seq[bucket] {
	return func(yield func(bucket) bool) {
		for _, a := range d.Arms {
			if a.Latency == nil || a.Latency.Histogram == nil {
				continue
			}
			for _, c := range a.Latency.Histogram.Counts {
				if !yield(bucket{Run: d.Run.Name, Arm: a.Name, Threads: int64(a.Threads), Value: float64(c[0]) / 1e9, Count: c[1]}) {
					return
				}
			}
		}
	}
}
