package record

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestSlowestMerge: sums add up place by place whatever their order, a part that one
// has not is kept, and neither of the merged is changed.
func TestSlowestMerge(t *testing.T) {
	a := &Slowest{All: 1000, Slow: 12, Parts: []SlowestPart{{"begin", 5, 1}, {"commit", 70, 60}}}
	b := &Slowest{All: 3000, Slow: 31, Parts: []SlowestPart{{"commit", 7, 6}, {"begin", 2, 1}, {SpentLate, 4, 3}}}
	before, err := json.Marshal([]*Slowest{a, b})
	if err != nil {
		t.Fatal(err)
	}
	sum := a.Merge(b)
	want := &Slowest{All: 4000, Slow: 43, Parts: []SlowestPart{{"begin", 7, 2}, {"commit", 77, 66}, {SpentLate, 4, 3}}}
	if d := cmp.Diff(want, sum); d != "" {
		t.Error(d)
	}
	if all, slow := sum.Took(); all != 88 || slow != 71 {
		t.Errorf("took %d, %d", all, slow)
	}
	if after, _ := json.Marshal([]*Slowest{a, b}); string(after) != string(before) {
		t.Errorf("merging changed %s to %s", before, after)
	}
	var none *Slowest
	if d := cmp.Diff(a, none.Merge(a)); d != "" {
		t.Error(d)
	}
	if none.Merge(nil) != nil || none.Enough() || sum.Enough() || !sum.Merge(sum).Merge(sum).Enough() {
		t.Error("nothing and nothing is something, or 86 are as many as 129")
	}
}

// TestSlowestInOldRecords: a window from before has none, and one with it reads back.
func TestSlowestInOldRecords(t *testing.T) {
	for _, line := range []string{
		`{"window":{"seconds":1,"counts":{"transactions":1,"reads":0,"writes":0,"other":0,"errors":0,"reconnects":0}}}`,
		`{"window":{"seconds":1,"counts":{"transactions":1,"reads":0,"writes":0,"other":0,"errors":0,"reconnects":0},"slowest":{"all":5,"slow":1,"parts":[{"name":"commit","all_ns":9,"slow_ns":4}]}}}`,
	} {
		var l Line
		if err := strictUnmarshal([]byte(line), &l); err != nil {
			t.Fatal(err)
		}
		back, err := json.Marshal(l)
		if err != nil || string(back) != line {
			t.Errorf("%v\n%s\n%s", err, back, line)
		}
	}
}
