package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tarebench/tare/internal/fault"
	"github.com/tarebench/tare/internal/record"
)

// testKilledWhileCreating kills tare at each step of the creation of its schema on a server of
// others. clean drops the schema, and the run is resumed to its end without clean.
func testKilledWhileCreating(t *testing.T, s *theirs) {
	for i, point := range []string{"external: noted#1", "schema: created#1", "schema: marked#1", "schema: marked#2", "external: schema made#1", "external: leased#1"} {
		t.Run(point, func(t *testing.T) {
			name := "creating-" + strings.NewReplacer(" ", "", ":", "-", "#", "-").Replace(point)
			spec, run := s.spec(t, name, "tare", "passwordEnv: "+canaryVariable, 1), filepath.Join(s.dir, name)
			file := filepath.Join(t.TempDir(), "points")
			if err := os.WriteFile(file, []byte(point+"\n"), 0o644); err != nil {
				t.Fatal(err)
			}
			victim := s.tare(name+"-state", "run", spec, "--out", run)
			victim.Env = append(victim.Env, fault.Variable+"="+file)
			if out, err := victim.CombinedOutput(); !killed(err) {
				t.Fatalf("tare was to be killed at %q: %v\n%s", point, err, out)
			}
			if i%2 == 0 {
				if out, err := s.tare(name+"-state", "clean").CombinedOutput(); err != nil || s.schemas(t) != 0 {
					t.Errorf("clean: %v, %d schemas\n%s", err, s.schemas(t), out)
				}
			}
			again := []string{"run", "--resume", run}
			if _, err := os.Stat(filepath.Join(run, record.PlanFile)); err != nil {
				again = []string{"run", spec, "--out", run}
			}
			if out, err := s.tare(name+"-state", again...).CombinedOutput(); err != nil || s.schemas(t) != 0 {
				t.Errorf("resume: %v, %d schemas\n%s", err, s.schemas(t), out)
			}
		})
	}
}
