package record

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/fault"
	"github.com/tarebench/tare/internal/remove"
)

// Names of the files of a run directory; docs/record.md is their contract.
const (
	ExperimentFile = "experiment.yaml"
	WorkloadFile   = "workload.yaml" // the text of the file that load.workload names
	ScriptFile     = "workload.lua"  // the text of the script that load.workload names
	PlanFile       = "plan.json"
	TrialsDir      = "trials"
	StreamFile     = "stream.jsonl"
	LogFile        = "log.txt"
	VerdictFile    = "verdict.json"
	ReportFile     = "report.html"
)

// Run is a run directory read back.
type Run struct {
	Dir        string
	Experiment *experiment.Experiment
	Plan       experiment.Plan
	// Trials are those that have a stream, in the order of the plan; one that was
	// cut off has Incomplete set.
	Trials []*Trial
	// Voids are the rounds that were set aside and run again.
	Voids []Void
	// Imported is set for a run that tare did not measure itself.
	Imported *Import
	// Looks are those at the results before the run's end. Unsealed shows the results of a
	// run that is not finished; Unseal sets both.
	Looks    []Look
	Unsealed bool
}

// TransactionsPerSecond is the unit of throughput of every run that tare measured.
const TransactionsPerSecond = "transactions/s"

// Unit is that of the run's throughput.
func (r *Run) Unit() string {
	if r.Imported == nil {
		return TransactionsPerSecond
	}
	return cmp.Or(r.Imported.Unit, TransactionsPerSecond)
}

// Create makes a run directory with the experiment and its plan, which is fixed
// before the first trial. It refuses a directory that already holds something.
func Create(dir string, e *experiment.Experiment, p experiment.Plan) error {
	return create(dir, func(dir string) error {
		if err := WriteFile(filepath.Join(dir, ExperimentFile), e.Source); err != nil {
			return err
		}
		if e.WorkloadFile != nil {
			if err := WriteFile(filepath.Join(dir, WorkloadFile), e.WorkloadFile.Text); err != nil {
				return err
			}
		}
		if e.Script != nil {
			if err := WriteFile(filepath.Join(dir, ScriptFile), e.Script.Text); err != nil {
				return err
			}
		}
		return SavePlan(dir, p)
	})
}

// create fills a directory beside dir and renames it into place, so that a run
// directory is there with its plan or not at all: a kill in between would leave
// one that can neither be resumed nor made again.
func create(dir string, fill func(dir string) error) (err error) {
	defer func() { err = atFault(err) }()
	if entries, err := os.ReadDir(dir); err == nil && len(entries) > 0 {
		return fmt.Errorf("create run: %w: %s", ErrNotEmpty, dir)
	}
	parent := filepath.Dir(dir)
	if err := makeDirs(parent); err != nil {
		return fmt.Errorf("create run: %w", err)
	}
	// The name is that of the run, so that what a killed attempt left is found by
	// the next one.
	tmp, err := filepath.Abs(filepath.Join(parent, ".tare-new-"+filepath.Base(dir)))
	if err == nil {
		err = remove.Tree(filepath.Dir(tmp), tmp)
	}
	if err == nil {
		err = os.Mkdir(tmp, 0o755)
	}
	if err != nil {
		return fmt.Errorf("create run: %w", err)
	}
	defer func() { err = errors.Join(err, remove.Tree(filepath.Dir(tmp), tmp)) }()
	if err := os.Mkdir(filepath.Join(tmp, TrialsDir), 0o755); err != nil {
		return fmt.Errorf("create run: %w", err)
	}
	if err := fill(tmp); err != nil {
		return err
	}
	fault.At("run directory filled")
	// rename(2) takes the place of an empty directory, and of no other.
	if err := errors.Join(os.Chmod(tmp, 0o755), os.Rename(tmp, dir), syncDir(parent)); err != nil {
		return fmt.Errorf("create run: %w", err)
	}
	fault.At("run directory made")
	return nil
}

// SavePlan replaces the plan of a run.
func SavePlan(dir string, p experiment.Plan) error {
	return writeJSON(filepath.Join(dir, PlanFile), p)
}

