package barrier

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/tarebench/tare/internal/loadgen/wire"
)

// StartWithin is Start for a test that also asks how long the server took to tell.
func StartWithin(ctx context.Context, s *wire.Session, run string, number, of int) (begin time.Time, took time.Duration, err error) {
	r, err := start(ctx, s, run, number, of)
	return r.begin, r.took, err
}

// TestBestReading: a start that was read once is known, whatever becomes of later readings.
func TestBestReading(t *testing.T) {
	began := errors.New("the run began")
	begin := time.Now().Add(time.Hour)
	slow, fast := reading{begin, 3 * time.Second, true}, reading{begin.Add(time.Second), time.Second, true}
	type answer struct {
		r   reading
		err error
	}
	for name, c := range map[string]struct {
		answers []answer
		want    answer
	}{
		"the fastest":           {[]answer{{slow, nil}, {fast, nil}, {slow, nil}}, answer{fast, nil}},
		"fails later":           {[]answer{{fast, nil}, {slow, nil}, {reading{}, began}}, answer{fast, nil}},
		"is gone later":         {[]answer{{slow, nil}, {reading{}, nil}, {fast, nil}}, answer{slow, nil}},
		"fails at once":         {[]answer{{reading{}, began}, {fast, nil}}, answer{reading{}, began}},
		"is not there":          {[]answer{{reading{}, nil}, {fast, nil}}, answer{reading{}, nil}},
		"is near: no more time": {[]answer{{reading{begin.Add(-time.Hour), slow.took, true}, nil}, {fast, nil}}, answer{reading{begin.Add(-time.Hour), slow.took, true}, nil}},
	} {
		n := 0
		r, err := best(func() (reading, error) {
			a := c.answers[min(n, len(c.answers)-1)]
			n++
			return a.r, a.err
		})
		if r != c.want.r || !errors.Is(err, c.want.err) {
			t.Errorf("%s: %+v, %v; want %+v", name, r, err, c.want)
		}
	}
}
