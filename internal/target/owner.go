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

	"github.com/tarebench/tare/internal/fault"
	"github.com/tarebench/tare/internal/lock"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/remove"
)

// ownerFile stands in every instance directory and says whose it is. The tare
// that made the instance holds a lock on it (flock(2)) for as long as it needs
// the instance. The kernel drops the lock when the process ends, however it
// ends. A process number would not do: it means something else in another PID
// namespace, and another process later.
const ownerFile = "owner.json"

// unfinished begins the name of an instance directory that is being made.
const unfinished = ".new-"

// Note is what an instance directory says of itself, and what the objects of an
// arm in a cluster say of theirs.
type Note struct {
	// PID and StartTicks are the tare that made the instance (see [Process]).
	PID        int    `json:"pid"`
	StartTicks uint64 `json:"start_ticks"`
	// Namespace is the PID namespace in which that number holds.
	Namespace string `json:"pid_namespace,omitempty"`
	// Boot is the machine's boot id: start ticks count from the boot.
	Boot   string `json:"boot,omitempty"`
	Name   string `json:"name"`
	RunDir string `json:"run_dir"`
	// Run is the run directory the instance worked for.
	Run string `json:"run"`
}

// Owned is an instance of the present process.
type Owned struct {
	name, dir, runDir string
	note              *os.File // locked while it is open
}

// Own makes dir, the directory of an instance, and marks it as one of the present
// process. It appears under its name with its note and its lock, or not at all,
// so there is no moment at which a kill leaves an instance without
// an owner. It is to be called before anything of the instance is started. What [Instances]
// would refuse to list is refused here: what a kill leaves of it could not be removed.
func Own(name, dir, runDir, run string) (*Owned, error) {
	if err := checkInstance(name, dir, runDir); err != nil {
		return nil, record.MakeInstance.Wrap(err)
	}
	n, err := Self()
	if err != nil {
		return nil, record.MakeInstance.Wrap(err)
	}
	n.Name, n.RunDir, n.Run = name, runDir, run
	parent := filepath.Dir(dir)
	if err := os.MkdirAll(parent, 0o755); err != nil {
		return nil, record.MakeInstance.Wrap(err)
	}
	if err := checkInstances(parent); err != nil {
		return nil, record.MakeInstance.Wrap(err)
	}
	tmp := filepath.Join(parent, unfinished+name)
	if err := os.Mkdir(tmp, 0o755); err != nil {
		return nil, record.MakeInstance.Wrap(err)
	}
	fault.At("instance: directory made")
	o := &Owned{name: name, dir: dir, runDir: runDir}
	if o.note, err = lockedNote(tmp, n); err == nil {
		// rename(2) would take the place of an empty directory; one that holds
		// something is another's.
		fault.At("instance: note written")
		err = os.Rename(tmp, dir)
	}
	if err != nil {
		err = errors.Join(err, remove.Tree(parent, tmp), o.Close())
		return nil, record.MakeInstance.Wrap(err)
	}
	fault.At("instance: named")
	return o, nil
}

// lockedNote writes the note into a directory and returns it locked.
func lockedNote(dir string, n Note) (_ *os.File, err error) {
	b, err := json.Marshal(n)
	if err != nil {
		return nil, fmt.Errorf("encode owner: %w", err)
	}
	f, err := os.OpenFile(filepath.Join(dir, ownerFile), os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o644)
	if err != nil {
		return nil, fmt.Errorf("write owner: %w", err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, f.Close())
		}
	}()
	fault.At("instance: note made")
	// This waits only for one that looks whether it is locked.
	if err := lock.Wait(context.Background(), f, nil); err != nil {
		return nil, fmt.Errorf("lock %s: %w", f.Name(), err)
	}
	if _, err := f.Write(append(b, '\n')); err != nil {
		return nil, fmt.Errorf("write owner: %w", err)
	}
	if err := f.Sync(); err != nil { // the rename may otherwise survive a power cut that this does not
		return nil, fmt.Errorf("write owner: %w", err)
	}
	return f, nil
}

// Sweep ends and removes whatever is left of the instance (see [Sweep]), then
// gives up the lock. It can be repeated.
func (o *Owned) Sweep(ctx context.Context, log io.Writer) error {
	if err := sweep(ctx, o.name, o.dir, o.runDir, log); err != nil {
		return err
	}
	return o.Close()
}

// Close gives up the lock and leaves the instance as it is, to be swept later.
func (o *Owned) Close() error {
	if o.note == nil {
		return nil
	}
	err := o.note.Close()
	o.note = nil
	return err
}

// locked tells whether a process holds the instance, whatever PID namespace it is in.
func locked(dir string) (bool, error) {
	f, err := os.Open(filepath.Join(dir, ownerFile))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("open owner of instance: %w", err)
	}
	defer f.Close()
	err = lock.Free(f)
	if errors.Is(err, lock.ErrHeld) {
		return true, nil
	}
	if err != nil {
		return false, fmt.Errorf("look at the lock of %s: %w", f.Name(), err)
	}
	return false, nil
}

// Self is a note that names the present process and nothing else.
func Self() (Note, error) {
	start, err := startTicks(os.Getpid())
	if err != nil {
		return Note{}, err
	}
	return Note{PID: os.Getpid(), StartTicks: start, Namespace: pidNamespace(), Boot: bootID()}, nil
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

// Ended tells whether the tare of the note is known to run no more. Of one on
// another machine, in another PID namespace, or before this machine's last boot,
// nothing is known. It is for what no lock can be held on: objects of a cluster.
func (n Note) Ended() bool {
	if n.Boot == "" || n.Boot != bootID() || n.Namespace == "" || n.Namespace != pidNamespace() {
		return false
	}
	start, err := startTicks(n.PID)
	if err != nil {
		return errors.Is(err, errEnded) || noProcess(n.PID)
	}
	return start != n.StartTicks
}

// errEnded is a process that has ended and waits for its parent.
var errEnded = errors.New("the process has ended")

// Running tells whether the tare of the note is on this machine, in this PID namespace, has not
// ended as far as is known, and is not this process.
func (n Note) Running() bool {
	here := n.Boot != "" && n.Boot == bootID() && n.Namespace != "" && n.Namespace == pidNamespace()
	return here && n.PID != os.Getpid() && !n.Ended()
}
