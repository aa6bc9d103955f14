package runner

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"golang.org/x/sys/unix"
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
	s.Dir = abs
	return s, nil
}

// Images is where unpacked images are kept.
func (s State) Images() string { return filepath.Join(s.Dir, "images") }

// At is the state on a disk of the user's choice: data directories and
// instances lie there, because it is the disk that is measured. The state
// itself remembers the place, so that `tare clean` looks there too.
func (s State) At(directory string) (State, error) {
	if directory == "" {
		return s, nil
	}
	there := s
	there.Dir = filepath.Join(directory, "tare-state")
	sum := sha256.Sum256([]byte(there.Dir))
	note := filepath.Join(s.Dir, "elsewhere", hex.EncodeToString(sum[:6]))
	err := os.MkdirAll(filepath.Dir(note), 0o755)
	if err == nil {
		err = os.WriteFile(note, []byte(there.Dir), 0o644)
	}
	if err == nil {
		err = os.MkdirAll(there.Dir, 0o755)
	}
	if err != nil {
		return s, fmt.Errorf("use data directory: %w", err)
	}
	return there, nil
}

// All are this state and those on other disks.
func (s State) All() ([]State, error) {
	all := []State{s}
	notes, err := filepath.Glob(filepath.Join(s.Dir, "elsewhere", "*"))
	if err != nil {
		return nil, fmt.Errorf("list states: %w", err)
	}
	for _, note := range notes {
		dir, err := os.ReadFile(note)
		if err != nil {
			return nil, fmt.Errorf("list states: %w", err)
		}
		there := s
		there.Dir = string(dir)
		all = append(all, there)
	}
	return all, nil
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
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		return nil, errors.Join(fmt.Errorf("lock state: another tare is measuring on this machine (%s): %w", f.Name(), err), f.Close())
	}
	return func() { f.Close() }, nil
}
