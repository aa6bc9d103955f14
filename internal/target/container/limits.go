package container

import (
	"context"
	"fmt"
	"math"
	"os/exec"
	"strconv"
	"strings"
	"time"

	specs "github.com/opencontainers/runtime-spec/specs-go"
	"github.com/prometheus/procfs"
	"golang.org/x/sys/unix"

	"github.com/tarebench/tare/internal/environment"
)

// permitted is the oom_score_adj that this process may give: without
// CAP_SYS_RESOURCE none below its own (proc_pid_oom_score_adj(5)). A container
// engine in a container does the same (containerd's restrict_oom_score_adj).
func permitted(wanted int) (int, error) {
	self, err := procfs.Self()
	if err != nil {
		return 0, fmt.Errorf("read own capabilities: %w", err)
	}
	status, err := self.NewStatus()
	if err != nil {
		return 0, fmt.Errorf("read own capabilities: %w", err)
	}
	if status.CapEff&(1<<unix.CAP_SYS_RESOURCE) != 0 {
		return wanted, nil
	}
	own, err := readOOMScoreAdj("self")
	return max(own, wanted), err
}

// openFiles is the limit of open files that a process started by this one gets.
// It is asked of such a process, because Go raises its own soft limit when a
// program starts, and puts the old one back only in the child
// (src/os/rlimit.go).
func openFiles() (specs.POSIXRlimit, error) {
	limit := specs.POSIXRlimit{Type: "RLIMIT_NOFILE"}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, "/bin/sh", "-c", "ulimit -Sn && ulimit -Hn")
	cmd.Env = environment.Passed()
	out, err := cmd.Output()
	if err != nil {
		return limit, fmt.Errorf("ask for the limit of open files: %w", err)
	}
	words := strings.Fields(string(out))
	if len(words) != 2 {
		return limit, fmt.Errorf("ask for the limit of open files: the shell says %q", out)
	}
	for i, into := range []*uint64{&limit.Soft, &limit.Hard} {
		if words[i] == "unlimited" {
			*into = math.MaxUint64
			continue
		}
		if *into, err = strconv.ParseUint(words[i], 10, 64); err != nil {
			return limit, fmt.Errorf("ask for the limit of open files: %w", err)
		}
	}
	return limit, nil
}
