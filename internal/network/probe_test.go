package network

import (
	"context"
	"os"
	"path/filepath"
	"testing"
)

// TestKilledCheck: what a check left that was killed is removed by the next, and
// what belongs to one that still runs is not.
func TestKilledCheck(t *testing.T) {
	dead := filepath.Join(namespaceDir, trialPrefix+"4194305-1.node") // above PID_MAX_LIMIT
	living := filepath.Join(namespaceDir, trialPrefix+"1-1.node")
	for _, path := range []string{dead, living} {
		if err := makeNamespace(path); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := removeNamespace(path); err != nil {
				t.Error(err)
			}
		})
	}
	if err := Check(context.Background(), Settings{Client: Host}, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(dead); !os.IsNotExist(err) {
		t.Errorf("%s is still there", dead)
	}
	if _, err := os.Stat(living); err != nil {
		t.Errorf("the namespace of a check that runs is gone: %v", err)
	}
}
