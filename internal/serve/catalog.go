// The runs of the folder, summed up from the first part of their verdicts.

package serve

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/report"
	"github.com/tarebench/tare/internal/report/language"
)

// Summary is a run in the list. State is "finished", "unfinished", "failed" or
// "unreadable"; Fault says why of the last two.
type Summary struct {
	Name     string         `json:"name"`
	State    string         `json:"state"`
	Fault    string         `json:"fault,omitempty"`
	Changed  time.Time      `json:"changed"`
	Run      report.RunInfo `json:"run"`
	Headline []string       `json:"headline"`
	Verdicts []string       `json:"verdicts"`
	// Intervals are of the contrasts that have an effect.
	Intervals []Interval `json:"intervals"`
	// Answers is the headline's first sentence in every language, by tag.
	Answers map[string]string `json:"-"`
}

// Started is when the run began; when its files changed, where that is not known.
func (s *Summary) Started() time.Time {
	if s.Run.Started != nil {
		return *s.Run.Started
	}
	return s.Changed
}

// catalog remembers a run's summary until its files change.
type catalog struct {
	dir  string
	mu   sync.Mutex
	seen map[string]remembered
}

type remembered struct {
	stamp   stamp
	summary Summary
}

// stamp changes when a run's summary does.
type stamp struct {
	verdict, plan, trials time.Time
	size                  int64
}

func newCatalog(dir string) *catalog { return &catalog{dir: dir, seen: map[string]remembered{}} }

// runs are all runs, the latest first. A directory that is not a run is left out; one
// that cannot be read is in the list and says why.
func (c *catalog) runs() ([]Summary, error) {
	entries, err := os.ReadDir(c.dir)
	if err != nil {
		return nil, fmt.Errorf("list runs: %w", err)
	}
	found := make([]*Summary, len(entries))
	var wait sync.WaitGroup
	gate := make(chan struct{}, runtime.NumCPU())
	for i, e := range entries {
		if !e.IsDir() || strings.HasPrefix(e.Name(), ".") {
			continue
		}
		gate <- struct{}{}
		wait.Go(func() {
			defer func() { <-gate }()
			found[i] = c.run(e.Name())
		})
	}
	wait.Wait()
	var all []Summary
	keep := map[string]bool{}
	for _, s := range found {
		if s != nil {
			all = append(all, *s)
			keep[s.Name] = true
		}
	}
	c.forget(keep)
	slices.SortStableFunc(all, func(a, b Summary) int { return b.Started().Compare(a.Started()) })
	return all, nil
}

// forget drops what is not there any more.
func (c *catalog) forget(keep map[string]bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for name := range c.seen {
		if !keep[name] {
			delete(c.seen, name)
		}
	}
}

// run is the summary of one directory, nil where it is none of a run.
func (c *catalog) run(name string) *Summary {
	dir := filepath.Join(c.dir, name)
	now, isRun := stampOf(dir)
	if !isRun {
		return nil
	}
	c.mu.Lock()
	old, ok := c.seen[name]
	c.mu.Unlock()
	if ok && old.stamp == now {
		return &old.summary
	}
	s := summarize(dir, now)
	s.Name = name
	c.mu.Lock()
	c.seen[name] = remembered{now, s}
	c.mu.Unlock()
	return &s
}

// stampOf looks at the files that a summary comes from.
func stampOf(dir string) (now stamp, isRun bool) {
	if info, err := os.Stat(filepath.Join(dir, record.VerdictFile)); err == nil {
		now.verdict, now.size, isRun = info.ModTime(), info.Size(), true
	}
	for _, file := range []string{record.PlanFile, record.ImportFile, record.ExperimentFile, record.FailureFile} {
		if info, err := os.Stat(filepath.Join(dir, file)); err == nil {
			isRun = true
			if info.ModTime().After(now.plan) {
				now.plan = info.ModTime()
			}
		}
	}
	if info, err := os.Stat(filepath.Join(dir, record.TrialsDir)); err == nil {
		now.trials = info.ModTime()
	}
	return now, isRun
}

// summarize reads a verdict, or the record where a run has none yet, or has been
// carried on since. Times of files alone do not tell: copying a run mixes them up.
func summarize(dir string, now stamp) Summary {
	s := Summary{State: "finished", Changed: latest(now.verdict, now.plan, now.trials), Headline: []string{}, Verdicts: []string{}}
	verdict := filepath.Join(dir, record.VerdictFile)
	judged := !now.verdict.IsZero()
	_, imported := os.Stat(filepath.Join(dir, record.ImportFile))
	var err error
	switch {
	case judged && (imported == nil || !now.trials.After(now.verdict) && !now.plan.After(now.verdict)):
		err = s.readVerdict(verdict)
	case imported == nil:
		s.Run.Imported, s.Answers = true, map[string]string{}
		for _, lang := range language.Tags() {
			s.Answers[lang] = language.Say(lang, "runs.imported")
		}
		s.Headline = []string{s.Answers[language.Tags()[0]]}
	default:
		err = s.readRecord(dir)
		if err == nil && judged && s.Run.TrialsDone == s.Run.TrialsPlanned {
			s.State = "finished"
			s.Verdicts = s.Verdicts[:0]
			err = s.readVerdict(verdict)
		}
	}
	if err != nil {
		s.State, s.Fault = "unreadable", err.Error()
	}
	return s
}

