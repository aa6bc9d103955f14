package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

// testStoppedLoad: a load that a signal ends prints what it has measured, and exits with the
// signal's code: whoever merges reports can tell it from one that was finished.
func testStoppedLoad(t *testing.T, s *theirs) {
	if _, err := s.root.Exec("CREATE SCHEMA tare_load"); err != nil {
		t.Fatal(err)
	}
	defer s.root.Exec("DROP SCHEMA tare_load")
	load := func(verb string) *exec.Cmd {
		cmd := exec.Command(s.binary, "load", "oltp_point_select", verb, "--mysql-host=127.0.0.1", fmt.Sprintf("--mysql-port=%d", s.port), "--mysql-user=tare",
			"--mysql-db=tare_load", "--tables=1", "--table-size=100", "--threads=2", "--time=3600", "--report-interval=1")
		cmd.Env = append(os.Environ(), "MYSQL_PWD="+canary)
		return cmd
	}
	if out, err := load("prepare").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	cmd := load("run")
	var said strings.Builder
	cmd.Stderr = &said
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(out)
	first, err := lines.ReadString('\n') // the first second has passed
	if err == nil {
		err = cmd.Process.Signal(syscall.SIGTERM)
	}
	rest, _ := io.ReadAll(lines)
	if waited := cmd.Wait(); err != nil || cmd.ProcessState.ExitCode() != 128+int(syscall.SIGTERM) {
		t.Fatalf("%v, %v: %s%s%s", err, waited, first, rest, said.String())
	}
	if !strings.Contains(string(rest), "queries:") || !strings.Contains(said.String(), "SIGTERM") {
		t.Errorf("%s%s", rest, said.String())
	}
}
