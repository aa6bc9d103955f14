package process_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tarebench/tare/internal/mysqld"
	"github.com/tarebench/tare/internal/mysqld/mysqldtest"
	"github.com/tarebench/tare/internal/node"
	"github.com/tarebench/tare/internal/target"
	"github.com/tarebench/tare/internal/target/process"
	"github.com/tarebench/tare/internal/target/targettest"
)

// TestFrozen: a server that is frozen stands still and goes on afterwards; for every controller
// but the freezer it is in the cgroup that it was in; nothing of it is left.
func TestFrozen(t *testing.T) {
	needRoot(t)
	t.Parallel()
	d := mysqldtest.Distributions(t)[0]
	r := targettest.Requests(t, d)()
	server := started(t, noSettings, process.Env{Distribution: d}, r)
	defer server.Stop(context.Background())
	has := server.Capabilities()
	before := controllers(t, has.PID())
	for range 3 {
		for err := has.Freeze(); err != nil; err = has.Freeze() {
			if !errors.Is(err, node.ErrNotYetFrozen) {
				t.Fatal(err)
			}
		}
		for deadline := time.Now().Add(10 * time.Second); running(t, has.PID()) > 0; time.Sleep(time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatalf("%d threads of a frozen server run or sleep", running(t, has.PID()))
			}
		}
		if err := has.Thaw(); err != nil {
			t.Fatal(err)
		}
		db, err := mysqld.Open(server.Address())
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(db.Ping(), db.Close()); err != nil {
			t.Fatal(err)
		}
	}
	if after := controllers(t, has.PID()); after != before {
		t.Errorf("cgroups, but for the freezer:\n%s\nbefore it was frozen:\n%s", after, before)
	}
	if err := server.Stop(context.Background()); err != nil {
		t.Error(err)
	}
	if found, err := target.Scan(r.Name, r.Dir, r.RunDir); err != nil || found.Running() {
		t.Errorf("left behind (error %v):\n%s", err, found)
	}
}

// controllers are a process's cgroups without that of the freezer.
func controllers(t *testing.T, pid int) string {
	t.Helper()
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/cgroup", pid))
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for line := range strings.Lines(string(b)) {
		if !strings.Contains(line, ":freezer:") {
			all = append(all, line)
		}
	}
	return strings.Join(all, "")
}

// running is how many threads of a process are neither stopped (T) nor frozen (D).
func running(t *testing.T, pid int) (n int) {
	t.Helper()
	files, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", pid))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			continue // it has ended
		}
		_, rest, _ := strings.Cut(string(b), ") ")
		if !strings.HasPrefix(rest, "T") && !strings.HasPrefix(rest, "D") {
			n++
		}
	}
	return n
}
