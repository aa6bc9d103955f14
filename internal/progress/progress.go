// The one thing that a run tells what happens, and that tells the others.

package progress

import (
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/runner"
)

// Options say who is told, and how.
type Options struct {
	Out io.Writer
	// Live keeps lines up to date at the end of a terminal; else events are written,
	// as JSON or as key=value.
	Live, JSON     bool
	Color, Unicode bool
	// Size is the terminal's, asked before each drawing.
	Size func() (width, height int)
	// PerTrial is how long a trial takes before one has been seen.
	PerTrial time.Duration
	// Expect says how long the run takes and what it can show.
	Expect []string
}

// Times between two drawings, at least and at most.
const (
	drawEvery  = 250 * time.Millisecond
	clockEvery = time.Second
)

// aliveEvery is the time between two signs of life where there is no terminal: CI systems end jobs that are silent, and
// whoever waits for a short run wants to see more of them.
func aliveEvery(run time.Duration) time.Duration {
	return min(max(run/20, 15*time.Second), 5*time.Minute)
}

// Progress shows a run. Its methods may be called from several goroutines.
type Progress struct {
	Options
	mu    sync.Mutex
	state *state
	said  time.Time     // the last event
	alive time.Duration // between two signs of life
	began bool          // the runner begins once more for a round that is repeated, and for further rounds
	drawn time.Time
	term  screen
	stop  chan struct{}
	quiet sync.WaitGroup
}

// New begins to show a run: it says the plan. Close ends it.
func New(job runner.Job, o Options) *Progress {
	now := time.Now()
	p := &Progress{Options: o, state: newState(job, o.PerTrial, now), term: screen{out: o.Out}, stop: make(chan struct{})}
	left, _, _ := p.state.left(now)
	p.alive = aliveEvery(left)
	p.event("plan", "hash", job.Plan.Hash[:12], "rounds", job.Plan.Rounds, "arms", len(job.Experiment.Arms),
		"trials", len(job.Plan.Trials), "dir", job.Dir, "estimate", left.String())
	for _, line := range o.Expect {
		p.event("expect", "text", line)
		p.say(line)
	}
	p.quiet.Go(p.tick)
	return p
}

// Observe is told what the runner does.
func (p *Progress) Observe(e runner.Progress) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	p.state.observe(e, now)
	switch e.Kind {
	case runner.Began:
		if n := len(e.Complete); n > 0 && !p.began {
			left, _, _ := p.state.left(now)
			p.event("resume", "complete", n, "left", len(p.state.plan.Trials)-n, "estimate", left.String())
		}
		p.began = true
	case runner.Phase:
		if e.Trial.Number == 0 {
			p.event("phase", "phase", e.Phase)
		}
	case runner.Second:
		p.secondPassed(e)
	case runner.Ended:
		p.ended(e, now)
	case runner.Waiting:
		p.waiting(e)
	case runner.Slow:
		p.slow(e)
	}
	p.draw(now, e.Kind != runner.Second)
}

// secondPassed is an event for programs alone: a log would drown in it. Of arms that take turns
// there is none: the rates of one beside another would show the effect.
func (p *Progress) secondPassed(e runner.Progress) {
	if p.JSON && !p.state.plan.Sliced() {
		p.event("second", "trial", e.Trial.Number, "end_s", e.Interval.End, "warmup", e.Interval.Warmup, "tps", e.Interval.Transactions)
	}
}

// waiting says what the start of a server waits for.
func (p *Progress) waiting(e runner.Progress) {
	line, values := "the start of a server waits: "+e.Reason, []any{}
	if e.Trial.Number > 0 { // else the data are prepared in it
		line = fmt.Sprintf("trial %d, %s: %s", e.Trial.Number, e.Trial.Arm, line)
		values = append(values, "trial", e.Trial.Number, "arm", e.Trial.Arm)
	}
	p.event("waiting", append(values, "text", line)...)
	p.say(line)
}

// slow says that a trial waits for the run directory, once its load has ended.
func (p *Progress) slow(e runner.Progress) {
	line := fmt.Sprintf("trial %d, %s: the run directory is on a slow device: a write takes more than a second. The load does not wait for it; the next trial does.", e.Trial.Number, e.Trial.Arm)
	p.event("slow-record", "trial", e.Trial.Number, "arm", e.Trial.Arm, "text", line)
	p.say(line)
}

