package node

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Freeze stops every process of the tree, its pods' neighbours included, by the
// cgroup freezer (Documentation/admin-guide/cgroup-v1/freezer-subsystem.rst,
// cgroup-v2.rst, cgroup.freeze). What is frozen uses no CPU, no period of a quota and
// no time of its own clock; what the kernel does for it, such as writing its dirty
// pages back, goes on.
func (t *Tree) Freeze() error {
	err := t.freezer().freeze()
	if t.neighbour == nil || err != nil && !errors.Is(err, ErrNotYetFrozen) {
		return err
	}
	return errors.Join(err, t.neighbour.stay.hold(t.neighbour.pid)) // one that has not stopped stops on its CPU
}

// Thaw lets the processes go on, the neighbour's threads on the CPU where they were frozen. A tree that
// is not there, or not frozen, is no error.
func (t *Tree) Thaw() error {
	err := t.freezer().thaw()
	if t.neighbour == nil {
		return err
	}
	return errors.Join(err, t.neighbour.stay.release())
}

func (t *Tree) freezer() freezer {
	return freezer{dir: t.hierarchy.file("freezer", t.top.path, ""), unified: t.hierarchy.unified}
}

// freezer is a cgroup that can be frozen.
type freezer struct {
	dir     string
	unified bool
}

func (f freezer) freeze() error {
	if err := f.set(true); err != nil {
		return err
	}
	for deadline := time.Now().Add(FreezePatience); ; time.Sleep(100 * time.Microsecond) {
		frozen, err := f.frozen()
		if err != nil || frozen {
			return err
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("freeze %s: %w", f.dir, ErrNotYetFrozen)
		}
	}
}

func (f freezer) thaw() error {
	err := f.set(false)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

func (f freezer) set(frozen bool) error {
	name, words := "freezer.state", map[bool]string{true: "FROZEN", false: "THAWED"}
	if f.unified {
		name, words = "cgroup.freeze", map[bool]string{true: "1", false: "0"}
	}
	if err := os.WriteFile(filepath.Join(f.dir, name), []byte(words[frozen]), 0); err != nil {
		return fmt.Errorf("write %s of cgroup %s: %w", name, f.dir, err)
	}
	return nil
}

// frozen says whether all has stopped: FROZEN in version 1, which says FREEZING before,
// and "frozen 1" among the events of version 2.
func (f freezer) frozen() (bool, error) {
	name, word := "freezer.state", "FROZEN"
	if f.unified {
		name, word = "cgroup.events", "frozen 1"
	}
	b, err := os.ReadFile(filepath.Join(f.dir, name))
	if err != nil {
		return false, fmt.Errorf("read %s of cgroup %s: %w", name, f.dir, err)
	}
	return strings.Contains(string(b), word), nil
}