func writeJSON(path string, v any) error {
	b, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		return fmt.Errorf("encode %s: %w", filepath.Base(path), err)
	}
	return atFault(WriteFile(path, append(b, '\n')))
}

// TrialDir is where a trial's files are.
func TrialDir(dir string, t experiment.Trial) string {
	return filepath.Join(dir, TrialsDir, fmt.Sprintf("%03d-%s", t.Number, t.Arm))
}

// Error is an error of the record: its files cannot be read or written, or were changed.
type Error struct{ err error }

// Error is what is wrong.
func (e Error) Error() string { return e.err.Error() }

// Unwrap is what is wrong.
func (e Error) Unwrap() error { return e.err }

// ErrNoRun is a directory that holds no run, or is not there: the wrong one was named.
var ErrNoRun = errors.New("this is not a run directory")

// ErrNotEmpty is a directory for a new run that holds something.
var ErrNotEmpty = errors.New("the directory is not empty")

// atFault is an [Error], unless the directory itself is the wrong one.
func atFault(err error) error {
	if err == nil || errors.Is(err, ErrNoRun) || errors.Is(err, ErrNotEmpty) {
		return err
	}
	return Error{err}
}

// Open reads a run directory, whole or half-written. The error is an [Error], or
// ErrNoRun.
func Open(dir string) (*Run, error) {
	run, err := open(dir)
	return run, atFault(err)
}

func open(dir string) (*Run, error) {
	run := &Run{Dir: dir}
	planned, err := run.openPlan()
	if err != nil {
		return nil, err
	}
	trials, err := openTrials(dir, planned)
	if err != nil {
		return nil, err
	}
	for i, t := range planned {
		trial := trials[i]
		if trial == nil {
			continue
		}
		if err := trial.place(t); err != nil {
			return nil, err
		}
		run.Trials = append(run.Trials, trial)
	}
	if run.Voids, err = openVoids(dir, planned); err != nil {
		return nil, err
	}
	run.Looks, err = openLooks(dir)
	return run, err
}

// openTrials reads the streams on all CPUs: a day's probes are half a gigabyte. Nil
// stands for a trial that has none. Of several errors the first in the plan counts.
func openTrials(dir string, planned []experiment.Trial) ([]*Trial, error) {
	trials, errs := make([]*Trial, len(planned)), make([]error, len(planned))
	var next atomic.Int64
	var all sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		all.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(planned); i = int(next.Add(1)) - 1 {
				if trials[i], errs[i] = OpenTrial(TrialDir(dir, planned[i])); errors.Is(errs[i], fs.ErrNotExist) {
					errs[i] = nil
				}
			}
		})
	}
	all.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return trials, nil
}

// openPlan reads what was planned, or what was imported.
func (r *Run) openPlan() ([]experiment.Trial, error) {
	source, err := readFile(filepath.Join(r.Dir, ExperimentFile))
	if errors.Is(err, fs.ErrNotExist) {
		r.Imported = &Import{}
		if err := readJSON(filepath.Join(r.Dir, ImportFile), r.Imported); err != nil {
			if _, missing := os.Stat(r.Dir); errors.Is(missing, fs.ErrNotExist) {
				return nil, fmt.Errorf("open run: %w: %s does not exist", ErrNoRun, r.Dir)
			}
			if errors.Is(err, fs.ErrNotExist) {
				return nil, fmt.Errorf("open run: %w: %s holds neither %s nor %s", ErrNoRun, r.Dir, ExperimentFile, ImportFile)
			}
			return nil, err
		}
		return r.Imported.Trials, r.Imported.check(r.Dir)
	}
	if errors.Is(err, syscall.ENOTDIR) {
		return nil, fmt.Errorf("open run: %w: %s is a file, and a run directory is expected", ErrNoRun, r.Dir)
	}
	if err != nil {
		return nil, fmt.Errorf("open run: %w", err)
	}
	if r.Experiment, err = experiment.Parse(filepath.Join(r.Dir, ExperimentFile), source); err != nil {
		return nil, fmt.Errorf("open run: %w", err)
	}
	if experiment.IsWorkloadFile(r.Experiment.Load.Workload) {
		name := filepath.Join(r.Dir, WorkloadFile)
		text, err := readFile(name)
		if err != nil {
			return nil, fmt.Errorf("open run: %w", err)
		}
		r.Experiment.WorkloadFile = &experiment.Text{Name: name, Text: text}
	}
	if r.Experiment.Script, err = readScript(r.Dir); err != nil {
		return nil, fmt.Errorf("open run: %w", err)
	}
	if err := readJSON(filepath.Join(r.Dir, PlanFile), &r.Plan); err != nil {
		return nil, err
	}
	return r.Plan.Trials, r.Plan.Check(r.Experiment)
}