func (p *Progress) ended(e runner.Progress, now time.Time) {
	left, _, _ := p.state.left(now)
	values := []any{"trial", e.Trial.Number, "of", len(p.state.plan.Trials), "round", e.Trial.Round, "arm", e.Trial.Arm, "outcome", string(e.Outcome)}
	if e.Reason != "" && (p.JSON || !e.Hopeless) { // of a hopeless one the command's error says it
		values = append(values, "reason", e.Reason)
	}
	if e.Others >= tellOthers {
		values = append(values, "others", fmt.Sprintf("%.0f%%", 100*e.Others))
	}
	if e.Outcome != record.Measured && !e.Hopeless {
		p.say(fmt.Sprintf("trial %d, %s: %s: %s", e.Trial.Number, e.Trial.Arm, e.Outcome, e.Reason))
	}
	p.event("trial", append(values, "left", left.String())...)
}

// RoundEnded is told at a round's end which rounds on record were disturbed. It knows no effect.
func (p *Progress) RoundEnded(round int, disturbed []record.Void) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.state.gates = disturbed
	for _, v := range disturbed {
		if first := v.Causes[0]; v.Round == round {
			p.event("gate", "round", v.Round, "trial", first.Trial, "arm", first.Arm, "gate", first.Gate, "why", first.String())
		}
	}
	p.draw(time.Now(), true)
}

// Extended is told that the plan has more rounds now, and why.
func (p *Progress) Extended(plan experiment.Plan, why string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.state.plan = plan
	p.event("extend", "rounds", plan.Rounds, "why", why)
	p.say(why)
}

// Changed is told that the run goes over to another protocol and begins again.
func (p *Progress) Changed(plan experiment.Plan) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := plan.Current()
	p.state.plan, p.state.gates = plan, nil
	p.event("protocol", "kind", now.Kind, "why", now.Why)
	line := "the run begins again by " + now.Kind
	if now.Slices != nil {
		line += fmt.Sprintf(" of %v", now.Slices.Slice)
	}
	p.say(line + ": " + now.Why)
}

// Voided is told that a round is set aside and run again.
func (p *Progress) Voided(v record.Void) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.state.setAside(v)
	first := v.Causes[0]
	p.event("void", "round", v.Round, "trial", first.Trial, "arm", first.Arm, "gate", first.Gate, "why", first.String())
	p.say(fmt.Sprintf("round %d is repeated: trial %d, %s: %s", v.Round, first.Trial, first.Arm, first))
}

// Say keeps a line on the terminal, or writes it where events go.
func (p *Progress) Say(line string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.event("note", "text", line)
	p.say(line)
}

// Answers is told that the API server of a cluster does not answer, or that it answers again; line says it.
func (p *Progress) Answers(again bool, line string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.event("api-server", "answers", again, "text", line)
	p.say(line)
}

// Close leaves the terminal at the start of an empty line.
func (p *Progress) Close() {
	close(p.stop)
	p.quiet.Wait()
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.Live {
		p.term.clear()
	}
}

// tick lets the clock run where nothing else happens: while data is made and
// copied.
func (p *Progress) tick() {
	clock := time.NewTicker(clockEvery)
	defer clock.Stop()
	for {
		select {
		case <-p.stop:
			return
		case now := <-clock.C:
			p.mu.Lock()
			if now.Sub(p.drawn) >= clockEvery {
				p.draw(now, false)
			}
			p.mu.Unlock()
		}
	}
}

func (p *Progress) draw(now time.Time, always bool) {
	if !p.Live {
		if now.Sub(p.said) >= p.alive {
			left, _, _ := p.state.left(now)
			p.event("alive", "trial", p.state.trial.Number, "of", len(p.state.plan.Trials), "left", left.String())
		}
		return
	}
	if !always && now.Sub(p.drawn) < drawEvery {
		return
	}
	p.drawn = now
	w, h := p.Size()
	p.term.show(p.state.view(look{width: w, height: h, color: p.Color, unicode: p.Unicode}, now), w)
}

// say keeps a line on a terminal; elsewhere the event has said it.
func (p *Progress) say(line string) {
	if p.Live {
		p.term.say(line)
	}
}
