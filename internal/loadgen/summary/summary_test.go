package summary

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tarebench/tare/internal/loadgen/latency"
	"github.com/tarebench/tare/internal/loadgen/loop"
	"github.com/tarebench/tare/internal/workload"
)

// result is what a run of n transactions might have come to.
func result(t *testing.T, seed uint64, n int, outages ...loop.Outage) (*workload.Program, *loop.Result) {
	t.Helper()
	p, err := workload.Build("oltp_point_select", workload.Defaults())
	if err != nil {
		t.Fatal(err)
	}
	tally := func(n int) *loop.Tally {
		h := &loop.Tally{Transactions: int64(n), Reads: int64(n), Errors: map[uint16]int64{}, Latency: latency.New(), Statements: []*latency.Histogram{latency.New()}}
		r := rand.New(rand.NewPCG(seed, 1))
		for range n {
			v := int64(math.Exp(r.NormFloat64() + 13))
			h.Latency.Record(v)
			h.Statements[0].Record(v)
		}
		h.Slowest = &loop.Slowest{All: int64(n), Slow: int64(n) / 80, AllNS: []int64{5, 4, 3, 2, int64(seed)}, SlowNS: []int64{4, 3, 2, 1, int64(seed) / 2}}
		return h
	}
	w := tally(n)
	w.Errors[1213] = int64(seed)
	return p, &loop.Result{Window: w, Tail: tally(1), Started: time.Unix(int64(seed), 0), Length: 10 * time.Second, Loops: 1, Unfinished: 1, GivenUp: 2,
		Outages: outages, Self: loop.Self{User: time.Second}}
}

// TestMerge: the parts' reports merge, through JSON, to the report of the whole.
func TestMerge(t *testing.T) {
	var parts []*Summary
	var whole *loop.Result
	var program *workload.Program
	for seed := uint64(1); seed <= 3; seed++ {
		p, r := result(t, seed, 1000*int(seed))
		b, err := json.Marshal(From(p, 4, r))
		if err != nil {
			t.Fatal(err)
		}
		part, err := Read(b)
		if err != nil {
			t.Fatal(err)
		}
		parts = append(parts, part)
		if whole == nil {
			program, whole = p, r
			continue
		}
		whole.Window.Merge(r.Window)
		whole.Tail.Merge(r.Tail)
		whole.Unfinished, whole.GivenUp = whole.Unfinished+r.Unfinished, whole.GivenUp+r.GivenUp
		whole.Self.User += r.Self.User
		whole.Loops++
	}
	before, _ := json.Marshal(parts[0])
	got, err := Merge(parts)
	if err != nil {
		t.Fatal(err)
	}
	want := From(program, 12, whole)
	want.Generators = 3
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if after, _ := json.Marshal(parts[0]); string(before) != string(after) {
		t.Error("merging changed a part")
	}
}

// TestMergeThrottled: what is said of a quota is of the generator that was throttled most, as
// the limit is for each of them.
func TestMergeThrottled(t *testing.T) {
	var parts []*Summary
	for _, throttled := range []time.Duration{0, 1500 * time.Millisecond, 0} {
		p, r := result(t, 1, 10)
		r.Self.Throttled, r.Self.Watched = throttled, time.Minute
		parts = append(parts, From(p, 1, r))
	}
	whole, err := Merge(parts)
	if err != nil {
		t.Fatal(err)
	}
	if g := whole.Generator; g.ThrottledSeconds != 1.5 || g.WatchedSeconds != 60 || g.InvalidCode != "quota" {
		t.Errorf("throttled for %v s of %v s, %q", g.ThrottledSeconds, g.WatchedSeconds, g.InvalidCode)
	}
}

func TestMergeRefuses(t *testing.T) {
	p, r := result(t, 1, 10)
	a, b := From(p, 1, r), From(p, 1, r)
	b.Workload = "oltp_read_only"
	if _, err := Merge([]*Summary{a, b}); err == nil {
		t.Error("reports of two workloads merge")
	}
	if _, err := Merge(nil); err == nil {
		t.Error("no reports merge")
	}
}

// TestOutagesOverlap: while one generator is served, the server serves.
func TestOutagesOverlap(t *testing.T) {
	outage := func(from, to float64) Outage { return Outage{from - 0.1, from, to} }
	got := overlap([][]Outage{
		{outage(1, 3), outage(5, 6), outage(8, 0)},
		{outage(2, 4), outage(6.5, 7), outage(9, 0)},
	})
	want := []Outage{{1.9, 2, 3}, {8.9, 9, 0}}
	if d := cmp.Diff(want, got, cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) < 1e-9 })); d != "" {
		t.Error(d)
	}
}

