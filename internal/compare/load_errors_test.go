package compare

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/tarebench/tare/internal/record"
)

// TestLoadErrors: statements that failed are a warning with their codes, where they are more than a
// few; transactions that were rolled back for others are one where they are many.
func TestLoadErrors(t *testing.T) {
	trial := func(transactions int64, facts ...record.Fact) *record.Trial {
		return &record.Trial{End: &record.End{Outcome: record.Measured}, Facts: facts,
			Window: &record.Window{Seconds: 10, Counts: record.Counts{Transactions: transactions}}}
	}
	failed := func(code, n string) record.Fact {
		return record.Fact{Key: "load.errors." + code, Value: n, Phase: "end"}
	}
	variable := func(value string) record.Fact {
		return record.Fact{Key: "mysql.variable.innodb_snapshot_isolation", Value: value}
	}
	res := &Result{Arms: []Arm{
		{Name: "whole", Trials: []*record.Trial{trial(5000, failed("1213", "700"), failed("1205", "9")), trial(5000)}},
		{Name: "snapshots", Trials: []*record.Trial{trial(5000, failed("1020", "700"), variable("ON")), trial(5000, variable("ON"))}},
		{Name: "other", Trials: []*record.Trial{trial(5000, failed("1213", "700"), variable("ON"))}},
		{Name: "off", Trials: []*record.Trial{trial(5000, failed("1020", "700"), variable("OFF"))}},
		{Name: "few", Trials: []*record.Trial{trial(1000000, failed("1053", "8"))}},
		{Name: "broken", Trials: []*record.Trial{trial(1000, failed("1146", "2500"), failed("1213", "3")), trial(1000, failed("1146", "500"))}},
	}}
	want := []Reason{
		reason("load-rolled-back").part("arm", armName(res.Arms[0], res)).num("n", 709).num("share", 100*709.0/10709).name("codes", "1205 (9)", "1213 (700)"),
		reason("load-rolled-back-snapshot").part("arm", armName(res.Arms[1], res)).num("n", 700).num("share", 100*700.0/10700).name("codes", "1020 (700)"),
		reason("load-rolled-back").part("arm", armName(res.Arms[2], res)).num("n", 700).num("share", 100*700.0/5700).name("codes", "1213 (700)"),
		reason("load-rolled-back").part("arm", armName(res.Arms[3], res)).num("n", 700).num("share", 100*700.0/5700).name("codes", "1020 (700)"),
		reason("load-errors").part("arm", armName(res.Arms[5], res)).num("n", 3000).num("share", 60).name("codes", "1146 (3000)"),
	}
	if d := cmp.Diff(want, loadErrors(res, 0)); d != "" {
		t.Error(d)
	}
}

// TestLoadErrorsOfEvents: what fails while the experiment's own event takes place is no reason against an arm; what
// fails at other times is one, also in an arm with events.
func TestLoadErrorsOfEvents(t *testing.T) {
	arm := func(beside int64) Arm {
		trial := withEvent(1, "killed", 500, outage{exited: 0.5, made: 3, served: 3.5})
		line := trial.Window.Timeline
		for i := range 100 { // the attempts of 2 s from the kill
			line.Failed[int(7/line.Step)+i] += 5
		}
		line.Failed[int(15/line.Step)] += beside // 8 s after the kill, 4.5 s after it is served again
		trial.Window.Seconds, trial.Window.Counts = 20, record.Counts{Transactions: 10000}
		trial.Facts = append(trial.Facts, record.Fact{Key: "load.errors.2013", Value: "503", Phase: "end"})
		return Arm{Name: "killed", Trials: []*record.Trial{trial}}
	}
	if d := cmp.Diff([]Reason(nil), loadErrors(&Result{Arms: []Arm{arm(0)}}, 2)); d != "" {
		t.Error(d)
	}
	deadlocks := arm(200)
	deadlocks.Trials[0].Facts = append(deadlocks.Trials[0].Facts, record.Fact{Key: "load.errors.1213", Value: "200", Phase: "end"})
	if got := loadErrors(&Result{Arms: []Arm{deadlocks}}, 2); len(got) != 1 || got[0].Code != "load-rolled-back" {
		t.Errorf("of deadlocks: %+v", got)
	}
	res := &Result{Arms: []Arm{arm(200)}}
	want := []Reason{reason("load-errors-beside").part("arm", armName(res.Arms[0], res)).num("n", 200).num("share", 100*200.0/10200).name("codes", "2013 (503)")}
	if d := cmp.Diff(want, loadErrors(res, 2), cmpopts.EquateApprox(0, 1e-6)); d != "" {
		t.Error(d)
	}
}
