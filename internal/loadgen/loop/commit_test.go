package loop_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/tarebench/tare/internal/loadgen/loop"
	"github.com/tarebench/tare/internal/loadgen/wire"
)

// slowCommits: where the server holds commits up now and then, the slowest
// transactions spend their time in COMMIT. It does by binlog_group_commit_sync_delay,
// which the server adds to every commit that begins while it is set.
func slowCommits(t *testing.T, b *bench) {
	if !b.mysql {
		t.Skip("MariaDB has no such variable")
	}
	o := small(2, 10000, 4)
	o.Rand.Type = "uniform" // so that hardly anyone waits for the rows of a commit that is held
	b.prepare(t, o)
	root := b.root(t)
	const attempts = 5 // on a busy machine other transactions may take as long
	var said string
	for range attempts {
		j := b.job(t, "oltp_write_only", o)
		j.Events, j.Interval = 1800, 100*time.Millisecond
		ctx, cancel := context.WithCancel(t.Context())
		held := make(chan error, 1)
		go func() { held <- holdCommits(ctx, root, 500*time.Millisecond) }()
		s := run(t, j).Window.Slowest
		cancel()
		if err := <-held; err != nil {
			t.Fatal(err)
		}
		commit := slices.Index(loop.Places(j.Program), "commit")
		all, slow := shareOf(commit, s.AllNS), shareOf(commit, s.SlowNS)
		said = fmt.Sprintf("%d of %d transactions are slow; commit is %.2f of their time, %.2f of an average one's", s.Slow, s.All, slow, all)
		if t.Log(said); s.Slow > 0 && slow > 0.5 && slow > all {
			return
		}
	}
	t.Error(said)
}

func shareOf(place int, ns []int64) float64 {
	sum := 0.0
	for _, n := range ns {
		sum += float64(n)
	}
	return float64(ns[place]) / max(sum, 1)
}

// holdCommits makes commits take so long, for a moment three times a second, until ctx
// ends.
func holdCommits(ctx context.Context, root *wire.Session, long time.Duration) error {
	delay := func(d time.Duration) error {
		return root.Exec(context.Background(), fmt.Sprintf("SET GLOBAL binlog_group_commit_sync_delay = %d", d.Microseconds()))
	}
	for ctx.Err() == nil {
		if err := delay(long); err != nil {
			return err
		}
		time.Sleep(5 * time.Millisecond)
		if err := delay(0); err != nil {
			return err
		}
		time.Sleep(300 * time.Millisecond)
	}
	return nil
}