func latest(times ...time.Time) time.Time {
	return slices.MaxFunc(times, time.Time.Compare)
}

// readVerdict reads the answer and the verdicts, which are at the start of the document:
// what follows, nearly all of it, is not read. In a document with another order of its
// fields it reads on until it has them.
func (s *Summary) readVerdict(path string) error {
	f, err := record.OpenFile(path)
	if err != nil {
		return fmt.Errorf("read verdict: %w", err)
	}
	defer f.Close()
	contrasts, err := s.decode(f, "run", "headline", "contrasts")
	if err != nil {
		return fmt.Errorf("read verdict: %w", unexpected(err))
	}
	for _, c := range contrasts {
		s.Verdicts = append(s.Verdicts, c.Verdict)
		if i, ok := interval(c); ok {
			s.Intervals = append(s.Intervals, i)
		}
	}
	if len(s.Headline) > 0 {
		s.Answers = report.Answers(s.Run, s.Headline[0], contrasts)
	}
	return nil
}

// decode reads a document until it has seen the fields that are named, in
// whatever order.
func (s *Summary) decode(r io.Reader, wanted ...string) (contrasts []report.Contrast, err error) {
	d := json.NewDecoder(r)
	if _, err := d.Token(); err != nil {
		return nil, err
	}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return nil, err
		}
		switch key {
		case "run":
			err = d.Decode(&s.Run)
		case "headline":
			err = d.Decode(&s.Headline)
		case "contrasts":
			contrasts, err = decodeContrasts(d)
		default:
			err = d.Decode(&json.RawMessage{})
		}
		if err != nil {
			return nil, err
		}
		wanted = slices.DeleteFunc(wanted, func(name string) bool { return name == key })
		if len(wanted) == 0 {
			return contrasts, nil
		}
	}
	return nil, fmt.Errorf("%s is not a result of tare", record.VerdictFile)
}

// decodeContrasts reads the first contrast whole, for its sentence, and of the others
// what a list shows.
func decodeContrasts(d *json.Decoder) (all []report.Contrast, err error) {
	open, err := d.Token()
	if err != nil || open == nil {
		return nil, err
	}
	if open != json.Delim('[') {
		return nil, errors.New("contrasts are not a list")
	}
	for d.More() {
		var c report.Contrast
		if len(all) == 0 {
			err = d.Decode(&c)
		} else {
			var shown struct {
				Verdict  string            `json:"verdict"`
				Arm      string            `json:"arm"`
				Threads  int               `json:"threads"`
				Baseline string            `json:"baseline"`
				Metric   string            `json:"metric"`
				Effect   report.Number     `json:"effect_percent"`
				Interval *[2]report.Number `json:"interval"`
			}
			err = d.Decode(&shown)
			c.Verdict, c.Arm, c.Threads = shown.Verdict, shown.Arm, shown.Threads
			c.Baseline, c.Metric = shown.Baseline, shown.Metric
			c.EffectPercent, c.Interval = shown.Effect, shown.Interval
		}
		if err != nil {
			return nil, err
		}
		all = append(all, c)
	}
	_, err = d.Token()
	return all, err
}

func unexpected(err error) error {
	if err == io.EOF { //nolint:errorlint // the decoder returns it bare
		return io.ErrUnexpectedEOF
	}
	return err
}

// readRecord sums up a run without a verdict from its plan and its trials.
func (s *Summary) readRecord(dir string) error {
	s.State = "unfinished"
	if failure, err := record.ReadFailure(dir); err != nil {
		return err
	} else if failure != nil && !failure.Resumed {
		s.State, s.Fault = "failed", failure.Reason
	}
	f, err := follow(dir)
	if err != nil {
		return err
	}
	state, err := f.next()
	if err != nil {
		return err
	}
	protocol := f.run.Experiment.Protocol
	started, _ := report.Span(f.run)
	s.Run = report.RunInfo{
		Name: state.Name, RoundsPlanned: state.RoundsPlanned, RoundsComplete: state.RoundsDone, TrialsPlanned: state.Planned, TrialsDone: state.Done, Workload: state.Workload,
		Started: started, MarginPercent: report.Number(100 * float64(protocol.Margin)),
		WarmupSeconds: report.Number(protocol.Warmup.Std().Seconds()), MeasureSeconds: report.Number(protocol.Measure.Std().Seconds()),
	}
	s.Verdicts = []string{"sealed"}
	s.Answers = report.Answers(s.Run, "", []report.Contrast{{Verdict: "sealed"}})
	s.Headline = []string{s.Answers[language.Tags()[0]]}
	return nil
}

// matches reports whether every word of a search is somewhere in the summary.
func (s *Summary) matches(query string) bool {
	parts := []string{s.Name, s.State, s.Fault, s.Run.Name, s.Run.Workload, s.Run.Engine, s.Run.PlanHash}
	parts = append(append(parts, s.Verdicts...), s.Headline...)
	for _, answer := range s.Answers {
		parts = append(parts, answer)
	}
	text := strings.ToLower(strings.Join(parts, "\n"))
	for _, word := range strings.Fields(strings.ToLower(query)) {
		if !strings.Contains(text, word) {
			return false
		}
	}
	return true
}
