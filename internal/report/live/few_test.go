package live

import (
	"bytes"
	"strings"
	"testing"

	"github.com/mattn/go-runewidth"
	"github.com/tarebench/tare/internal/report"

	"github.com/tarebench/tare/internal/report/language"
	"github.com/tarebench/tare/internal/report/text"
)

// TestTooFew: of a server that completes next to nothing, idle or stuck, no part of an average is named, and the state of its sessions is.
func TestTooFew(t *testing.T) {
	r := watchedServer()
	r.Seconds = 9
	r.TooFew(2)
	r.Sessions = []State{{"", 11}, {"waiting for handler commit", 9}}
	var b bytes.Buffer
	if err := r.Write(&b, "text", language.English()); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"Transactions completed in 9.0 s: 2. Present: CPU quota, C-CPU-01. At one moment, 9 of 20 sessions were in 'waiting for handler commit'.\n",
		"Time budget unknown: an average says nothing of so few (completed in the span: 2).",
	} {
		if !strings.Contains(oneLine(b.String()), oneLine(want)) {
			t.Errorf("nothing of %q in\n%s", want, b.String())
		}
	}
	r.NoBudget("userstat-off", "")
	if r.TooFew(0); r.Untimed != "userstat-off" || !r.FewNone {
		t.Errorf("how to time statements is not said: %s", r.BudgetUnknown)
	}
	if strings.Contains(b.String(), "largest part") {
		t.Errorf("a part of the average is named:\n%s", b.String())
	}
}

// TestWaiting: of a server that works, a state is named where half of the sessions or more wait in it.
func TestWaiting(t *testing.T) {
	for want, sessions := range map[string][]State{
		"At one moment, 10 of 20 sessions were in 'Waiting for table metadata lock'.": {{"Waiting for table metadata lock", 10}, {"", 10}},
		"": {{"Sending data", 15}, {"waiting for handler commit", 5}},
	} {
		r := watchedServer()
		r.Sessions = sessions
		if got := viewOf(r, language.English()).waiting(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestRisksAfterCauses: what is a risk of operation is named after what makes the server slow, and as such.
func TestRisksAfterCauses(t *testing.T) {
	r := watchedServer()
	r.Causes = append([]Cause{{Rule: "K-OPS-04", Title: "Liveness probe", State: presentState}, {Rule: "K-STO-01", Title: "Volume", State: presentState}, {Rule: "C-IO-02", State: ruledOutState}}, r.Causes...)
	slow, risk, named := strings.Cut(viewOf(r, language.English()).answer(), "Risks of operation")
	if !named || !strings.Contains(slow, "C-CPU-01") || strings.Contains(slow, "K-") || !strings.Contains(risk, "K-OPS-04") || !strings.Contains(risk, "K-STO-01") {
		t.Errorf("%q, then %q", slow, risk)
	}
}

// TestNothingLeft: where the other parts leave nothing of a transaction, the time of its commit is unknown and not 0.
func TestNothingLeft(t *testing.T) {
	r := watchedServer()
	r.SetBudget([]report.Spent{{Name: "a transaction", Milliseconds: 10.5}, {Name: "on a CPU", Milliseconds: 1.5}, {Name: "waiting for a CPU", Milliseconds: 11.5}, {Name: "commit and log"}, {Name: "rest in the server"}})
	for format, want := range map[string][]string{"text": {"commit and log unknown rest in the server unknown"}, "json": {"\"commit and log\""}, "md": {"| commit and log | unknown |"}, "html": {">unknown<"}} {
		var b bytes.Buffer
		if err := r.Write(&b, format, language.English()); err != nil {
			t.Fatal(err)
		}
		for _, w := range want {
			if !strings.Contains(oneLine(b.String()), w) || strings.Contains(b.String(), "0.000") || strings.Contains(b.String(), "NaN") {
				t.Errorf("%s: not %q, or a time of 0, in\n%s", format, w, b.String())
			}
		}
	}
}

// TestUnknownIsNotRanked: what is not known may be larger than the largest part that is.
func TestUnknownIsNotRanked(t *testing.T) {
	for cpu, ranked := range map[report.Number]bool{4: false, 6: true} {
		r := watchedServer()
		r.SetBudget([]report.Spent{{Name: "a transaction", Milliseconds: 10}, {Name: "on a CPU", Milliseconds: cpu}, {Name: "commit and log"}, {Name: "rest in the server"}, {Name: "network and client", Milliseconds: 10 - cpu}})
		var b bytes.Buffer
		if err := r.Write(&b, "text", language.English()); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(b.String(), "The largest part") != ranked || !strings.Contains(oneLine(b.String()), "network and client unknown") || !strings.Contains(oneLine(b.String()), "A part is unknown where the counters of the others leave nothing for it") {
			t.Errorf("%v ms on a CPU of 10, ranked: %t\n%s", cpu, !ranked, b.String())
		}
	}
}

// TestNoIdleCPU: where everything but the server uses the CPUs, that is said before the server's own causes, and is not called no cause.
func TestNoIdleCPU(t *testing.T) {
	r := watchedServer()
	r.Causes, r.Settings, r.CPUs, r.OthersCPUs = nil, nil, 2, 1.9
	var b bytes.Buffer
	if err := r.Write(&b, "text", language.English()); err != nil {
		t.Fatal(err)
	}
	if want := "The machine had no idle CPU, and everything but the server used 1.9 of its 2 CPUs. That is outside the server"; !strings.Contains(oneLine(b.String()), want) || strings.Contains(b.String(), "show no cause.") {
		t.Errorf("not %q in\n%s", want, b.String())
	}
	r.OthersBusiest = []Busy{{"java", 1.5}, {"kube\x1b[2Jlet", .3}}
	b.Reset()
	if err := r.Write(&b, "text", language.English()); err != nil {
		t.Fatal(err)
	}
	if want := `used 1.9 of its 2 CPUs (java 1.5, kube<U+001B>[2Jlet 0.3).`; !strings.Contains(oneLine(b.String()), want) {
		t.Errorf("not %q in\n%s", want, b.String())
	}
}

// TestLocksFirst: sessions that all wait for a lock are the first sentence, also on a machine without an idle CPU and where
// nothing completes, and the view that would show the holder is not named beside it.
func TestLocksFirst(t *testing.T) {
	r := watchedServer()
	r.TooFew(0)
	r.CPUs, r.OthersCPUs = 2, 1.9
	r.Causes = []Cause{{Rule: "C-LOCK-01", Title: "Sessions wait", State: presentState}}
	got := viewOf(r, language.English()).answer()
	if !strings.HasPrefix(got, "Present: Sessions wait, C-LOCK-01. Transactions completed in 20.0 s: 0.") || strings.Contains(got, "Where to look") || !strings.Contains(got, "no idle CPU") {
		t.Error(got)
	}
}

// TestLinesFit: prose has lines of at most a hundred columns.
func TestLinesFit(t *testing.T) {
	r := watchedServer()
	r.Causes[0].Evidence = strings.Repeat("a counter grew by 1 in each of its seconds; ", 12)
	for _, l := range language.All() {
		var b bytes.Buffer
		if err := r.Write(&b, "text", l); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(b.String()) {
			if w := runewidth.StringWidth(strings.TrimRight(line, "\n")); w > text.Width {
				t.Errorf("%d columns: %s", w, line)
			}
		}
	}
}

// oneLine is text without its line breaks.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
