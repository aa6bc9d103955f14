package loadgen

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/tarebench/tare/internal/environment"
	"github.com/tarebench/tare/internal/spawn"
	"github.com/tarebench/tare/internal/workload"
)

// readWritePct is a workload that sysbench does not come with: its script is written to
// where sysbench runs, and looks for scripts first.
const readWritePct = "oltp_read_write_pct"

//go:embed oltp_read_write_pct.lua
var readWritePctScript string

// scriptDir is a new directory below dir, or of the system where that is "", with that
// script, and how to remove it.
func scriptDir(dir string) (path string, drop func() error, err error) {
	if path, err = os.MkdirTemp(dir, "sysbench-script-"); err != nil {
		return "", nil, fmt.Errorf("write sysbench's script: %w", err)
	}
	file := filepath.Join(path, readWritePct+".lua")
	drop = func() error { return errors.Join(os.Remove(file), os.Remove(path)) }
	if err := os.WriteFile(file, []byte(readWritePctScript), 0o600); err != nil {
		return "", nil, fmt.Errorf("write sysbench's script: %w", errors.Join(err, drop()))
	}
	return path, drop, nil
}

// killAfter is how long sysbench may take to end after SIGTERM.
const killAfter = 3 * time.Second

// start runs sysbench in a process group of its own and waits for it. When ctx
// ends, the whole group gets SIGTERM, then SIGKILL; nothing of it outlives the
// call. When this process is killed, the kernel kills sysbench: no load goes on
// without a controller. Standard output and standard error go to out in the order they came.
func (s sysbench) start(ctx context.Context, j Job, args []string, out io.Writer) (err error) {
	program, err := exec.LookPath(s.program)
	if err != nil {
		return err
	}
	if program, err = filepath.Abs(program); err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir = workingDir(j.Workload)
	if j.Workload == readWritePct {
		var drop func() error
		if cmd.Dir, drop, err = scriptDir(j.Dir); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, drop()) }()
	}
	// A script of the user's may need modules of Lua's and a library that is loaded first. Where
	// sysbench gets the password from is its configuration (see [configText]).
	cmd.Env = append(append(environment.Passed("LUA_PATH", "LUA_CPATH", "LD_PRELOAD"), "LC_ALL=C"), j.Env...)
	cmd.Stdout, cmd.Stderr = out, out
	cmd.SysProcAttr = spawn.Group()
	cmd.Cancel = func() error { return spawn.Signal(cmd.Process.Pid, syscall.SIGTERM) }
	cmd.WaitDelay = killAfter
	// The kernel kills sysbench when the thread that started it ends
	// (PR_SET_PDEATHSIG(2const)), so this thread is held until sysbench has ended.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := j.inside(cmd.Start); err != nil {
		return err
	}
	err = cmd.Wait()
	// What a script started may have outlived it. No such group is the rule.
	_ = spawn.Signal(cmd.Process.Pid, syscall.SIGKILL)
	if errors.Is(err, exec.ErrWaitDelay) {
		return nil // such a child held the pipe open; sysbench itself ended well
	}
	return err
}

// workingDir is where sysbench looks for scripts first ("./?.lua", sb_lua.c). A
// script of the user's finds those beside it; sysbench's own must not be
// shadowed by a file that happens to lie where tare was started.
func workingDir(name string) string {
	if !workload.IsScript(name) {
		return "/"
	}
	return filepath.Dir(scriptOf(name))
}

// scriptOf is what sysbench is called with: a name, or an absolute path, because
// it runs in another directory than we do.
func scriptOf(name string) string {
	if !workload.IsScript(name) {
		return name
	}
	if path, err := filepath.Abs(name); err == nil {
		return path
	}
	return name
}

// tail keeps the end of what sysbench prints, for errors that have no other
// words.
type tail struct {
	mu   sync.Mutex
	last []byte
}

const tailBytes = 2000

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.last = append(t.last, p...)
	if over := len(t.last) - tailBytes; over > 0 {
		t.last = bytes.Clone(t.last[over:])
	}
	return len(p), nil
}

// why is the last line that says something, as a continuation of an error: a
// FATAL line if there is one, else whatever was printed last.
func (t *tail) why() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	why := ""
	for _, line := range strings.Split(strings.TrimSpace(string(t.last)), "\n") {
		line = strings.TrimSpace(line)
		switch {
		case line == "" || headerLine.MatchString(line):
		case mysqlError.MatchString(line):
			return ": " + line
		case !strings.Contains(why, "FATAL"):
			why = ": " + line
		}
	}
	return why
}
