package runner

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/tarebench/tare/internal/keys"

	"github.com/tarebench/tare/internal/probe"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/target"
)

// unready writes down what can be known of a server that did not answer: its facts, and
// what its cgroup has counted in the time that it had.
func (t *trial) unready(ctx context.Context, asked time.Time) error {
	if pid := target.PIDOf(t.server); pid != 0 {
		seconds := strconv.FormatFloat(time.Since(asked).Seconds(), 'f', 3, 64)
		facts := probe.OnceOfCgroup(ctx, probe.Place{Root: os.DirFS("/"), PID: pid, DataDir: t.dataDir(pid)})
		if err := t.keep(append(facts, record.Fact{Key: keys.UnreadyPrefix + "seconds", Value: seconds, Source: "tare"}), "end"); err != nil {
			return err
		}
	}
	return t.facts(ctx, "end")
}

// dataDir is where the server has its data, as itself sees it: it cannot be asked.
func (t *trial) dataDir(pid int) string {
	if _, err := os.Stat(filepath.Join("/proc", strconv.Itoa(pid), "root", target.InsideData)); err == nil {
		return target.InsideData
	}
	return t.instance.Data
}
