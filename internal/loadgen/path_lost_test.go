package loadgen

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestLargerIsNotWaitedFor: where large packets are lost, each larger transfer would take its whole
// limit of time. What failed for another reason keeps nothing from being measured.
func TestLargerIsNotWaitedFor(t *testing.T) {
	var measured []string
	property := func(key, smaller string, err error) pathProperty {
		return pathProperty{key, "", smaller, func(context.Context, Job) (float64, error) {
			measured = append(measured, key)
			return 1, err
		}}
	}
	facts := silence{}.facts(t.Context(), Job{}, "end", []pathProperty{
		property("large", "", os.ErrDeadlineExceeded),
		property("larger", "large", nil),
		property("largest", "larger", nil),
		property("refused", "", errors.New("refused")),
		property("after", "refused", nil),
	})
	if diff := cmp.Diff([]string{"large", "refused", "after"}, measured); diff != "" {
		t.Error(diff)
	}
	for i, want := range []string{"no answer within 10s", "not measured: large had no answer", "not measured: larger had no answer", "refused", ""} {
		if f := facts[i]; !strings.Contains(f.Unknown, want) || (f.Value == "") != (want != "") {
			t.Errorf("%+v, want unknown: %q", f, want)
		}
	}
}
