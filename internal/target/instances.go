package target

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/prometheus/procfs"
)

// ownerFile stands in every instance directory and says whose it is.
const ownerFile = "owner.json"

// Note is what an instance directory says of itself.
type Note struct {
	// PID and StartTicks are the tare that made the instance (see [Process]).
	PID        int    `json:"pid"`
	StartTicks uint64 `json:"start_ticks"`
	// Boot is the machine's boot id: start ticks count from the boot.
	Boot   string `json:"boot,omitempty"`
	Name   string `json:"name"`
	RunDir string `json:"run_dir"`
	// Run is the run directory the instance worked for.
	Run string `json:"run"`
}

// Leftover is an instance found on disk.
type Leftover struct {
	Note
	// Dir is the instance directory.
	Dir string
	// Alive: its tare still runs, so it is in use.
	Alive bool
	// Err says why the note cannot be used, nil when it can. Such an instance
	// is swept without its run directory: the note is written before that is
	// made.
	Err  error
	made time.Time
}

// WriteOwner marks dir, which exists, as an instance of the present process. It
// is to be written before anything of the instance is started.
func WriteOwner(dir, name, runDir, run string) error {
	if err := checkInstance(name, dir, runDir); err != nil {
		return fmt.Errorf("write owner of instance: %w", err)
	}
	n, err := Self()
	if err != nil {
		return fmt.Errorf("write owner of instance: %w", err)
	}
	n.Name, n.RunDir, n.Run = name, runDir, run
	b, err := json.Marshal(n)
	if err != nil {
		return fmt.Errorf("encode owner of instance: %w", err)
	}
	// Renamed into place: a note is there whole or not at all.
	path := filepath.Join(dir, ownerFile)
	if err := os.WriteFile(path+".new", append(b, '\n'), 0o644); err != nil {
		return fmt.Errorf("write owner of instance: %w", err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		return fmt.Errorf("write owner of instance: %w", err)
	}
	return nil
}

// Self is a note that names the present process and nothing else.
func Self() (Note, error) {
	start, err := startTicks(os.Getpid())
	if err != nil {
		return Note{}, err
	}
	return Note{PID: os.Getpid(), StartTicks: start, Boot: bootID()}, nil
}

// Instances lists the instances in state/instances, those in use too. A state
// directory that does not exist has none.
func Instances(state string) ([]Leftover, error) {
	entries, err := os.ReadDir(filepath.Join(state, "instances"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list instances: %w", err)
	}
	var found []Leftover
	for _, e := range entries {
		if !e.IsDir() {
			continue
		}
		l := Leftover{Dir: filepath.Join(state, "instances", e.Name())}
		if info, err := e.Info(); err == nil {
			l.made = info.ModTime()
		}
		l.look()
		found = append(found, l)
	}
	return found, nil
}

// Sweep is the function [Sweep] for this instance. Force sweeps it though its
// tare still runs: that run then fails.
func (l Leftover) Sweep(ctx context.Context, force bool, log io.Writer) error {
	if l.Err != nil && !force {
		l = l.settle(ctx)
	}
	switch {
	case l.Alive && !force:
		return fmt.Errorf("sweep instance %s: its tare still runs (process %d)", l.Name, l.PID)
	case l.Err != nil:
		return sweep(ctx, filepath.Base(l.Dir), l.Dir, l.Dir, log)
	}
	return sweep(ctx, l.Name, l.Dir, l.RunDir, log)
}

// settled is how old an instance directory must be that has no note, so that no
// tare can be about to write it. It is the next thing one does after making it.
const settled = 2 * time.Second

// settle looks at an instance without a usable note again when it is settled.
func (l Leftover) settle(ctx context.Context) Leftover {
	select {
	case <-time.After(settled - min(settled, time.Since(l.made))):
	case <-ctx.Done():
	}
	l.look()
	return l
}

// look reads the note.
func (l *Leftover) look() {
	l.Note, l.Err = readOwner(l.Dir)
	if l.Err == nil {
		l.Err = l.plausible(filepath.Base(l.Dir))
	}
	l.Alive = l.Err == nil && l.alive()
}

// plausible refuses a note that would lead a sweep to the wrong place.
func (n Note) plausible(name string) error {
	if n.Name != name {
		return fmt.Errorf("its note is that of instance %q", n.Name)
	}
	for _, element := range strings.Split(n.RunDir, "/") {
		if element == name || strings.HasPrefix(element, "tare") {
			return checkInstance(name, n.RunDir)
		}
	}
	return fmt.Errorf("its note names a run directory that is not one of tare's: %q", n.RunDir)
}

func readOwner(dir string) (Note, error) {
	b, err := os.ReadFile(filepath.Join(dir, ownerFile))
	if err != nil {
		return Note{}, fmt.Errorf("read owner of instance: %w", err)
	}
	var n Note
	if err := json.Unmarshal(b, &n); err != nil {
		return Note{}, fmt.Errorf("read owner of instance %s: %w", dir, err)
	}
	return n, nil
}

// alive tells whether the tare of the note still runs.
func (n Note) alive() bool {
	if boot := bootID(); n.Boot != "" && boot != "" && n.Boot != boot {
		return false
	}
	start, err := startTicks(n.PID)
	return err == nil && start == n.StartTicks
}

// Ended tells whether the tare of the note is known to run no more. Of one on
// another machine, or before this machine's last boot, nothing is known.
func (n Note) Ended() bool {
	return n.Boot != "" && n.Boot == bootID() && !n.alive()
}

// startTicks is when a process started, in clock ticks since boot. A dead
// process that waits for its parent has ended: it is an error.
func startTicks(pid int) (uint64, error) {
	p, err := procfs.NewProc(pid)
	if err != nil {
		return 0, fmt.Errorf("find process %d: %w", pid, err)
	}
	stat, err := p.Stat()
	if err != nil {
		return 0, fmt.Errorf("read start of process %d: %w", pid, err)
	}
	if stat.State == "Z" || stat.State == "X" {
		return 0, fmt.Errorf("process %d has ended", pid)
	}
	return stat.Starttime, nil
}

// bootID is "" where the kernel does not tell.
func bootID() string {
	b, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	return string(b[:max(0, len(b)-1)])
}
