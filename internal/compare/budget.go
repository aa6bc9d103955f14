package compare

// This file is the latency budget: where a transaction's time goes, from the
// counters of the same windows that its latency is from. docs/report.md says how
// each part is computed and what it cannot know.

import (
	"maps"
	"math"
	"slices"

	"github.com/tarebench/tare/internal/keys"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/stats"
)

// Budget is where an average transaction of an arm spends its time.
type Budget struct {
	// Mean is the time of a transaction as the client saw it, ms; its parts add up
	// to it, or to more where the counters of parts overlap.
	Mean  Spent
	Parts []Spent
	// stopping is the rule that the intervals of changes are by.
	stopping stopping
}

// Spent is one place where a transaction spends time.
type Spent struct {
	Name string
	// Milliseconds for each transaction, the mean over the trials.
	Milliseconds float64
	// Change is arm minus baseline over the rounds that both have; NaN for the
	// baseline. Interval is its 95 % interval, nil below two rounds; Rounds is how many.
	Change   float64
	Interval *Interval
	Rounds   int
	rounds   map[int]float64
	Changes  map[int]float64 // what Change is the mean of, by round
}

// The parts' names.
const (
	SpentNetwork   = "network and client"
	SpentCPU       = "on a CPU"
	SpentThrottled = "throttled"
	SpentWaiting   = "waiting for a CPU"
	SpentLock      = "row locks"
	SpentRead      = "reading pages"
	SpentLog       = "commit and log"
	SpentRest      = "rest in the server"
	// SpentLogRest is what is left in the server where it does not time commits apart.
	SpentLogRest = SpentLog + ", " + SpentRest
	// SpentRestNetwork is what is left where the server does not time statements.
	SpentRestNetwork = SpentRest + ", " + SpentNetwork
	// SpentWhole is the whole transaction.
	SpentWhole = "a transaction"
)

// budget of an arm; nil where the threads' times or the latency were not read.
func budget(trials []watched) *Budget {
	var b *Budget
	timed := timedRight(trials)
	for _, w := range trials {
		t := w.trial
		mean, parts, ok := spend(w, timed)
		if !ok {
			continue
		}
		if b == nil {
			b = &Budget{Mean: newSpent(SpentWhole)}
			for _, p := range parts {
				b.Parts = append(b.Parts, newSpent(p.name))
			}
		}
		if len(parts) != len(b.Parts) { // a trial in which more or less could be read
			continue
		}
		b.Mean.rounds[t.Header.Round] = mean
		for i, p := range parts {
			b.Parts[i].rounds[t.Header.Round] = p.ms
		}
	}
	if b != nil {
		b.Mean.finish()
		for i := range b.Parts {
			b.Parts[i].finish()
		}
	}
	return b
}

// timedRight says that the server's timers of statements can be right: no transaction can spend
// more time in the server than its client waits for it. A server that is frozen between its turns
// counts that time for a statement that waits meanwhile, such as a commit for the acknowledgement
// of another member. If one trial of an arm shows that, no trial's timers divide the time.
func timedRight(trials []watched) bool {
	const counting = 1.02 // the two windows do not end at the same moment
	for _, w := range trials {
		if w.trial.Window == nil || w.trial.Window.Latency == nil {
			continue
		}
		if w.inServer()/w.timed()/1e6 > counting*w.trial.Window.Latency.Mean {
			return false
		}
	}
	return true
}

func newSpent(name string) Spent {
	return Spent{Name: name, Change: math.NaN(), rounds: map[int]float64{}}
}

func (p *Spent) finish() {
	c := Counter{rounds: p.rounds}
	c.finish()
	p.Milliseconds = c.Mean
}

// share is a part of one trial's mean.
type share struct {
	name string
	ms   float64
}

// spend divides the mean time of a trial's transactions. What a counter says of
// all sessions, for each transaction, is what a transaction spent, because every
// session serves one transaction at a time. timed says that the server's timers of statements
// are to be believed.
func spend(w watched, timed bool) (mean float64, parts []share, ok bool) {
	t := w.trial
	if t.Window == nil || t.Window.Completed() <= 0 || t.Window.Latency == nil || !(t.Window.Latency.Mean > 0) {
		return 0, nil, false
	}
	mean = t.Window.Latency.Mean
	each := func(name string) float64 { return w.change[name] / w.timed() / 1e6 }
	if !(w.change[keys.ServerSessionRunNS] > 0) {
		return 0, nil, false // threads whose names say nothing
	}
	run, wait := each(keys.ServerSessionRunNS), each(keys.ServerSessionWaitNS)
	// Time in a run queue holds the time for which a quota held the queue. Every
	// session loses the same share of its time to that, and no more than it waited.
	held := math.Min(wait, mean*math.Min(1, w.change[keys.CgroupCPUThrottledNS]/1e9/w.seconds/w.queues()))
	lock, read := each(keys.MySQLInnoDBRowLockTime)*1e6, each(keys.MySQLFileDataReadNS)
	// performance_schema times the reads of all threads together: those of a cold server's
	// background threads are not a transaction's.
	read = math.Min(read, math.Max(0, mean-run-wait-lock))
	known := run + wait + lock + read
	parts = []share{{SpentCPU, run}, {SpentThrottled, held}, {SpentWaiting, wait - held}, {SpentLock, lock}}
	if w.timesReads() {
		parts = append(parts, share{SpentRead, read})
	}
	if w.serverOnly() {
		// The whole ends where the server's work does: nothing of it is the network's.
		return mean, append(parts, w.rest(math.Max(0, mean-known), each(keys.MySQLCommitTimeNS))...), true
	}
	inside := w.inServer() / w.timed() / 1e6
	if !timed || inside == 0 {
		return mean, append(parts, share{SpentRestNetwork, math.Max(0, mean-known)}), true
	}
	rest := math.Max(0, inside-known)
	parts = append(parts, w.rest(rest, each(keys.MySQLCommitTimeNS))...)
	return mean, append(parts, share{SpentNetwork, math.Max(0, mean-known-rest)}), true
}

