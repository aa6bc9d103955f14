package loadgen

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestLoadEndsWithTare kills the process that started a load generator. The load
// ends: against a server of somebody else's it would go on for hours otherwise.
func TestLoadEndsWithTare(t *testing.T) {
	if script := os.Getenv("TARE_TEST_LOAD"); script != "" {
		j := Job{Workload: "oltp_read_only", Inside: func(f func() error) error { return f() }}
		err := sysbench{program: script}.start(t.Context(), j, nil, os.Stdout)
		t.Fatalf("the load has ended: %v", err)
	}
	script := filepath.Join(t.TempDir(), "load")
	if err := os.WriteFile(script, []byte("#!/bin/sh\necho load is $$\nexec sleep 600\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	tare := exec.Command(os.Args[0], "-test.run=^TestLoadEndsWithTare$")
	tare.Env = append(os.Environ(), "TARE_TEST_LOAD="+script)
	out, err := tare.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := tare.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	var pid int
	if _, scan := fmt.Sscanf(line, "load is %d", &pid); err != nil || scan != nil {
		t.Fatalf("%q: %v, %v", line, err, scan)
	}
	if err := tare.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = tare.Wait()
	for limit := time.Now().Add(2 * time.Minute); ; time.Sleep(10 * time.Millisecond) {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil || strings.Contains(string(stat), ") Z ") {
			return
		}
		if time.Now().After(limit) {
			t.Fatalf("the load, process %d, goes on without its tare", pid)
		}
	}
}
