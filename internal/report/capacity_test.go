package report_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/report"
	"github.com/tarebench/tare/internal/report/markdown"
	"github.com/tarebench/tare/internal/report/page"
	"github.com/tarebench/tare/internal/report/text"
)

// TestCapacity: what a search found, what the servers did above it, what a transaction
// costs and whether the data fit into the buffer pool are in the document, the text and
// the page, and follow the schema.
func TestCapacity(t *testing.T) {
	run, err := record.Open("testdata/runs/demo")
	if err != nil {
		t.Fatal(err)
	}
	run.Experiment.Load.Find = &experiment.Find{Percentile: 99, Limit: experiment.Duration(20 * time.Millisecond), Within: 0.05, Step: experiment.Duration(10 * time.Second), Beyond: 1.5}
	for i := range run.Experiment.Arms {
		run.Experiment.Arms[i].Price = experiment.Price(0.5 * float64(i+1))
	}
	for _, trial := range run.Trials {
		rate := 1000 * (1 + 0.01*math.Sin(float64(trial.Header.Trial)))
		lost := ""
		if trial.Header.Arm == "besteffort" {
			rate /= 2
			lost = "killed by signal 9"
		}
		trial.Window.Capacity = &record.Capacity{Rate: rate, Low: 0.9 * rate, High: 1.1 * rate, Percentile: 99, Limit: 20, Within: 0.05}
		trial.Window.Counts.Reads = 10 * trial.Window.Counts.Transactions
		trial.Steps = []record.Step{
			{Number: 1, Purpose: record.StepClosed, Seconds: 10, Counts: record.Counts{Transactions: 20_000}, Percentile: 99, Latency: 60},
			{Number: 2, Purpose: record.StepSearch, Rate: 900, Seconds: 10, Counts: record.Counts{Transactions: 9000}, Due: 9000, Percentile: 99, Latency: 15, Kept: true},
			{Number: 3, Purpose: record.StepSearch, Rate: 1100, Seconds: 10, Counts: record.Counts{Transactions: 500}, Due: 11_000, Percentile: 99, Latency: 25, Generator: "busy"},
			{Number: 4, Purpose: record.StepBeyond, Rate: 1.5 * rate, Seconds: 10, Counts: record.Counts{Transactions: int64(8 * rate)}, Due: int64(15 * rate), Percentile: 99, Latency: 900, Lost: lost},
		}
		trial.Facts = append(trial.Facts, record.Fact{Key: "data.bytes", Value: "314572800", Source: "SELECT ... INNODB_TABLESPACES", Phase: "start"})
		addPool(trial)
	}
	doc, err := report.Build(run, "test")
	if err != nil {
		t.Fatal(err)
	}
	if err := schema(t).Validate(jsonValue(t, doc)); err != nil {
		t.Error(err)
	}
	if c := doc.Contrasts[0]; c.Metric != "capacity" || math.Abs(float64(c.EffectPercent)+50) > 2 {
		t.Errorf("%+v", c)
	}
	var whole, screen strings.Builder
	if err := page.Write(&whole, doc, page.Assets{}); err != nil {
		t.Fatal(err)
	}
	if err := text.Write(&screen, doc, text.Options{Width: 120}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"the highest rate with p99 at or below 20 ms", "Offered 150 % of the capacity, it completes 80.0 % (80.0 to 80.0) of the capacity", "the server did not survive in 6 of 6 trials: killed by signal 9",
		"Throughput in this report is the capacity: the highest rate at which p99 stays at or below 20 ms, searched within 5 %",
		"In 6 of 12 steps of bare the load generator was held up", "6 of 12 steps of bare completed too few transactions for p99",
		"A million transactions of bare cost 0.139 at 0.5 per hour", "queries/s", "hit rate 90.00 %, data 300 MiB, pool 256 MiB",
	} {
		if said := strings.Join(strings.Fields(screen.String()), " "); !strings.Contains(said, want) {
			t.Errorf("the text lacks %q:\n%s", want, said)
		}
	}
	for _, want := range []string{"Every step of every search", "closed loop", "the tables (300 MiB of files before the load) are larger than the buffer pool (256 MiB)", "Price per million transactions"} {
		if !strings.Contains(strings.ReplaceAll(whole.String(), "\u202f", " "), want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}

// TestCapacityAlone: of a run of one arm the capacity stands where verdicts stand, once; and that more than the capacity
// is completed is explained there.
func TestCapacityAlone(t *testing.T) {
	run, err := record.Open("testdata/runs/demo")
	if err != nil {
		t.Fatal(err)
	}
	run.Experiment.Load.Find = &experiment.Find{Percentile: 99, Limit: experiment.Duration(20 * time.Millisecond), Within: 0.05, Step: experiment.Duration(time.Second), Beyond: 1.5}
	run.Experiment.Arms = slices.DeleteFunc(run.Experiment.Arms, func(a experiment.Arm) bool { return a.Name != "bare" })
	run.Plan.Trials = slices.DeleteFunc(run.Plan.Trials, func(p experiment.Trial) bool { return p.Arm != "bare" })
	run.Trials = slices.DeleteFunc(run.Trials, func(tr *record.Trial) bool { return tr.Header.Arm != "bare" })
	for _, trial := range run.Trials {
		trial.Window.Capacity = &record.Capacity{Rate: 1953, Low: 1900, High: 2000, Percentile: 99, Limit: 20, Within: 0.05}
		trial.Steps = []record.Step{
			{Number: 1, Purpose: record.StepSearch, Rate: 1900, Seconds: 1, Counts: record.Counts{Transactions: 1900}, Percentile: 99, Latency: 15, Kept: true},
			{Number: 2, Purpose: record.StepBeyond, Rate: 1.5 * 1953, Seconds: 10, Counts: record.Counts{Transactions: 28_826}, Due: 29_295, Percentile: 99, Latency: 40},
		}
	}
	doc, err := report.Build(run, "test")
	if err != nil {
		t.Fatal(err)
	}
	var screen, comment strings.Builder
	if err := text.Write(&screen, doc, text.Options{Width: 120}); err != nil {
		t.Fatal(err)
	}
	if err := markdown.Write(&comment, doc); err != nil {
		t.Fatal(err)
	}
	for name, out := range map[string]string{"text": screen.String(), "comment": comment.String()} {
		said := strings.Join(strings.Fields(out), " ")
		at, more := strings.Index(said, "The capacity of bare is 1,953 transactions/s"), "It can complete more than the capacity, because the limit of the latency sets the capacity"
		if strings.Contains(said, "Not confirmed") {
			t.Errorf("%s: the windows kept the limit:\n%s", name, out)
		}
		if at < 0 || at > 200 || name == "text" && strings.Count(said, "The capacity of bare is") != 1 || !strings.Contains(said, "Offered 150 % of the capacity, it completes 147.6 %") || !strings.Contains(said, more) {
			t.Errorf("%s: the capacity is at %d:\n%s", name, at, out)
		}
	}
}

// TestCapacityNotConfirmed: windows that miss the limit by far are said where the capacity is.
func TestCapacityNotConfirmed(t *testing.T) {
	run, err := record.Open("testdata/runs/demo")
	if err != nil {
		t.Fatal(err)
	}
	run.Experiment.Load.Find = &experiment.Find{Percentile: 99, Limit: experiment.Duration(time.Millisecond), Within: 0.05, Step: experiment.Duration(time.Second)}
	for _, trial := range run.Trials {
		trial.Window.Capacity = &record.Capacity{Rate: 1953, Low: 1900, High: 2000, Percentile: 99, Limit: 1, Within: 0.05}
		trial.Steps = []record.Step{{Number: 1, Purpose: record.StepSearch, Rate: 1900, Seconds: 1, Counts: record.Counts{Transactions: 1900}, Percentile: 99, Latency: .5, Kept: true}}
	}
	doc, err := report.Build(run, "test")
	if err != nil {
		t.Fatal(err)
	}
	if c := doc.Capacities[0]; c.WindowsMissed != c.Trials || !strings.HasPrefix(c.Sentence, fmt.Sprintf("Not confirmed: in %d of %d trials the measurement after the search, at the rate that it found, has a p99 of ", c.Trials, c.Trials)) {
		t.Errorf("%+v", c)
	}
	var screen, comment, html strings.Builder
	if err := errors.Join(text.Write(&screen, doc, text.Options{Width: 120}), markdown.Write(&comment, doc), page.Write(&html, doc, page.Assets{})); err != nil {
		t.Fatal(err)
	}
	for name, out := range map[string]string{"text": screen.String(), "comment": comment.String(), "page": html.String()} {
		said := strings.Join(strings.Fields(out), " ")
		first, rate := strings.Index(said, "Not confirmed: in "), strings.Index(said, "The capacity of "+doc.Capacities[0].Arm+" is ")
		if first < 0 || rate < first {
			t.Errorf("%s: not confirmed at %d, the rate at %d", name, first, rate)
		}
	}
}

// TestSealedSearchOfOneArm: a search of one arm that has not ended does not say that nothing was found.
func TestSealedSearchOfOneArm(t *testing.T) {
	for done, says := range map[int]string{1: "1 of 4", 4: "No trial found a capacity."} {
		doc := reopen(t, "demo")
		doc.Contrasts, doc.Capacities, doc.Answer = nil, nil, ""
		doc.Run.Find = &report.Find{Percentile: 99, LimitMS: 20}
		doc.Run.TrialsDone, doc.Run.TrialsPlanned, doc.Run.RoundsComplete, doc.Run.RoundsPlanned = done, 4, done, 4
		var screen, comment, html strings.Builder
		if err := errors.Join(text.Write(&screen, doc, text.Options{Width: 120}), markdown.Write(&comment, doc), page.Write(&html, doc, page.Assets{})); err != nil {
			t.Fatal(err)
		}
		for name, out := range map[string]string{"text": screen.String(), "comment": comment.String(), "page": html.String()} {
			said := strings.Join(strings.Fields(out), " ")
			if !strings.Contains(said, says) || strings.Contains(said, "No trial found") != (done == 4) {
				t.Errorf("%s, %d of 4 trials: %q is not in, or nothing is said to be found:\n%.1500s", name, done, says, said)
			}
		}
	}
}

// TestCapacityOfShortSteps: where no step has enough transactions for the percentile, no figure is called a capacity.
// The report prints no percentile of the window beside a capacity, and does not give the window's length as the time of a search.
func TestCapacityOfShortSteps(t *testing.T) {
	for transactions, short := range map[int64]bool{999: true, 9000: false} {
		run, err := record.Open("testdata/runs/demo")
		if err != nil {
			t.Fatal(err)
		}
		run.Experiment.Load.Find = &experiment.Find{Percentile: 99, Limit: experiment.Duration(20 * time.Millisecond), Within: 0.05, Step: experiment.Duration(time.Second)}
		for _, trial := range run.Trials {
			trial.Window.Capacity = &record.Capacity{Rate: 187.1, Low: 180, High: 190, Percentile: 99, Limit: 20, Within: 0.05}
			trial.Steps = []record.Step{{Number: 1, Purpose: record.StepSearch, Rate: 180, Seconds: 1, Counts: record.Counts{Transactions: transactions}, Percentile: 99, Latency: 15, Kept: true}}
		}
		doc, err := report.Build(run, "test")
		if err != nil {
			t.Fatal(err)
		}
		if err := schema(t).Validate(jsonValue(t, doc)); err != nil {
			t.Error(err)
		}
		var screen strings.Builder
		if err := text.Write(&screen, doc, text.Options{Width: 120}); err != nil {
			t.Fatal(err)
		}
		said := strings.Join(strings.Fields(screen.String()), " ")
		for what, want := range map[string]bool{
			"bare has no capacity: all 6 steps of its searches completed too few transactions for p99": short,
			"187": !short, "The capacity of bare is": !short, ", p95 latency": false, "Each server ran in turn for": false,
		} {
			if strings.Contains(said, what) != want {
				t.Errorf("steps of %d transactions: %q is there: %v\n%s", transactions, what, !want, said)
			}
		}
	}
}

// addPool gives a trial samples in which one page read of ten misses the buffer pool.
func addPool(trial *record.Trial) {
	const reads, asked = "mysql.innodb_buffer_pool_reads", "mysql.innodb_buffer_pool_read_requests"
	trial.Metrics = append(trial.Metrics, record.Metric{Name: reads, Counter: true}, record.Metric{Name: asked, Counter: true})
	trial.Samples = nil
	for i := range 3 {
		trial.Samples = append(trial.Samples, record.Sample{
			At: time.Duration(i) * time.Second, Values: record.ValuesOf(map[string]float64{reads: float64(100 * i), asked: float64(1000 * i)}),
		})
	}
}
