package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestCheckWithRounds: check takes the number of rounds as run does, and prints the time and the precision for it.
func TestCheckWithRounds(t *testing.T) {
	file := filepath.Join("..", "..", "examples", "qos.yaml")
	said := map[string]string{}
	for _, rounds := range []string{"7", "40"} {
		var out, errs strings.Builder
		if code := run([]string{"check", "--offline", "--rounds", rounds, file}, &terminal{out: &out, err: &errs}); code != exitDone || !strings.Contains(out.String(), "trials: "+rounds+" rounds of ") {
			t.Fatalf("--rounds %s: exit code %d, %s%s", rounds, code, out.String(), errs.String())
		}
		_, said[rounds], _ = strings.Cut(out.String(), "95 % interval")
	}
	if said["7"] == said["40"] {
		t.Errorf("the precision does not depend on the rounds: %s", said["7"])
	}
}