// rest divides what is left in the server into commits and the rest, where the server times commits.
func (w watched) rest(rest, commits float64) []share {
	if !w.timesCommits() {
		return []share{{SpentLogRest, rest}}
	}
	log := math.Min(rest, commits)
	return []share{{SpentLog, log}, {SpentRest, rest - log}}
}

// serverOnly says that the latency of a watched server is the time of its statements, which begin when a command has
// arrived and end before its answer is sent.
func (w watched) serverOnly() bool {
	for _, f := range w.trial.Facts {
		if f.Key == keys.WatchedTimed {
			return f.Value == "statement"
		}
	}
	return false
}

// inServer is the time of the statements in the server, in ns: by performance_schema, or by MariaDB's userstat, which
// counts 1 to 5 % less (measured with 10.5.23, 10.11.19 and 11.8.9: it ends before the statement's instrument does). 0
// where neither is on.
func (w watched) inServer() float64 {
	if ns := w.change[keys.MySQLStatementsTimeNS]; ns > 0 {
		return ns
	}
	return w.change[keys.MySQLBusyTime] * 1e9
}

// timesReads is whether the time of page reads is known; without reads it is 0 on any server.
func (w watched) timesReads() bool {
	_, timed := w.change[keys.MySQLFileDataReadNS]
	reads, counted := w.change[keys.MySQLInnoDBBufferPoolReads]
	return timed || counted && reads == 0
}

// timesCommits is whether the server times all of its commits: MariaDB makes no digest of a COMMIT that is executed as
// a prepared statement, and would leave 0 for it. Statements that commit by themselves (autocommit) have the time of the
// commit in their own: the fsyncs of the logs are then longer than the statements COMMIT.
func (w watched) timesCommits() bool {
	commits, timed := w.change[keys.MySQLCommitTimeNS]
	if !timed || w.trial.Flavour() == record.MariaDB && w.change[keys.MySQLComStmtExecute] != 0 {
		return false
	}
	return !Autocommitted(commits, w.change[keys.MySQLFileRedoSyncNS]+w.change[keys.MySQLFileBinlogSyncNS], w.inServer())
}

// Autocommitted says that most commits are not the statement COMMIT, by the time of these statements, of the fsyncs of the
// logs, and of all statements. Fsyncs of less than a twentieth of the latter can be those of background threads, which flush
// once a second; a COMMIT takes at least as long as its fsyncs, and half of it leaves room for readings at different moments.
func Autocommitted(commits, synced, statements float64) bool {
	return synced > statements/20 && commits < synced/2
}

// against sets a budget beside the baseline's.
func (b *Budget) against(base *Budget, s stopping) {
	if b == nil || base == nil {
		return
	}
	b.stopping = s
	b.Mean.against(base.Mean, s)
	for i := range b.Parts {
		p := &b.Parts[i]
		for _, q := range base.Parts {
			if q.Name == p.Name {
				p.against(q, s)
			}
		}
	}
}

// Shorter is whether a part other than the named one is shorter than in the baseline, with its whole
// interval. What is left over when the others are taken off is no such part: it becomes shorter
// where counters overlap.
func (b *Budget) Shorter(name string) bool {
	for _, p := range b.Parts {
		switch p.Name {
		case name, SpentRest, SpentLogRest, SpentRestNetwork, SpentNetwork:
		default:
			if p.Interval != nil && p.Interval.Hi < 0 {
				return true
			}
		}
	}
	return false
}

func (p *Spent) against(base Spent, s stopping) {
	p.Changes = changes(base.rounds, p.rounds)
	p.Change, p.Interval, p.Rounds = overRounds(p.Changes, s)
}

// Share is how much of the longer transaction a part explains, as a ratio, with its 95 % interval
// (Fieller's, of the rounds' differences, as much wider as those of the changes are). It is above 1 where other parts became shorter meanwhile. ok is
// false where transactions are not longer than the baseline's for certain.
func (b *Budget) Share(name string) (ratio float64, in Interval, ok bool) {
	if b == nil || b.Mean.Interval == nil || !(b.Mean.Interval.Lo > 0) {
		return 0, in, false
	}
	for _, p := range b.Parts {
		if p.Name != name {
			continue
		}
		both := maps.Clone(p.Changes)
		maps.DeleteFunc(both, func(round int, _ float64) bool { _, known := b.Mean.Changes[round]; return !known })
		part, licensed := b.stopping.licensed(both)
		var whole []float64
		for _, round := range slices.Sorted(maps.Keys(both)) {
			whole = append(whole, b.Mean.Changes[round])
		}
		r := stats.Fieller(part, whole, error95, licensed.widening)
		return r.Value, Interval{r.Lo, r.Hi}, r.Bounded
	}
	return 0, in, false
}
