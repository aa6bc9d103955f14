package runner

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/tarebench/tare/internal/lock"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/remove"
	"github.com/tarebench/tare/internal/target"
)

// State is where tare keeps what outlives a command: prepared data, unpacked
// images, and the instances of a run under way.
type State struct {
	// Dir holds instances/, data/ and images/.
	Dir string
	// RunDir holds the directories with sockets. It is short: the path of a Unix
	// socket has at most 107 bytes (unix(7)).
	RunDir string
}

// runDirs are the directories that can hold the run directory of an instance. For another
// user than root they are those with and without XDG_RUNTIME_DIR, which a login session has
// and a cron job has not.
func (s State) runDirs() []string {
	if os.Geteuid() == 0 {
		return []string{s.RunDir}
	}
	uid := strconv.Itoa(os.Geteuid())
	return []string{s.RunDir, filepath.Join(os.TempDir(), "tare-"+uid), filepath.Join("/run/user", uid, "tare")}
}

// Instances are those of this state, without those of states on other disks.
func (s State) Instances() ([]target.Leftover, error) {
	return target.Instances(s.Dir, s.runDirs()...)
}

// DefaultState is below /var/lib and /run for root, and below the user's own
// directories otherwise; dir overrides the first.
func DefaultState(dir string) (State, error) {
	s := State{Dir: dir, RunDir: "/run/tare"}
	if os.Geteuid() != 0 {
		s.RunDir = filepath.Join(os.TempDir(), "tare-"+strconv.Itoa(os.Geteuid()))
		if run := os.Getenv("XDG_RUNTIME_DIR"); run != "" {
			s.RunDir = filepath.Join(run, "tare")
		}
	}
	if s.Dir == "" {
		s.Dir = "/var/lib/tare"
		if os.Geteuid() != 0 {
			home, err := os.UserHomeDir()
			if err != nil {
				return s, fmt.Errorf("find state directory: %w", err)
			}
			s.Dir = filepath.Join(home, ".local", "state", "tare")
			if xdg := os.Getenv("XDG_STATE_HOME"); xdg != "" {
				s.Dir = filepath.Join(xdg, "tare")
			}
		}
	}
	abs, err := filepath.Abs(s.Dir)
	if err != nil {
		return s, fmt.Errorf("find state directory: %w", err)
	}
	s.Dir = resolved(abs)
	return s, nil
}

// resolved is an absolute path without symbolic links, as far as it exists: runc refuses a root file system below
// one ("not an absolute path, or a symlink"), and /var/lib/tare may be a link to a larger disk.
func resolved(path string) string {
	for dir := path; ; dir = filepath.Dir(dir) {
		if real, err := filepath.EvalSymlinks(dir); err == nil {
			return filepath.Join(real, strings.TrimPrefix(path, dir))
		}
		if dir == filepath.Dir(dir) {
			return path
		}
	}
}

// dataDir is where prepared data are kept, below the state.
const dataDir = "data"

// Images is where unpacked images are kept.
func (s State) Images() string { return filepath.Join(s.Dir, "images") }

// Ledger is where notes are kept about what tare made on servers that others run.
func (s State) Ledger() string { return filepath.Join(s.Dir, "external") }

// At is the state on a disk of the user's choice: data directories and
// instances lie there, because it is the disk that is measured. The state
// itself remembers the place, so that `tare clean` looks there too. A state there that
// another user made, or can write to, is refused: what it says is followed by root.
func (s State) At(directory string) (State, error) {
	if directory == "" {
		return s, nil
	}
	directory, err := filepath.Abs(directory)
	if err != nil {
		return s, fmt.Errorf("use data directory: %w", err)
	}
	there := s
	there.Dir = filepath.Join(directory, elsewhereDir)
	if err := ownIfThere(there.Dir); err != nil { // before it is noted, as the note would be refused
		return s, fmt.Errorf("use data directory: %w", err)
	}
	note := filepath.Join(s.Dir, "elsewhere", noteOf(there.Dir))
	err = os.MkdirAll(filepath.Dir(note), 0o755)
	if err == nil {
		// Whole or not at all: on a full disk a plain write leaves an empty note.
		err = record.WriteFile(note, []byte(there.Dir))
	}
	if err == nil {
		err = os.MkdirAll(there.Dir, 0o755)
	}
	if err == nil {
		err = target.CheckOwn(there.Dir)
	}
	if err != nil {
		return s, fmt.Errorf("use data directory: %w", err)
	}
	return there, nil
}

