package runner

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/target"
)

// releasing is a target of which only the release is asked.
type releasing struct {
	target.Target
	release func(context.Context) error
}

func (r releasing) Capabilities() target.Capabilities {
	return target.Capabilities{Release: r.release}
}

// TestReleaseOfEach: a target that cannot be given back takes its own time and not that of
// the others, each of which is given back once. The clock is that of synctest.
func TestReleaseOfEach(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		given := 0
		stuck := func(ctx context.Context) error { <-ctx.Done(); return context.Cause(ctx) }
		gives := func(ctx context.Context) error { given++; return ctx.Err() }
		j := Job{Targets: map[string]target.Target{"a": releasing{release: stuck}, "b": releasing{release: gives}}}
		err := release(j, []experiment.Trial{{Arm: "a"}, {Arm: "b"}, {Arm: "b"}})
		if err == nil || strings.Count(err.Error(), "not done within 5m0s") != 1 || given != 1 {
			t.Errorf("%v, b was given back %d times", err, given)
		}
	})
}
