package report

import (
	"strings"
	"testing"

	"github.com/tarebench/tare/internal/report/language"
)

// TestAdviceForRunningServers: who compared servers that ran already, with `tare versus`, has no experiment file to
// write fields into; the advice says how to get one.
func TestAdviceForRunningServers(t *testing.T) {
	for _, target := range []string{"external", "process"} {
		doc := &Document{Arms: []Arm{{Target: "external"}, {Target: target}}}
		key := doc.OfRunning("next.margin", "next.margin.running")
		if said := strings.Contains(language.English().Say(key, "margin", "2.0"), "--print-spec"); said != (target == "external") {
			t.Errorf("%s: %s", target, key)
		}
	}
}