// readScript is the script of a run, nil for none: a run of an earlier version did not keep it.
func readScript(dir string) (*experiment.Text, error) {
	name := filepath.Join(dir, ScriptFile)
	text, err := readFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return &experiment.Text{Name: name, Text: text}, err
}

func readJSON(path string, into any) error {
	b, err := readFile(path)
	if err != nil {
		return fmt.Errorf("open run: %w", err)
	}
	if err := strictUnmarshal(b, into); err != nil {
		return fmt.Errorf("read %s: %w", path, err)
	}
	return nil
}

// OpenTrial reads the stream of one trial directory.
func OpenTrial(dir string) (*Trial, error) {
	f, err := OpenFile(filepath.Join(dir, StreamFile))
	if err != nil {
		return nil, fmt.Errorf("open trial: %w", err)
	}
	defer f.Close()
	t, err := Read(f)
	if err != nil {
		return nil, fmt.Errorf("open trial %s: %w", dir, err)
	}
	t.Dir = dir
	return t, nil
}

// Stream is a trial's stream being written to disk. What is written to it is in the file a
// little later (see [Behind]); Close waits for that.
type Stream struct {
	*Writer
	file   *os.File
	behind *Behind
}

// Held is for how long the run directory's device has not returned from a write of the
// stream, 0 while it has none.
func (s *Stream) Held() time.Duration { return s.behind.Held() }

// CreateStream starts the stream of a trial in its directory, which it makes.
// What an earlier, incomplete attempt left there is removed first.
func CreateStream(dir string, h Header) (*Stream, error) {
	if err := removeAttempt(dir); err != nil {
		return nil, fmt.Errorf("create stream: %w", err)
	}
	fault.At("trial directory removed")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("create stream: %w", err)
	}
	f, err := os.Create(filepath.Join(dir, StreamFile))
	if err != nil {
		return nil, fmt.Errorf("create stream: %w", err)
	}
	h.Started = h.Started.Truncate(time.Millisecond)
	fault.At("stream made")
	behind := NewBehind(f)
	w, err := NewWriter(behind, h)
	if err = errors.Join(err, behind.Flush()); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	fault.At("stream begun")
	return &Stream{Writer: w, file: f, behind: behind}, nil
}

// trialName is what a trial's directory is called (see [TrialDir]).
var trialName = regexp.MustCompile(`^[0-9]{3,}-[^/]+$`)

// removeAttempt removes what an earlier attempt at a trial left. Only the
// directory of a trial goes, whatever path is given.
func removeAttempt(dir string) error {
	if filepath.Base(filepath.Dir(dir)) != TrialsDir || !trialName.MatchString(filepath.Base(dir)) {
		return fmt.Errorf("%q is not the directory of a trial", dir)
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	return remove.Tree(filepath.Dir(filepath.Dir(abs)), abs)
}

// Close ends the stream and syncs it to disk: from here on the trial counts.
func (s *Stream) Close(e End) error {
	fault.At("stream before its end")
	err := errors.Join(s.End(e), s.behind.Flush())
	fault.At("stream ended")
	err = errors.Join(err, s.file.Sync(), s.file.Close())
	if err == nil { // the file's name is in the trial's directory, and that one's in another
		dir := filepath.Dir(s.file.Name())
		err = errors.Join(syncDir(dir), syncDir(filepath.Dir(dir)))
	}
	fault.At("stream synced")
	if err != nil {
		return fmt.Errorf("close stream: %w", err)
	}
	return nil
}

// Abort closes the file without an end: the trial will be done again.
func (s *Stream) Abort() error { return errors.Join(s.behind.Flush(), s.file.Close()) }
