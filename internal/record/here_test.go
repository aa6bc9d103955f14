package record

import "testing"

// TestGatesAreOfTheTrial: gates count where a server or a load generator was on the machine that they were read on,
// and in records that do not say where those were; of a trial elsewhere, or whose place nobody knows, they do not.
func TestGatesAreOfTheTrial(t *testing.T) {
	const unknown = ""
	for _, c := range []struct {
		name         string
		server, load string
		none         bool // no such facts
		gated, seen  bool
	}{
		{"older record", "", "", true, true, true},
		{"all here", Here, Here, false, true, true},
		{"server here", Here, Elsewhere, false, true, true},
		{"load here", Elsewhere, Here, false, true, false},
		{"load here, server unknown", unknown, Here, false, true, false},
		{"all elsewhere", Elsewhere, Elsewhere, false, false, false},
		{"nobody knows", unknown, unknown, false, false, false},
	} {
		trial := &Trial{}
		if !c.none {
			trial.Facts = []Fact{{Key: "gate.server", Value: c.server, Phase: "end"}, {Key: "gate.load", Value: c.load, Phase: "end"}}
		}
		if trial.Gated() != c.gated || trial.ServerSeen() != c.seen {
			t.Errorf("%s: gated %v, server seen %v", c.name, trial.Gated(), trial.ServerSeen())
		}
	}
}
