package node

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"
)

// freezePatience bounds the wait for a frozen tree: a task that the kernel holds for
// the disk stops when it comes back from there.
const freezePatience = 5 * time.Millisecond

// ErrNotYetFrozen is why Freeze could not see everything stopped: it will be, but
// some of it ran on for longer than freezePatience.
var ErrNotYetFrozen = errors.New("some processes have not stopped yet")

// Freeze stops every process of the tree, its pods' neighbours included, by the
// cgroup freezer (Documentation/admin-guide/cgroup-v1/freezer-subsystem.rst,
// cgroup-v2.rst, cgroup.freeze). What is frozen uses no CPU, no period of a quota and
// no time of its own clock; what the kernel does for it, such as writing its dirty
// pages back, goes on.
func (t *Tree) Freeze() error {
	if err := t.setFrozen(true); err != nil {
		return err
	}
	for deadline := time.Now().Add(freezePatience); ; time.Sleep(100 * time.Microsecond) {
		frozen, err := t.frozen()
		if err != nil || frozen {
			return err
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("freeze %s: %w", t.top.path, ErrNotYetFrozen)
		}
	}
}

// Thaw lets the processes go on. A tree that is not there, or not frozen, is no error.
func (t *Tree) Thaw() error {
	err := t.setFrozen(false)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

func (t *Tree) setFrozen(frozen bool) error {
	name, words := "freezer.state", map[bool]string{true: "FROZEN", false: "THAWED"}
	if t.hierarchy.unified {
		name, words = "cgroup.freeze", map[bool]string{true: "1", false: "0"}
	}
	if err := os.WriteFile(t.hierarchy.file("freezer", t.top.path, name), []byte(words[frozen]), 0); err != nil {
		return fmt.Errorf("write %s of cgroup %s: %w", name, t.top.path, err)
	}
	return nil
}

// frozen says whether all has stopped: FROZEN in version 1, which says FREEZING before,
// and "frozen 1" among the events of version 2.
func (t *Tree) frozen() (bool, error) {
	name, word := "freezer.state", "FROZEN"
	if t.hierarchy.unified {
		name, word = "cgroup.events", "frozen 1"
	}
	b, err := os.ReadFile(t.hierarchy.file("freezer", t.top.path, name))
	if err != nil {
		return false, fmt.Errorf("read %s of cgroup %s: %w", name, t.top.path, err)
	}
	return strings.Contains(string(b), word), nil
}
