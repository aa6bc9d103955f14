package network

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestKilledCheck: what a check left that was killed is removed by the next, and what belongs
// to one that still runs is not, whatever process has the number in this PID namespace.
func TestKilledCheck(t *testing.T) {
	dead, killed := someTrial(t)
	killed.Close() // as the kernel does at the process's end
	living, _ := someTrial(t)
	elsewhere := strings.Replace(living, fmt.Sprintf("%s%d-", trialPrefix, os.Getpid()), trialPrefix+"4194305-", 1) // above PID_MAX_LIMIT
	if err := os.Rename(living, elsewhere); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Remove(elsewhere) })
	someNamespace(t, namespaceOf(elsewhere))
	gone, removed := someTrial(t) // its directory keeps other checks from its namespace until that is made
	alone := namespaceOf(gone)
	if err := os.RemoveAll(gone); err != nil {
		t.Fatal(err)
	}
	removed.Close()
	if err := Check(context.Background(), Settings{Client: Host}, nil); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{dead, namespaceOf(dead), alone} {
		if _, err := os.Lstat(path); !os.IsNotExist(err) {
			t.Errorf("%s is still there: %v", path, err)
		}
	}
	for _, path := range []string{elsewhere, namespaceOf(elsewhere)} {
		if _, err := os.Lstat(path); err != nil {
			t.Errorf("of a check that runs: %v", err)
		}
	}
}

// someTrial is a check that has made a namespace.
func someTrial(t *testing.T) (dir string, lock *os.File) {
	t.Helper()
	dir, lock, err := beginTrial()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
		endTrial(lock)
	})
	someNamespace(t, namespaceOf(dir))
	return dir, lock
}

func namespaceOf(dir string) string { return filepath.Join(namespaceDir, filepath.Base(dir)+".node") }

func someNamespace(t *testing.T, path string) {
	t.Helper()
	if err := makeNamespace(path); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := removeNamespace(path); err != nil {
			t.Error(err)
		}
	})
}

// TestDirectoryOfSomebodyElse: a user of this machine makes a directory in /tmp that is called
// as those of checks were. It stays, and checks and `tare clean` succeed.
func TestDirectoryOfSomebodyElse(t *testing.T) {
	theirs, err := os.MkdirTemp("", trialPrefix+"4194304-") // another test process has another one
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Remove(theirs) })
	if err := os.Chown(theirs, 65534, -1); err != nil {
		t.Fatal(err)
	}
	if err := Check(context.Background(), Settings{Client: Host}, nil); err != nil {
		t.Errorf("check: %v", err)
	}
	if err := RemoveTrials(); err != nil {
		t.Errorf("clean: %v", err)
	}
	if _, err := os.Lstat(theirs); err != nil {
		t.Errorf("the directory of somebody else: %v", err)
	}
}
