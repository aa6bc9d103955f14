package experiment

import (
	"strings"
	"testing"
)

func protocolOf(t *testing.T, protocol string) (*Experiment, error) {
	t.Helper()
	return Parse("x.yaml", []byte(`apiVersion: tarebench.io/v1alpha1
kind: Experiment
metadata: {name: x}
protocol: `+protocol+`
baseline: a
arms: {a: {target: fake}, b: {target: fake}}
`))
}

// TestStopping: what ends a run, as a file says it, and the rounds planned first.
func TestStopping(t *testing.T) {
	for protocol, want := range map[string]struct {
		rule       Stopping
		first, max int
	}{
		"{rounds: 7}": {Fixed, 7, 7},
		"{rounds: {pilot: 8, max: 40}, precision: 1%}": {Pilot, 8, 40},
		"{rounds: {looks: [8, 14, 20]}}":               {Looks, 8, 20},
		"{rounds: {open: true, max: 50}}":              {Open, 6, 50},
		"{rounds: {open: true, pilot: 2, max: 5}}":     {Open, 2, 5},
	} {
		e, err := protocolOf(t, protocol)
		if err != nil {
			t.Errorf("%s: %v", protocol, err)
			continue
		}
		plan := NewPlan(e)
		if got := e.Protocol.Rounds.Stopping(); got != want.rule || plan.Rounds != want.first || plan.MaxRounds != want.max {
			t.Errorf("%s: %s, %d of %d rounds", protocol, got, plan.Rounds, plan.MaxRounds)
		}
	}
}

func TestStoppingRefused(t *testing.T) {
	for protocol, want := range map[string]string{
		"{rounds: {pilot: 8, max: 40}}":                   "a pilot and a maximum need a precision",
		"{rounds: {looks: [8]}}":                          "two to five looks",
		"{rounds: {looks: [14, 8]}}":                      "looks must increase",
		"{rounds: {looks: [2, 8]}}":                       "the first is at 4 rounds or more",
		"{rounds: {looks: [8, 14], max: 20}}":             "replace a pilot and a maximum",
		"{rounds: {looks: [8, 14]}, precision: 1%}":       "planned looks end a run when it is settled",
		"{rounds: {looks: [8, 14], open: true}}":          "planned looks or is open",
		"{rounds: {open: true}}":                          "1 to 1000 rounds",
		"{rounds: {looks: [8, many]}}":                    "a whole number or a list of whole numbers",
		"{rounds: 8, order: alphabetical}":                "random or williams",
		"{rounds: 8, voids: -1}":                          "0 to 1000 rounds can be run again",
		"{rounds: {pilot: 9, max: 8}, precision: 1%}":     "longer than the whole",
		"{rounds: {pilot: 2, max: 8}, precision: 1%}":     "fewer than 4 rounds",
		"{rounds: {open: true, looks: [8, 9], max: 100}}": "replace",
	} {
		if _, err := protocolOf(t, protocol); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", protocol, err, want)
		}
	}
}

// TestReruns: a quarter of the rounds, and none for a run that is exploratory.
func TestReruns(t *testing.T) {
	for protocol, want := range map[string]int{"{rounds: 5}": 0, "{rounds: 6}": 2, "{rounds: 20}": 5, "{rounds: 20, voids: 0}": 0, "{rounds: 2, voids: 1}": 1} {
		e, err := protocolOf(t, protocol)
		if err != nil || e.Protocol.Reruns() != want {
			t.Errorf("%s: %v, %d rounds again, want %d", protocol, err, e.Protocol.Reruns(), want)
		}
	}
}
