package runner

import (
	"context"
	"errors"
	"io"
	"path/filepath"
	"testing"

	"github.com/tarebench/tare/internal/loadgen"
	"github.com/tarebench/tare/internal/mysqld"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/target"
)

// killed is a server that the kernel has killed at its memory limit.
type killed struct{ mute }

const atLimit = "the container reached its memory limit"

func (killed) Alive() error { return record.Sentence(atLimit).Error(target.ErrKilled) }

// cutOff is an engine whose connections broke while it made tables.
type cutOff struct{ loadgen.Engine }

func (cutOff) Prepare(context.Context, loadgen.Job, io.Writer) error {
	return errors.New("prepare sbtest1: receive: EOF")
}

// TestKilledWhileDataAreMade: who makes the tables sees a broken connection; that the server was killed at
// its memory limit is what the trial ends with.
func TestKilledWhileDataAreMade(t *testing.T) {
	t.Parallel()
	j := job(t, &fake{})
	j.Engine = cutOff{j.Engine}
	silent := mute{place: &fake{}, address: mysqld.Address{Socket: filepath.Join(t.TempDir(), "none.sock"), User: "root"}}
	err := j.makeTables(t.Context(), &killed{silent}, &instance{Name: "t"}, io.Discard)
	if !errors.Is(err, target.ErrKilled) || err.Error() != record.WhileMaking.Say(atLimit) {
		t.Errorf("%v", err)
	}
}

// TestRestartedServerWasKilled: where a server answers in another's place, the target is asked how that one ended.
func TestRestartedServerWasKilled(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		lost   error
		killed bool
	}{
		"started again": {record.Restarted.Error(errOther, "1"), true},
		"hung":          {errors.New("the server hung"), false},
	} {
		l := &life{server: &killed{}, lost: lostError{c.lost}}
		if l.explain(t.Context()); errors.Is(l.why(), target.ErrKilled) != c.killed {
			t.Errorf("%s: %v", name, l.why())
		}
	}
}
