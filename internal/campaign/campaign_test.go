package campaign

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tarebench/tare/internal/compare"
	"github.com/tarebench/tare/internal/record"
)

// TestDecisionsNeedNoSamples: what to do next is the same without the probes' readings,
// which record.Reader does not keep.
func TestDecisionsNeedNoSamples(t *testing.T) {
	dirs, err := filepath.Glob("../report/testdata/runs/*/plan.json")
	if err != nil || len(dirs) < 3 {
		t.Fatalf("%d recorded runs, %v", len(dirs), err)
	}
	for _, file := range dirs {
		dir := filepath.Dir(file)
		whole, err := record.Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		read, err := record.NewReader(dir, whole.Experiment).Read(whole.Plan)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(compare.ToRepeat(whole), compare.ToRepeat(read)); d != "" {
			t.Errorf("%s: rounds to repeat: %s", dir, d)
		}
		n, why, more := compare.NextRounds(whole)
		if m, because, again := compare.NextRounds(read); n != m || why != because || more != again {
			t.Errorf("%s: next rounds %d (%s) %v, without samples %d (%s) %v", dir, n, why, more, m, because, again)
		}
	}
}
