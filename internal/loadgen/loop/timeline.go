package loop

import "time"

// Timeline counts what the clients see, in steps since the load began. It is that of a load during
// which something happens to the server: an interval of the series is longer than an outage may be.
type Timeline struct {
	Step time.Duration
	// Completed are transactions by when they ended. Failed are attempts at one that ended in an
	// error, which are made again; Broken are connections that were lost, Made those that replaced
	// them.
	Completed, Failed, Broken, Made []int64
}

// newTimeline is nil for a job that does not ask for one.
func (j *Job) newTimeline() *Timeline {
	if j.Timeline <= 0 || j.Time <= 0 {
		return nil
	}
	n := int((j.Warmup + j.Time + j.Timeline - 1) / j.Timeline)
	return &Timeline{Step: j.Timeline, Completed: make([]int64, n), Failed: make([]int64, n), Broken: make([]int64, n), Made: make([]int64, n)}
}

// note counts one at a time; what comes after the window is no part of it.
func (t *Timeline) note(of []int64, at int64) {
	if i := at / int64(t.Step); i >= 0 && i < int64(len(of)) {
		of[i]++
	}
}

func (t *Timeline) completed(at int64) {
	if t != nil {
		t.note(t.Completed, at)
	}
}

func (t *Timeline) failed(at int64) {
	if t != nil {
		t.note(t.Failed, at)
	}
}

func (t *Timeline) broken(at int64) {
	if t != nil {
		t.note(t.Broken, at)
	}
}

func (t *Timeline) made(at int64) {
	if t != nil {
		t.note(t.Made, at)
	}
}

// merge adds another loop's.
func (t *Timeline) merge(o *Timeline) {
	if t == nil || o == nil {
		return
	}
	for _, pair := range [][2][]int64{{t.Completed, o.Completed}, {t.Failed, o.Failed}, {t.Broken, o.Broken}, {t.Made, o.Made}} {
		for i := range pair[0] {
			pair[0][i] += pair[1][i]
		}
	}
}
