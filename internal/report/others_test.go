package report_test

// This file tests what the first screen says of a run on a busy machine.

import (
	"bytes"
	"strings"
	"testing"

	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/report"
	"github.com/tarebench/tare/internal/report/text"
)

// TestFirstScreenOnABusyMachine: where others took the CPUs of the load generator too, the first verdict is the busy
// machine, and not that the generator needs a machine of its own.
func TestFirstScreenOnABusyMachine(t *testing.T) {
	run, err := record.Open("testdata/runs/busy")
	if err != nil {
		t.Fatal(err)
	}
	for _, trial := range run.Trials {
		if trial.Header.Arm == "bare" && trial.Header.Round == 2 {
			for key, value := range map[string]string{"load.invalid": "a loop of the generator was busy for 97 % of the window", "load.invalid_code": "busy", "load.busiest_loop": "0.97"} {
				trial.Facts = append(trial.Facts, record.Fact{Key: key, Value: value, Phase: "end"})
			}
		}
	}
	doc, err := report.Build(run, "test")
	if err != nil {
		t.Fatal(err)
	}
	for language, want := range map[string]string{
		"en": "NO VERDICT  Busy machine: other processes and other virtual machines used 73 % of the CPU time (the limit is 10 %). besteffort was compared with bare; the load generator could not keep up in 1 of 6 trials of bare",
		"zh": "不作结论 机器繁忙：其他进程和其他虚拟机占用了机器 73% 的 CPU 时间（上限为 10%）。besteffort 与 bare 比较；bare 的 6 次试验中有 1 次负载生成器跟不上",
	} {
		said, err := doc.In(language)
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		if err := text.Write(&out, said, text.Options{Width: 2000, Unicode: true}); err != nil {
			t.Fatal(err)
		}
		space := " "
		if language == "zh" {
			space = "" // lines are broken between characters
		}
		unwrapped := func(s string) string { return strings.Join(strings.Fields(s), space) }
		if got := unwrapped(out.String()); !strings.Contains(got, unwrapped(want)) || strings.Contains(got, "INVALID") || strings.Contains(got, "own machine") {
			t.Errorf("%s:\n%s", language, got)
		}
		for _, once := range []string{"No verdict", "不作结论：机器", unwrapped("the limit is 10 %"), unwrapped("上限为 10%")} {
			if n := strings.Count(out.String(), once); n > 1 || n == 1 && strings.Contains(once, "erdict") {
				t.Errorf("%s: %q is said %d times:\n%s", language, once, n, out.String())
			}
		}
	}
}
