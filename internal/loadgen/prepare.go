package loadgen

// Tables that generators elsewhere make, as they load a server: pods of a cluster are near
// it, and its rows do not pass through this machine.

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"runtime"
	"sync"
	"time"

	"github.com/tarebench/tare/internal/loadgen/fill"
	"github.com/tarebench/tare/internal/loadgen/wire"
	"github.com/tarebench/tare/internal/mysqld"
	"github.com/tarebench/tare/internal/workload"
)

// PrepareBy has the tables of a job made by generators that run elsewhere, each its share of
// them: the same rows that [Engine] Prepare makes. The job's server is the one that this
// machine reaches, at is the same as the generators reach it. What is there already stays.
// What the generators print of their progress goes to log.
func PrepareBy(ctx context.Context, j Job, at mysqld.Address, of int, run string, generate Generate, log io.Writer) error {
	there := j
	there.Server = at
	text, err := there.encode(shared{Run: run, Of: of, Prepare: true})
	if err != nil {
		return fmt.Errorf("prepare by %d generators: %w", of, err)
	}
	var one sync.Mutex // lines come from several goroutines
	err = generate(ctx, text, func(number int, line []byte) error {
		one.Lock()
		defer one.Unlock()
		return passStep(number, line, log)
	})
	if err != nil {
		return fmt.Errorf("prepare by %d generators: %w", of, err)
	}
	d, err := wire.NewDialer(j.Server)
	if err != nil {
		return err
	}
	return j.checkStatements(ctx, d)
}

// passStep writes what a table has come to. Other lines are somebody else's.
func passStep(number int, line []byte, log io.Writer) error {
	if !bytes.HasPrefix(line, []byte("{")) {
		return nil
	}
	var p printed
	if err := json.Unmarshal(line, &p); err != nil {
		return fmt.Errorf("read line of generator %d: %w", number, err)
	}
	if p.Step != "" {
		fmt.Fprintf(log, "generator %d: %s\n", number, p.Step)
	}
	return nil
}

// prepareShare makes a generator's tables. It ends when the tare that sent the job is gone.
func prepareShare(ctx context.Context, p *workload.Program, d *wire.Dialer, s shared, number int, w io.Writer, grace time.Duration) error {
	tables := shareOf(p.Tables(uint64(s.Seed)), s, number)
	if len(tables) == 0 {
		return nil
	}
	d.LocalFiles = true
	ctx, watched, err := withController(ctx, d.Dial, s.Run, grace)
	if err != nil {
		return err
	}
	defer watched()
	lines := json.NewEncoder(w)
	err = fill.Run(ctx, fill.Job{
		Tables: tables, Share: fmt.Sprintf(" %d/%d", number, s.Of), Dial: d.Dial, Workers: 2 * runtime.NumCPU(), Verify: true,
		Progress: func(p fill.Progress) {
			if p.Step != "" {
				_ = lines.Encode(printed{Step: stepOf(p)}) // only a log
			}
		},
	})
	if err != nil {
		return fmt.Errorf("prepare part of tables: %w", err)
	}
	return nil
}

// shareOf are the tables that a generator makes. Those of a workload file may refer to each
// other, so one generator makes them all.
func shareOf(tables []workload.Table, s shared, number int) []workload.Table {
	var mine []workload.Table
	for i, t := range tables {
		owner := i % s.Of
		if s.File != nil {
			owner = 0
		}
		if owner == number {
			mine = append(mine, t)
		}
	}
	return mine
}

func stepOf(p fill.Progress) string {
	return fmt.Sprintf("%s: %s; %d of %d rows after %.1f s", p.Table, p.Step, p.Rows, p.Of, p.Elapsed.Seconds())
}
