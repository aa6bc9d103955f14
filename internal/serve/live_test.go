package serve

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/interleave"
	"github.com/tarebench/tare/internal/record"
)

// growing is a recorded run that is written again, line by line.
type growing struct {
	t           *testing.T
	source, dir string
	trials      []string // names of the trials' directories, in order
}

func grow(t *testing.T) *growing {
	t.Helper()
	g := &growing{t: t, source: filepath.Join(recorded, "demo"), dir: filepath.Join(t.TempDir(), "growing")}
	for _, name := range []string{record.ExperimentFile, record.PlanFile} {
		b, err := os.ReadFile(filepath.Join(g.source, name))
		if err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(g.dir, name), string(b))
	}
	entries, err := os.ReadDir(filepath.Join(g.source, record.TrialsDir))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		g.trials = append(g.trials, e.Name())
	}
	return g
}

// trial writes the first lines of a trial, all when lines is negative; half writes
// a half line behind them.
func (g *growing) trial(number, lines int, half bool) {
	g.t.Helper()
	name := filepath.Join(record.TrialsDir, g.trials[number-1], record.StreamFile)
	b, err := os.ReadFile(filepath.Join(g.source, name))
	if err != nil {
		g.t.Fatal(err)
	}
	all := bytes.SplitAfter(b, []byte("\n"))
	if lines >= 0 && lines < len(all) {
		rest := all[lines]
		all = all[:lines]
		if half {
			all = append(all, rest[:len(rest)/2])
		}
	}
	write(g.t, filepath.Join(g.dir, name), string(bytes.Join(all, nil)))
}

func TestFollow(t *testing.T) {
	g := grow(t)
	f, err := follow(g.dir)
	if err != nil {
		t.Fatal(err)
	}
	next := func() *liveState {
		t.Helper()
		s, err := f.next()
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	if s := next(); s.Now != nil || s.Done != 0 || s.Planned != 18 || len(s.Grid) != 3 || len(s.Grid[0].Cells) != 6 {
		t.Errorf("before the first trial: %+v", s)
	}
	g.trial(1, 20, true)
	one := next()
	if one.Now == nil || one.Now.Number != 1 || one.Done != 0 {
		t.Fatalf("%+v", one)
	}
	g.trial(1, 45, false)
	two := next()
	if len(two.Now.TPS) <= len(one.Now.TPS) || two.Now.LatencyMS == 0 {
		t.Errorf("%d seconds, then %d", len(one.Now.TPS), len(two.Now.TPS))
	}
	g.trial(1, -1, false)
	g.trial(2, 40, false)
	three := next()
	if three.Done != 1 || three.Now.Number != 2 {
		t.Errorf("%+v", three)
	}
	// Nothing of an earlier trial is in the state: the result is sealed.
	b, err := json.Marshal(three)
	if err != nil {
		t.Fatal(err)
	}
	if len(three.Now.TPS) > 40 || strings.Count(string(b), `"tps"`) != 1 {
		t.Errorf("%s", b)
	}
	for n := range g.trials {
		g.trial(n+1, -1, false)
	}
	if s := next(); !s.Finished() || s.RoundsDone != 6 || s.Now != nil {
		t.Errorf("at the end: %+v", s)
	}
}

// TestFollowTurns: of arms that take turns the live page has the round and no rate: those of one arm
// beside another's would show the effect.
func TestFollowTurns(t *testing.T) {
	g := grow(t)
	f, err := follow(g.dir)
	if err != nil {
		t.Fatal(err)
	}
	f.run.Plan.Protocol = &experiment.Interleaving{Kind: experiment.KindSlices, Slices: &interleave.Slices{Slice: time.Second, Cycles: 20}}
	g.trial(1, 40, true)
	g.trial(2, 40, true)
	for range 2 {
		s, err := f.next()
		if err != nil {
			t.Fatal(err)
		}
		if s.Now == nil || s.Now.Arm != "" || s.Now.Round != 1 || len(s.Now.TPS) != 0 || s.Now.LatencyMS != 0 || s.Now.Errors != 0 || s.Now.Phase == "" {
			t.Fatalf("%+v", s.Now)
		}
		for _, row := range s.Grid {
			if row.Cells[0] != "now" {
				t.Errorf("%s: %v", row.Label, row.Cells)
			}
		}
	}
}

// stream reads events of a run until enough is true of one.
func stream(t *testing.T, url string, enough func(event, data string) bool) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if kind := res.Header.Get("Content-Type"); kind != "text/event-stream" {
		t.Fatal(kind)
	}
	lines := bufio.NewScanner(res.Body)
	lines.Buffer(nil, 1<<20)
	event := ""
	for lines.Scan() {
		if name, ok := strings.CutPrefix(lines.Text(), "event: "); ok {
			event = name
		}
		if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok && enough(event, data) {
			return
		}
	}
	t.Fatal("the stream ended before it said what was waited for")
}

// TestStream: a visitor who comes back is told the whole state; the end of the run
// and its disappearance are told.
func TestStream(t *testing.T) {
	g := grow(t)
	s := start(t, Options{Dir: filepath.Dir(g.dir)})
	url := s.URL + "/runs/growing/events"
	g.trial(1, 30, false)
	stream(t, url, func(event, data string) bool { return event == "state" && strings.Contains(data, `"number":1`) })
	g.trial(1, -1, false)
	stream(t, url, func(event, data string) bool {
		if strings.Contains(data, `"trials_done":1`) {
			g.trial(2, 30, false)
		}
		return event == "state" && strings.Contains(data, `"number":2`) && strings.Contains(data, `"trials_done":1`)
	})
	stream(t, url, func(event, data string) bool {
		for n := range g.trials {
			g.trial(n+1, -1, false)
		}
		return event == "finished"
	})
	if status, _, _ := get(t, s.URL+"/runs/growing/"); status != 200 {
		t.Errorf("the report of the finished run: %d", status)
	}
	g = grow(t)
	s = start(t, Options{Dir: filepath.Dir(g.dir)})
	stream(t, s.URL+"/runs/growing/events", func(event, data string) bool {
		if err := os.RemoveAll(g.dir); err != nil {
			t.Fatal(err)
		}
		return event == "gone"
	})
}