// ownIfThere is the function [target.CheckOwn] for a directory that need not exist.
func ownIfThere(dir string) error {
	if err := target.CheckOwn(dir); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// elsewhereDir is the state's name on a disk of the user's choice.
const elsewhereDir = "tare-state"

// noteOf names the note about a state elsewhere. It is a checksum of the note's
// content, so a note that was cut off or changed is known as such.
func noteOf(dir string) string {
	sum := sha256.Sum256([]byte(dir))
	return hex.EncodeToString(sum[:6])
}

// ErrNote is a note about a state elsewhere that names no such state.
var ErrNote = errors.New("the note names no state directory of tare's")

// All are this state and those on other disks. The error lists the notes that
// cannot be followed, each with its file: an [ErrNote], or one whose state is another user's.
// The states are all others.
func (s State) All() ([]State, error) {
	all := []State{s}
	notes, err := os.ReadDir(filepath.Join(s.Dir, "elsewhere"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return all, fmt.Errorf("list states: %w", err)
	}
	var errs []error
	for _, note := range notes {
		if strings.HasPrefix(note.Name(), ".") {
			continue // one that was being written when its tare was killed
		}
		there, err := s.follow(filepath.Join(s.Dir, "elsewhere", note.Name()))
		if err != nil {
			errs = append(errs, err)
			continue
		}
		all = append(all, there)
	}
	return all, errors.Join(errs...)
}

// follow is the state that a note names. What [State.At] cannot have written is
// refused, and so is a directory that it cannot have made: directories below it are going to
// be removed. One that does not exist holds nothing: its disk may not be mounted.
func (s State) follow(note string) (State, error) {
	b, err := os.ReadFile(note)
	if err != nil {
		return s, fmt.Errorf("list states: %w", err)
	}
	dir := string(b)
	if filepath.Base(note) != noteOf(dir) || !filepath.IsAbs(dir) || filepath.Clean(dir) != dir || filepath.Base(dir) != elsewhereDir {
		return s, fmt.Errorf("list states: read %s: %w; remove this file", note, ErrNote)
	}
	if err := ownIfThere(dir); err != nil {
		return s, fmt.Errorf("list states: follow %s: %w", note, err)
	}
	s.Dir = dir
	return s, nil
}

// Cache is a directory of what tare can make again, and the size of its files.
type Cache struct {
	Dir   string
	Bytes int64
}

// RemoveCaches removes what tare can make again: prepared data and unpacked
// images. A run under way needs them, so the lock is taken. It returns what was there.
func (s State) RemoveCaches() (removed []Cache, err error) {
	unlock, err := s.Lock()
	if err != nil {
		return nil, err
	}
	defer unlock()
	return s.caches(func(root, dir string) error { return remove.Tree(root, dir) })
}

// Caches are what RemoveCaches would remove. A run under way may add to them.
func (s State) Caches() ([]Cache, error) {
	return s.caches(func(_, _ string) error { return nil })
}

// caches are the directories that are there, after each was given to a function with the directory that it lies in.
func (s State) caches(each func(root, dir string) error) (all []Cache, err error) {
	states, err := s.All()
	errs := []error{err}
	take := func(root, dir string) {
		size, there, err := sizeOf(dir)
		if err == nil {
			err = each(root, dir)
		}
		if err == nil && there {
			all = append(all, Cache{dir, size})
		}
		errs = append(errs, err)
	}
	for i, there := range states {
		root := there.Dir // which may be reached through links: the user named it
		if i > 0 {
			root = filepath.Dir(there.Dir) // tare made the directory itself
		}
		take(root, filepath.Join(there.Dir, dataDir))
	}
	take(s.Dir, s.Images())
	return all, errors.Join(errs...)
}

// sizeOf adds up the files below a directory, and says whether the directory is there.
func sizeOf(dir string) (bytes int64, there bool, err error) {
	err = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		there = true
		if info, err := d.Info(); err != nil {
			return err
		} else if info.Mode().IsRegular() {
			bytes += info.Size()
		}
		return nil
	})
	if errors.Is(err, fs.ErrNotExist) {
		return bytes, there, nil
	}
	if err != nil {
		err = fmt.Errorf("add up %s: %w", dir, err)
	}
	return bytes, there, err
}

// Lock lets one run at a time measure with this state: two would measure each
// other. The kernel drops it when the process ends, however it ends.
func (s State) Lock() (unlock func(), err error) {
	if err := os.MkdirAll(s.Dir, 0o755); err != nil {
		return nil, fmt.Errorf("lock state: %w", err)
	}
	f, err := os.OpenFile(filepath.Join(s.Dir, "lock"), os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, fmt.Errorf("lock state: %w", err)
	}
	if err := lock.Try(f); err != nil {
		return nil, errors.Join(fmt.Errorf("lock state: another tare is measuring on this machine (%s): %w%s; wait for it, or, if neither of the two has a server or the load here, give this run a directory of its own with --state DIR", f.Name(), err, holderOf(f.Name())), f.Close())
	}
	if err := nameHolder(f); err != nil {
		return nil, errors.Join(fmt.Errorf("lock state: %w", err), f.Close())
	}
	return func() { f.Close() }, nil
}
