package text

import (
	"bytes"
	"strings"
	"testing"

	"github.com/tarebench/tare/internal/compare"
	"github.com/tarebench/tare/internal/report"
)

// TestTextOfRunningServers: of two servers that ran already, the text does not say that their settings are declared. It
// names those that decide most with both values, and where all are.
func TestTextOfRunningServers(t *testing.T) {
	doc := &report.Document{Arms: []report.Arm{
		{Name: "old", Baseline: true, Target: "external", Threads: 8, Servers: []string{"MariaDB 10.11.19"}},
		{Name: "new", Target: "external", Threads: 8, Servers: []string{"MariaDB 11.8.3"}},
	}}
	for _, key := range []string{"mysql.variable.innodb_snapshot_isolation", "mysql.variable.analyze_max_length"} {
		doc.Differences = append(doc.Differences, report.Difference{Key: key, Declared: true, Values: map[string]string{"old": "OFF", "new": "ON"},
			WhyReason: &compare.Reason{Code: "external-options", Names: map[string][]string{"arm": {"old"}}}})
	}
	doc.Parameters = []report.Parameter{{Name: "innodb_snapshot_isolation", Differs: true, Values: map[string]report.ParameterValue{
		"old": {Value: "OFF", Owner: "external"}, "new": {Value: "ON", Owner: "external"},
	}}, {Name: "sync_binlog", Values: map[string]report.ParameterValue{"old": {Value: "0", Owner: "external"}, "new": {Value: "0", Owner: "external"}}}}
	for tag, all := range map[string][]string{
		"en": {"tare does not set their settings. They differ in 2 settings.", "innodb_snapshot_isolation: OFF in old; ON in new", `listed in report.html under "Configuration differences"`},
		"zh": {"tare 不设置它们的参数。它们有 2 项设置不同。", "innodb_snapshot_isolation：old 为 OFF；new 为 ON", "report.html 的“配置差异”"},
	} {
		said, err := doc.In(tag)
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		if err := Write(&out, said, Options{Width: 120, Unicode: true}); err != nil {
			t.Fatal(err)
		}
		text := strings.Join(strings.Fields(out.String()), " ")
		for _, want := range all {
			if tag == "zh" {
				text, want = strings.ReplaceAll(text, " ", ""), strings.ReplaceAll(want, " ", "")
			}
			if !strings.Contains(text, want) {
				t.Errorf("%s lacks %q:\n%s", tag, want, out.String())
			}
		}
		if strings.Contains(text, "declared by") || strings.Contains(text, "sync_binlog") {
			t.Errorf("%s:\n%s", tag, out.String())
		}
	}
}
