package compare

import (
	"testing"

	"github.com/google/go-cmp/cmp"

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
	if d := cmp.Diff(want, loadErrors(res)); d != "" {
		t.Error(d)
	}
}
