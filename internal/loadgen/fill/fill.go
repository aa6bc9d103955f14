// Package fill creates the tables of a workload in parallel and from a seed, and
// continues an interrupted attempt.
package fill

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/tarebench/tare/internal/loadgen/wire"
	"github.com/tarebench/tare/internal/workload"
)

// Job is what is to be made.
type Job struct {
	Tables []workload.Table
	Dial   func(context.Context) (*wire.Session, error)
	// Share names the part of the workload's tables that these are, of generators that each
	// make a part of their own at one time; "" is all of them.
	Share string
	// Workers are the connections that insert; any number makes the same rows.
	Workers int
	// Verify reads all rows back at the end and compares their checksum.
	Verify bool
	// Progress is called now and then, never by two at a time; may be nil.
	Progress func(Progress)
}

// Progress says how far it is.
type Progress struct {
	// Rows exist, Of are required; approximate where units make several rows.
	Rows, Of int64
	Elapsed  time.Duration
	// Left is the time that the remaining rows will take at the speed so far,
	// without indexes and verification; 0 while unknown.
	Left time.Duration
	// Step is what a table has come to: "rows", "index", "verified", or "" where
	// only Rows changed.
	Step  string
	Table string
}

// ErrOtherRows is a table that holds rows which are not this seed's.
var ErrOtherRows = errors.New("the table holds other rows: clean up first, or prepare with the seed they were made with")

// Run makes the tables. It is safe to call again after an interruption: what is
// there stays, the rest is made. Several generators may call it for one schema: one
// makes the tables, the others wait and find them there.
func Run(ctx context.Context, j Job) error {
	alone, err := lock(ctx, j.Dial, j.Share)
	if err != nil {
		return err
	}
	defer alone.Close()
	f := &filler{job: j, begun: time.Now()}
	for _, t := range j.Tables {
		f.tables = append(f.tables, newTable(t))
		f.total += t.Units * int64(t.UnitRows)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var group sync.WaitGroup
	for range max(1, j.Workers) {
		group.Go(func() {
			if err := f.work(ctx); err != nil {
				cancel(err)
			}
		})
	}
	group.Wait()
	return context.Cause(ctx)
}

// filler is the state that the workers share.
type filler struct {
	job   Job
	begun time.Time
	total int64

	mu     sync.Mutex
	tables []*table
	done   int64 // rows that are there
	made   int64 // rows that this run inserted
}

// table is how far one table is. A portion is a range of units inserted in one
// transaction, so it is there whole or not at all.
type table struct {
	workload.Table
	portions int
	size     int64 // units of a portion
	joined   bool  // by a worker, ever
	workers  int   // at it now
	opened   bool
	opening  sync.Mutex
	present  []bool // portions found in an existing table
	next     int    // the next portion to hand out
	finished int    // portions that are there
	// compared says which columns the checksum is of; nil for all.
	compared []bool
	contents
}

// contents are a number of rows and the sum of their checksums.
type contents struct {
	rows int64
	sum  uint64
}

func newTable(t workload.Table) *table {
	size := max(1, int64(portionRows/t.UnitRows))
	return &table{Table: t, size: size, portions: int((t.Units + size - 1) / size)}
}

// portionRows is how many rows are inserted at once, about a megabyte: an
// interruption loses little, and a commit is not what takes the time.
const portionRows = 5000

// work inserts portions until none is left.
func (f *filler) work(ctx context.Context) error {
	in, err := newInserter(ctx, f)
	if err != nil {
		return err
	}
	defer in.session.Close()
	for t := f.join(); t != nil; t = f.join() {
		err := f.fillTable(ctx, in, t)
		f.leave(t)
		if err != nil {
			return fmt.Errorf("prepare %s: %w", t.Name, err)
		}
	}
	return nil
}

// join is the table that one more worker is of most use to: of the first that have
// portions to hand out, and these are few, the one with the fewest workers. It is
// nil when there is none.
//
// With a table for each worker, which is sysbench's way, all are complete at one
// time, and where together they exceed the buffer pool the making of each index
// reads its table from the disk again. Many workers at one table split the pages
// where their portions meet. So it is four for each table, and at least two tables.
func (f *filler) join() (best *table) {
	f.mu.Lock()
	defer f.mu.Unlock()
	tables := max(2, f.job.Workers/4)
	for _, t := range f.tables {
		if t.joined && t.next >= t.portions {
			continue
		}
		if best == nil || t.workers < best.workers {
			best = t
		}
		if tables--; tables == 0 {
			break
		}
	}
	if best != nil {
		best.joined = true
		best.workers++
	}
	return best
}

func (f *filler) leave(t *table) {
	f.mu.Lock()
	defer f.mu.Unlock()
	t.workers--
}

func (f *filler) fillTable(ctx context.Context, in *inserter, t *table) error {
	if err := f.open(ctx, in, t); err != nil {
		return err
	}
	for {
		p, there := f.take(t)
		if p < 0 {
			return nil
		}
		made, err := in.portion(ctx, t, p, !there)
		if !there {
			made, err = in.unlocked(ctx, t, p, made, err)
		}
		if !there && hasCode(err, codeDuplicateRow) {
			there, made, err = in.appeared(ctx, t, p, err)
		}
		if err != nil {
			return err
		}
		if f.complete(t, p, made, there) {
			return f.finish(ctx, in, t)
		}
	}
}

// take hands out a portion, -1 when none is left.
func (f *filler) take(t *table) (portion int, there bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if t.next >= t.portions {
		return -1, false
	}
	p := t.next
	t.next++
	return p, t.present[p]
}

// complete notes a portion and reports whether it was the table's last.
func (f *filler) complete(t *table, portion int, made contents, there bool) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	from, to := t.bounds(portion)
	n := (to - from + 1) * int64(t.UnitRows)
	f.done += n
	if !there {
		f.made += n
	}
	t.rows += made.rows
	t.sum += made.sum
	t.finished++
	f.report("", t)
	return t.finished == t.portions
}

// bounds are the first and last unit of a portion.
func (t *table) bounds(portion int) (from, to int64) {
	first := int64(portion)*t.size + 1
	return first, min(first+t.size-1, t.Units)
}

// report is called with the lock held.
func (f *filler) report(step string, t *table) {
	if f.job.Progress == nil {
		return
	}
	p := Progress{Rows: f.done, Of: f.total, Elapsed: time.Since(f.begun), Step: step, Table: t.Name}
	if f.made > 0 {
		p.Left = time.Duration(float64(p.Elapsed) / float64(f.made) * float64(f.total-f.done))
	}
	f.job.Progress(p)
}

func (f *filler) reportStep(step string, t *table) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.report(step, t)
}
