package observe

// This file is a server that ends while it is watched: what was seen of it is kept, and the
// counters of its cgroup are read at once, before its container is removed.

import (
	"context"
	"errors"
	"io/fs"
	"strconv"
	"syscall"
	"time"

	"github.com/tarebench/tare/internal/keys"
	"github.com/tarebench/tare/internal/probe"
	"github.com/tarebench/tare/internal/record"
)

// life watches the server's process.
type life struct {
	memory  probe.Read // of its cgroup; nil where it is not read here
	because error      // why not
}

// live is a context that ends with the server's process too, so that the last sample is taken
// at that moment.
func (s Server) live(ctx context.Context, place probe.Place) (l life, during context.Context, cancel func()) {
	during, cancel = context.WithCancel(ctx)
	if s.PID == 0 {
		l.because = errors.New("the server's process is not on this machine, or not known")
		return l, during, cancel
	}
	l.memory, l.because = probe.Memory(place)
	watchProcess(during, s.PID, cancel)
	return l, during, cancel
}

// end adds when the server ended, and the counters of its cgroup as they are now.
func (l life) end(ctx context.Context, t *record.Trial, after time.Duration) {
	t.Facts = append(t.Facts, record.Fact{Key: keys.WatchedEndedS, Value: strconv.FormatFloat(after.Seconds(), 'f', 1, 64), Source: "the server's process and its answers"})
	values := map[string]float64{}
	err := l.because
	if err == nil {
		err = l.memory(ctx, func(name string, v float64) { values[name] = v })
	}
	if n := len(t.Samples); err == nil && n > 0 {
		t.Samples[n-1].Values = merged(t.Samples[n-1].Values, values)
	}
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENODEV) {
		err = errors.New("the cgroup was removed")
	}
	if err != nil {
		t.Facts = append(t.Facts, record.Fact{Key: keys.WatchedMemory, Unknown: err.Error()})
	}
}

// seen is the work that the last answer of a server shows, and when it ended: now, if its
// process did, else after that answer.
func (w work) seen(t *record.Trial, ended bool) work {
	last := work{at: w.at, questions: w.questions}
	for _, s := range t.Samples {
		if v, ok := s.Values.Of(keys.MySQLQuestions); ok { // each reading adds one
			last.at, last.questions = t.Header.Started.Add(s.At), max(last.questions, v)
		}
	}
	if ended {
		last.at = time.Now()
	}
	return last
}

// Ended is how many seconds after the beginning a watched server ended or stopped answering;
// ok is false where it did not.
func Ended(r *record.Run) (seconds float64, ok bool) {
	for _, f := range r.Trials[0].Facts {
		if f.Key == keys.WatchedEndedS {
			seconds, err := strconv.ParseFloat(f.Value, 64)
			return max(seconds, 0.1), err == nil
		}
	}
	return 0, false
}
