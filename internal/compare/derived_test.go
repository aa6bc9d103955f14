package compare

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tarebench/tare/internal/keys"

	"github.com/tarebench/tare/internal/experiment"
)

// TestDerivedVariables: every variable that moved in a server which was started with one option is
// explained by that option, and by no option where neither arm declares one.
func TestDerivedVariables(t *testing.T) {
	b, err := os.ReadFile(filepath.Join("testdata", "derived.txt"))
	if err != nil {
		t.Fatal(err)
	}
	moved := 0
	for line := range strings.Lines(string(b)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		where, variables, ok := strings.Cut(strings.TrimSpace(line), ": ")
		server, setting, ok2 := strings.Cut(where, ", ")
		option, value, ok3 := strings.Cut(setting, "=")
		if !ok || !ok2 || !ok3 {
			t.Fatalf("not a line of the form server, option=value: variables: %q", line)
		}
		arm := experiment.Arm{Config: map[string]string{option: value}}
		for _, variable := range strings.Fields(variables) {
			moved++
			if got := derivedFrom(variable, experiment.Arm{}, arm); got != option {
				t.Errorf("%s: %s moved with %s, and the table says %q", server, variable, option, got)
			}
			if got := derivedFrom(variable, arm, arm); got != "" {
				t.Errorf("%s: both arms have %s, and %s follows from %q", server, option, variable, got)
			}
		}
	}
	if moved < 100 {
		t.Errorf("%d moves were read", moved)
	}
}

// TestDeclaredOptionsAndWhatFollows: an arm that declares max_connections has a verdict although its
// server computes host_cache_size from it; one that differs in host_cache_size alone has none, and
// neither has one whose experiment asks every arm for the variable.
func TestDeclaredOptionsAndWhatFollows(t *testing.T) {
	const cache = keys.MySQLVariablePrefix + "host_cache_size"
	for name, c := range map[string]struct {
		pod     string
		all     map[string]string
		verdict Verdict
		why     string
	}{
		"declared":           {"{target: process, config: {max-connections: 100}}", nil, Equivalent, "derived-from-option option=max_connections"},
		"another option":     {"{target: process, config: {sort_buffer_size: 1M}}", nil, Invalid, "not-declared"},
		"asked for by all":   {"{target: process, config: {max_connections: 100}}", map[string]string{"host_cache_size": "5"}, Invalid, "not-declared"},
		"log_bin, otherwise": {"{target: process, config: {skip_log_bin: ''}}", nil, Invalid, "not-declared"},
	} {
		r := fill(planned(t, spec(8, "1%", "bare: {target: process}", "pod: "+c.pod)), func(string, int) float64 { return 1000 })
		r.Experiment.Database.Config = c.all
		each(r, "bare", facts(cache, "279"))
		each(r, "pod", facts(cache, "228"))
		res := Run(r)
		if got := res.Contrasts[0]; got.Verdict != c.verdict {
			t.Errorf("%s: %s, want %s (%v)", name, got.Verdict, c.verdict, got.Reasons)
		}
		if d := res.Differences; len(d) != 1 || d[0].Why.String() != c.why {
			t.Errorf("%s: %+v, want %s", name, d, c.why)
		}
	}
}
