package section

import (
	"strings"
	"testing"
	"time"

	"github.com/tarebench/tare/internal/compare"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/report"
)

// TestUnwatchedServers: a run whose servers' machine was not watched does not say that nothing disturbed it, and says
// once that what else ran there is not known.
func TestUnwatchedServers(t *testing.T) {
	for _, tag := range []string{"en", "zh"} {
		doc, err := (&report.Document{}).In(tag)
		if err != nil {
			t.Fatal(err)
		}
		for _, watched := range []*report.OthersCPU{nil, {Machine: "load"}} {
			doc.Run.OthersCPU, doc.Run.ServersUnwatched = watched, true
			started := time.Unix(0, 0)
			doc.Attempts = []report.Attempt{{Started: &started}}
			got := calendarSentence(doc)
			if n := strings.Count(got, doc.Say("calendar.unwatched")); n != 1 || strings.Contains(got, doc.Say("calendar.nothing")) {
				t.Errorf("%s: %s", tag, got)
			}
		}
	}
}

// TestUnwatchedSaysWhy: the sentence has the option that has a pod read on the node.
func TestUnwatchedSaysWhy(t *testing.T) {
	for _, tag := range []string{"en", "zh"} {
		doc, err := (&report.Document{}).In(tag)
		if err != nil {
			t.Fatal(err)
		}
		doc.Run.ServersUnwatched, doc.Run.UnwatchedWhy = true, compare.Ended(record.ServerOnNode.Say("n1"))
		if got := doc.Unwatched(); !strings.Contains(got, "probeNamespace") || !strings.Contains(got, "n1") {
			t.Errorf("%s: %s", tag, got)
		}
	}
}
