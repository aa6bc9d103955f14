package record

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func written(t testing.TB) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := NewWriter(&b, Header{Trial: 3, Round: 1, Slot: 3, Arm: "bare", Threads: 8, Engine: "sysbench", Started: time.Unix(1, 0).UTC()})
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range []Line{
		{Metric: &Metric{Name: "tps", Unit: "1/s", Direction: HigherIsBetter, Help: "transactions"}},
		{Event: &Event{At: time.Second, Name: "ready"}},
		{Fact: &Fact{Key: "cgroup.pod.cpu.shares", Value: "2", Source: "/sys/fs/cgroup/cpu/x/cpu.shares", Phase: "start"}},
		{Interval: &Interval{End: 1, Length: 1, Threads: 8, Transactions: 812.5}},
		{Window: &Window{Seconds: 10, Counts: Counts{Transactions: 8125}, Latency: &Latency{Max: 9}}},
	} {
		if err := w.Write(l); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.End(End{Outcome: Measured, Duration: time.Minute}); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestReadBack(t *testing.T) {
	trial, err := Read(bytes.NewReader(written(t)))
	if err != nil || trial.Incomplete != "" {
		t.Fatal(err, trial.Incomplete)
	}
	if trial.Header.Trial != 3 || trial.Header.Version != Version || trial.End.Outcome != Measured || trial.End.Lines != 6 {
		t.Errorf("%+v %+v", trial.Header, trial.End)
	}
	if got := trial.Window.Throughput(); got != 812.5 {
		t.Errorf("throughput = %v", got)
	}
	if len(trial.Metrics) != 1 || len(trial.Events) != 1 || len(trial.Facts) != 1 || len(trial.Intervals) != 1 {
		t.Errorf("%+v", trial)
	}
}

// TestEveryCutIsSeen cuts a stream after every byte, as a kill would: no prefix
// passes for a complete trial, and none is an error of the run.
func TestEveryCutIsSeen(t *testing.T) {
	whole := written(t)
	for n := range len(whole) {
		trial, err := Read(bytes.NewReader(whole[:n]))
		if err != nil || trial.Incomplete == "" {
			t.Fatalf("cut at %d of %d: incomplete %q, error %v", n, len(whole), trial.Incomplete, err)
		}
	}
}

// TestEveryChangeIsSeen flips every byte before the last line.
func TestEveryChangeIsSeen(t *testing.T) {
	whole := written(t)
	end := bytes.LastIndexByte(whole[:len(whole)-1], '\n')
	for n := range end {
		changed := bytes.Clone(whole)
		changed[n] ^= 1
		trial, err := Read(bytes.NewReader(changed))
		if err == nil && trial.Incomplete == "" {
			t.Fatalf("byte %d changed from %q to %q without notice", n, whole[n], changed[n])
		}
	}
}

func TestLaterVersionIsNotOurs(t *testing.T) {
	later := strings.Replace(string(written(t)), fmt.Sprintf(`"version":%d`, Version), `"version":99`, 1)
	if _, err := Read(strings.NewReader(later)); !errors.Is(err, ErrVersion) {
		t.Errorf("error = %v, want ErrVersion", err)
	}
}

func TestLongLineIsRefused(t *testing.T) {
	r := strings.NewReader(`{"event":{"name":"` + strings.Repeat("x", MaxLine+1))
	trial, err := Read(r)
	if err != nil || !strings.Contains(trial.Incomplete, "longer than") {
		t.Errorf("%v, %v", trial, err)
	}
}

// FuzzRead: whatever is in the file, reading ends, and what is taken for
// complete has a header, an end and a matching checksum.
func FuzzRead(f *testing.F) {
	f.Add(written(f))
	f.Add([]byte("{}\n"))
	f.Add([]byte("{\"header\":{\"version\":1}}\n{\"window\":{\"seconds\":-1}}\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		trial, err := Read(bytes.NewReader(b))
		if err != nil || trial.Incomplete != "" {
			return
		}
		if trial.Header.Version == 0 || trial.End == nil {
			t.Fatalf("complete without header or end: %+v", trial)
		}
		if _, err := json.Marshal(trial); err != nil {
			t.Fatal(err)
		}
	})
}

func TestHistogramMergeIsExact(t *testing.T) {
	a := &Histogram{Scheme: "sysbench-1024", Counts: [][2]int64{{1000, 5}, {3000, 1}}}
	b := &Histogram{Scheme: "sysbench-1024", Counts: [][2]int64{{2000, 3}, {3000, 1}}}
	if !a.Merge(b) {
		t.Fatal("not merged")
	}
	if diff := cmp.Diff([][2]int64{{1000, 5}, {2000, 3}, {3000, 2}}, a.Counts); diff != "" {
		t.Error(diff)
	}
	for _, c := range []struct {
		p             float64
		value, beyond int64
	}{{50, 1000, 5}, {50.1, 2000, 2}, {80, 2000, 2}, {99, 3000, 0}, {100, 3000, 0}} {
		if value, beyond := a.Percentile(c.p); value != c.value || beyond != c.beyond {
			t.Errorf("p%v = %d, %d beyond; want %d, %d", c.p, value, beyond, c.value, c.beyond)
		}
	}
	if a.Merge(&Histogram{Scheme: "hdr-3"}) {
		t.Error("merged histograms with different buckets")
	}
}
