package live

import (
	"strings"
	"testing"

	"github.com/tarebench/tare/internal/report/language"
)

// TestMachineUnread: without readings of the server's machine, the first sentence does not stop at "no cause". Where a cause is
// present, it stands alone.
func TestMachineUnread(t *testing.T) {
	const said = "The counters show no cause. The server's machine was not read"
	r := watchedServer()
	r.Causes, r.Settings, r.MachineUnread = nil, nil, true
	if got := viewOf(r, language.English()).answer(); !strings.Contains(got, said) {
		t.Error(got)
	}
	r.Causes = []Cause{{Rule: "C-LOCK-01", Title: "Sessions wait", State: presentState}}
	if got := viewOf(r, language.English()).answer(); strings.Contains(got, "was not read") {
		t.Error(got)
	}
}