func TestInvalid(t *testing.T) {
	late := func(ns int64) func(*loop.Result) {
		return func(r *loop.Result) {
			r.Window.Lateness = latency.New()
			r.Window.Lateness.Record(ns)
		}
	}
	some := func(n, of int) func(*loop.Result) {
		return func(r *loop.Result) {
			r.Window.Lateness = latency.New()
			for i := range of {
				r.Window.Lateness.Record(map[bool]int64{true: 5e6, false: 5e3}[i < n])
			}
		}
	}
	for _, c := range []struct {
		want   string
		change func(*loop.Result)
	}{
		{"", some(6, 400)}, // 1.5 %, which 1 % is in 400 operations by chance
		{"after they were due", some(12, 400)},
		{"after they were due", some(1500, 100000)},
		{"", func(*loop.Result) {}},
		{"CPU quota", func(r *loop.Result) { r.Self.Throttled, r.Self.Watched = time.Second, 90*time.Second }},
		{"", func(r *loop.Result) { r.Self.Throttled, r.Self.Watched = time.Second, 110*time.Second }},
		{"a thread of the load generator", func(r *loop.Result) { r.Self.Busiest = 0.95 }},
		{"after they were due", late(5e6)},
		{"", late(5e3)},
		{"", late(150e3)}, // of a p95 of about 2.3 ms; the median is .44 ms
		{"tenth of the p95 latency", late(400e3)},
	} {
		p, r := result(t, 1, 100)
		c.change(r)
		want := c.want
		if got := From(p, 1, r).Generator.Invalid; (want == "") != (got == "") || !strings.Contains(got, want) {
			t.Errorf("invalid is %q, want %q", got, want)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(`{"version":1,"latency":{"histogram":{"scheme":"hdr-3","counts":[[1000,5]]}},"statements":[]}`))
	f.Add([]byte(`{"version":1,"latency":{},"statements":[{"name":"x"}]}`))
	f.Add([]byte(`{"version":1,"latency":{"histogram":{"scheme":"hdr-3","counts":[]}},"lateness":{},"kinds":[{"name":"x"}]}`))
	f.Fuzz(func(t *testing.T, in []byte) {
		r, err := Read(in)
		if err != nil {
			return
		}
		var out strings.Builder
		r.Text(&out, 95)
		r.Histogram(&out)
		_, _ = Merge([]*Summary{r, r})
	})
}

// TestKinds: kinds of transactions merge as the whole does, and new orders are
// counted per minute, those among them that were rolled back.
func TestKinds(t *testing.T) {
	p, err := workload.Build("tpcc", workload.Defaults())
	if err != nil {
		t.Fatal(err)
	}
	part := func(orders, undone int) *Summary {
		w := &loop.Tally{Transactions: int64(orders + undone), Errors: map[uint16]int64{}, Latency: latency.New()}
		for range p.Statements {
			w.Statements = append(w.Statements, latency.New())
		}
		for range p.Kinds {
			w.Kinds = append(w.Kinds, latency.New())
		}
		for range orders {
			w.Kinds[0].Record(2e6)
			w.Latency.Record(2e6)
		}
		for range undone {
			w.Kinds[1].Record(1e6)
			w.Latency.Record(1e6)
		}
		return From(p, 1, &loop.Result{Window: w, Tail: w, Started: time.Unix(1, 0), Length: 30 * time.Second})
	}
	sum, err := Merge([]*Summary{part(60, 1), part(20, 2)})
	if err != nil {
		t.Fatal(err)
	}
	if got := sum.NewOrdersPerMinute(); got != 166 {
		t.Errorf("%v new orders a minute of 83 in half of one", got)
	}
	var text strings.Builder
	sum.Text(&text, 95)
	for _, want := range []string{"new_order                                80", "new_order_rolled_back                     3", "166 per minute", "96.39 %"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("no %q in\n%s", want, text.String())
		}
	}
	other, _ := result(t, 1, 10)
	if n := From(other, 1, &loop.Result{Window: &loop.Tally{Latency: latency.New(), Statements: []*latency.Histogram{latency.New()}}, Tail: &loop.Tally{}}).NewOrdersPerMinute(); n != 0 {
		t.Errorf("%v new orders of point selects", n)
	}
}

// TestInvalidIsMarkedAtTheLatency: figures that the generator may have set are marked where they stand, and the last line
// says why and what to do.
func TestInvalidIsMarkedAtTheLatency(t *testing.T) {
	p, r := result(t, 1, 1000)
	r.Window.Lateness = latency.New()
	for range 1000 {
		r.Window.Lateness.Record(int64(33 * time.Millisecond))
	}
	var out strings.Builder
	From(p, 1, r).Text(&out, 99)
	for _, want := range []string{"Latency (ms): INVALID, see the last lines\n", "ms). The latencies are those of the load generator too. Stop other programs on this machine, lower the rate, or add connections (--threads).\n"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the text lacks %q:\n%s", want, out.String())
		}
	}
}

// TestWaitedInAClosedLoop: a generator that waited for a CPU says so where latencies stand, in the last lines and in JSON.
func TestWaitedInAClosedLoop(t *testing.T) {
	p, r := result(t, 1, 1000)
	r.Loops, r.Length, r.Self.Waited = 2, 20*time.Second, 21*time.Second
	var out strings.Builder
	s := From(p, 1, r)
	s.Text(&out, 99)
	const want = "the load generator waited for a CPU for 21.00 s of the 40.00 s of its loops (2)"
	if text := out.String(); !strings.Contains(text, want) || !strings.Contains(text, "Latency (ms): the load generator waited for a CPU, see the last lines\n") {
		t.Errorf("the text lacks %q:\n%s", want, text)
	}
	if b, err := json.Marshal(s); err != nil || !strings.Contains(string(b), `"waited":"`+want) {
		t.Errorf("JSON lacks %q: %s, %v", want, b, err)
	}
	r.Self.Waited = time.Second
	if got := From(p, 1, r).Generator.Waited; got != "" {
		t.Errorf("1 s of 40 s: %q", got)
	}
}
