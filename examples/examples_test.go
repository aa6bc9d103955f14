package examples

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tarebench/tare/internal/experiment"
)

// TestExamplesParse: an example that does not parse teaches nobody.
func TestExamplesParse(t *testing.T) {
	files, err := filepath.Glob("*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal("no examples", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := experiment.Parse(file, text); err != nil {
			t.Error(err)
		}
	}
}

func TestDemosHaveTheirLines(t *testing.T) {
	for file, places := range map[string][]string{
		string(Demo):   {DemoServer + "\n", DemoProtocol + "\n", DemoThreads, DemoNeighbour},
		string(Layers): {DemoServer + "\n", LayersProtocol + "\n", DemoThreads, DemoNeighbour, LayersQuota},
	} {
		for _, place := range places {
			if n := strings.Count(file, place); n != 1 {
				t.Errorf("%q stands %d times in\n%s", place, n, file)
			}
		}
	}
}
