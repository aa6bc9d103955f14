package text

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tarebench/tare/internal/report"
)

// TestDifferencesOfTwoReleases: of hundreds of settings that come with another release, those that decide most are named,
// and not the first of the alphabet.
func TestDifferencesOfTwoReleases(t *testing.T) {
	differ := func(value string) map[string]string { return map[string]string{"old": value, "new": value + "2"} }
	doc := &report.Document{Parameters: []report.Parameter{
		{Name: "innodb_io_capacity", Differs: true, Values: map[string]report.ParameterValue{"old": {Value: "200"}, "new": {Value: "10000"}}},
		{Name: "sync_binlog", Values: map[string]report.ParameterValue{"old": {Value: "1"}, "new": {Value: "1"}}},
	}}
	doc.Arms = []report.Arm{{Name: "old", Baseline: true}, {Name: "new"}}
	for i := range 40 {
		doc.Differences = append(doc.Differences, report.Difference{Key: fmt.Sprintf("mysql.variable.a%02d", i), Declared: true, Values: differ("x")})
	}
	s := newScreen(Options{})
	textDifferences(s, doc)
	said := strings.Join(strings.Fields(s.out.String()), " ")
	if !strings.Contains(said, "innodb_io_capacity: 200 in old; 10000 in new") || strings.Contains(said, "a00") || strings.Contains(said, "sync_binlog") || !strings.Contains(said, "All 40 settings") {
		t.Error(said)
	}
	doc.Differences = doc.Differences[:3]
	s = newScreen(Options{})
	if textDifferences(s, doc); !strings.Contains(s.out.String(), "a00") {
		t.Errorf("few differences are not listed:\n%s", s.out.String())
	}
}
