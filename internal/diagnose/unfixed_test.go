package diagnose

import (
	"strings"
	"testing"
)

// TestEveryRuleSaysWhatItDependsOn: each rule of files has one row, of a rule that exists, and the row names a command.
func TestEveryRuleSaysWhatItDependsOn(t *testing.T) {
	rows := map[string]int{}
	for _, u := range undecidedRules() {
		if strings.Count(u.why.English, "`") < 2 || !strings.Contains(u.why.English, "depend") && !strings.Contains(u.why.English, "owns") {
			t.Errorf("%q does not say what the change depends on and which command shows it", u.why.English)
		}
		for id := range strings.FieldsSeq(u.rules) {
			if rows[id]++; !isRule(id) {
				t.Errorf("%s is no rule", id)
			}
		}
	}
	for _, r := range Rules() {
		if want := map[bool]int{true: 1}[r.Check != nil]; rows[r.ID] != want {
			t.Errorf("%s has %d rows, want %d", r.ID, rows[r.ID], want)
		}
	}
}
