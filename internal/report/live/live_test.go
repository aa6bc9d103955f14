package live

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/tarebench/tare/internal/report"
)

func watchedServer() *Report {
	return &Report{
		Server: "/run/mysqld.sock", Version: "9.7.4", Seconds: 20, Unit: "transaction", Rate: 120,
		Budget: []report.Spent{{Name: "a transaction", Milliseconds: 40}, {Name: "on a CPU", Milliseconds: 10}},
		Causes: []Cause{
			{Rule: "C-CPU-01", Title: "CPU quota", State: ConfirmedState, Evidence: "throttled <script>alert(1)</script>", Fix: "raise it", Change: "{cpu: max}"},
			{Rule: "C-BP-01", Title: "Buffer pool", State: "ruled-out", Evidence: "none"},
		},
		ProbesCPU: 0.001, ServerTime: 0.002,
	}
}

// TestLivePage: the page has the causes and the budget, and nothing of a server's text is
// executed.
func TestLivePage(t *testing.T) {
	var b bytes.Buffer
	if err := watchedServer().Write(&b, "html"); err != nil {
		t.Fatal(err)
	}
	page := b.String()
	for _, want := range []string{"Confirmed causes: 1", "C-CPU-01", "&lt;script&gt;alert(1)", `<rect width="25" height="10"/>`, "{cpu: max}", "120.0 transactions/s", "ruled-out", "--experiment try.yaml"} {
		if !strings.Contains(page, want) {
			t.Errorf("nothing of %s in the page", want)
		}
	}
	if strings.Contains(page, "<script") || strings.Contains(page, "http://") || strings.Contains(page, "https://") {
		t.Error("the page has a script or loads something")
	}
}

// TestLiveChange: a cause that appears or goes is shown with the time, one that stays is not.
func TestLiveChange(t *testing.T) {
	before, after := watchedServer(), watchedServer()
	after.Causes[0].State, after.Causes[1].State = "ruled-out", ConfirmedState
	var b bytes.Buffer
	if err := after.WriteChange(&b, before, time.Date(2026, 11, 23, 10, 0, 5, 0, time.UTC)); err != nil {
		t.Fatal(err)
	}
	const want = "10:00:05: 120.0 transactions/s, confirmed causes: 1\n  appeared: C-BP-01: Buffer pool\n    none\n  no longer confirmed: C-CPU-01: CPU quota\n"
	if b.String() != want {
		t.Errorf("%s", b.String())
	}
	b.Reset()
	if err := after.WriteChange(&b, after, time.Date(2026, 11, 23, 10, 0, 10, 0, time.UTC)); err != nil || strings.Count(b.String(), "\n") != 1 {
		t.Errorf("%v: %s", err, b.String())
	}
}
