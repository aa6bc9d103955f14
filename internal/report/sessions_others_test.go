package report_test

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tarebench/tare/internal/compare"
	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/keys"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/report"
	"github.com/tarebench/tare/internal/report/markdown"
	"github.com/tarebench/tare/internal/report/text"
)

// besideLoad is a run of testdata in which others used a share of the machine, which its file allows; 0 is one that was not
// watched.
func besideLoad(t *testing.T, name string, share float64) *record.Run {
	t.Helper()
	r, err := record.Open(filepath.Join("testdata", "runs", name))
	if err != nil {
		t.Fatal(err)
	}
	allowed := experiment.Percent(0.99)
	r.Experiment.Protocol.OthersCPU = &allowed
	for _, trial := range r.Trials {
		trial.Samples = nil
		trial.Facts = slices.DeleteFunc(trial.Facts, func(f record.Fact) bool { return strings.HasPrefix(f.Key, "gate.") })
		for key, used := range map[string]float64{keys.GateMachineS: 100, keys.GateForeignS: 100 * share, keys.GateStealS: 0} {
			if share > 0 {
				trial.Facts = append(trial.Facts, record.Fact{Key: key, Value: "0", Phase: "start"}, record.Fact{Key: key, Value: fmt.Sprint(used), Phase: "end"})
			}
		}
	}
	return r
}

// TestSessionsBesideOthers: what others used in two runs stands before the verdicts. What the runs allow for their arms
// does not decide the comparison of the runs; --others-cpu of the comparison does.
func TestSessionsBesideOthers(t *testing.T) {
	gate, err := compare.ParseGate("throughput<-3%")
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		before, after, most float64
		verdict             string
		first               string // what is said before the verdicts
		failed              bool
	}{
		"both busy":    {0.43, 0.50, 0, "inconclusive", "used 43 % of the CPU time in the earlier run and 50 % of the CPU time in the later run. That load can make a difference between the runs, so there is no verdict", false},
		"one busy":     {0.02, 0.50, 0, "inconclusive", "used 2 % of the CPU time in the earlier run and 50 %", false},
		"allowed":      {0.43, 0.50, 0.99, "costs", "50 % of the CPU time in the later run. The limit that --others-cpu sets allows it: no verdict is taken back", true},
		"below a 45 %": {0.43, 0.50, 0.45, "inconclusive", "can make a difference between the runs, so there is no verdict", false},
		"not watched":  {0, 0.01, 0, "costs", "used an unknown share of the CPU time of the servers' machine in the earlier run and 1 % of the CPU time in the later run. Such a load can make a difference", true},
		"quiet":        {0.01, 0.01, 0, "costs", "", true},
	} {
		s, err := report.BuildSessions(besideLoad(t, "demo", c.before), besideLoad(t, "layers", c.after), report.SessionsAsked{Gates: []compare.Gate{gate}, MostOthers: c.most}, "test")
		if err != nil {
			t.Fatal(err)
		}
		if got := s.Contrasts[0].Verdict; got != c.verdict || (len(s.Failed()) > 0) != c.failed || s.Gates[0].Open() == c.failed {
			t.Errorf("%s: %s, %+v", name, got, s.Gates)
		}
		var plain, comment bytes.Buffer
		if err := text.Sessions(&plain, s, text.Options{Width: 80, Unicode: true}); err != nil {
			t.Fatal(err)
		}
		if err := markdown.Sessions(&comment, s); err != nil {
			t.Fatal(err)
		}
		for format, out := range map[string]string{"text": plain.String(), "md": comment.String(), "html": string(sessionsPageOfTest(t, s))} {
			said := strings.Join(strings.Fields(strings.NewReplacer("&#39;", "'", "<code>", "", "</code>", "").Replace(out)), " ")
			top, _, _ := strings.Cut(said, map[string]string{"text": "bare at 8 threads", "md": "| ---", "html": "class=\"answer"}[format])
			if c.first == "" && strings.Contains(top, "Other processes") || !strings.Contains(strings.ReplaceAll(top, "**", ""), c.first) {
				t.Errorf("%s, %s: %q is not before the verdicts:\n%s", name, format, c.first, top)
			}
			if c.first == "" && !strings.Contains(said, "used 1 % of the CPU time in the earlier run") {
				t.Errorf("%s, %s: no figure of others:\n%s", name, format, said)
			}
		}
	}
}
