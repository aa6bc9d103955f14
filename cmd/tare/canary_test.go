package main

import (
	"bytes"
	"crypto/rand"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tarebench/tare/internal/export"
)

// The password that must be nowhere. Its end has no character that any format writes in
// another way; that is what is searched for. Each run of the tests draws its own: another run's
// tare on the same machine has that run's password, and must have it.
var (
	canary    = `ca"n%4 ry-` + canaryEnd
	canaryEnd = strings.ToLower(rand.Text()[:12])
)

const (
	canaryVariable = "TARE_TEST_CANARY"
	secondVariable = "LC_TARE_TEST_CANARY" // ssh passes variables of such names on (SendEnv LC_*)
)

// traces are the forms in which the password is searched for: as it is, in hexadecimal,
// and in base64 at each of the three positions in a group of bytes.
func traces() [][]byte {
	all := [][]byte{[]byte(canaryEnd), []byte(hex.EncodeToString([]byte(canaryEnd))), []byte(strings.ToUpper(hex.EncodeToString([]byte(canaryEnd))))}
	for shift := range 3 {
		text := base64.StdEncoding.EncodeToString([]byte(strings.Repeat("x", shift) + canaryEnd))
		all = append(all, []byte(text[4:12])) // without the groups that hold other bytes
	}
	return all
}

func hasCanary(b []byte) bool {
	return slices.ContainsFunc(traces(), func(trace []byte) bool { return bytes.Contains(b, trace) })
}

// testPasswordIsNowhere gives tare a password in each of its ways and searches for it in all
// that tare writes and starts.
func testPasswordIsNowhere(t *testing.T, s *theirs) {
	for _, b := range []string{"x" + canary, base64.StdEncoding.EncodeToString([]byte("user:" + canary)), fmt.Sprintf("%x", canary)} {
		if !hasCanary([]byte(b)) {
			t.Fatalf("the search does not find it in %q", b)
		}
	}
	file := filepath.Join(t.TempDir(), "password")
	if err := os.WriteFile(file, []byte(canary+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for engine, login := range map[string]string{"tare": "passwordEnv: " + canaryVariable, "sysbench": "passwordFile: " + file} {
		run := filepath.Join(s.dir, "canary-"+engine)
		cmd := s.tare("canary-state", "run", s.spec(t, "canary-"+engine, engine, login, 3), "--out", run)
		watchProcesses(t, cmd, engine)
		if err := os.MkdirAll(filepath.Join(s.dir, "exports-"+engine), 0o755); err != nil {
			t.Fatal(err)
		}
		for _, args := range readings(run, filepath.Join(s.dir, "exports-"+engine)) {
			s.says(t, true, args...)
		}
		s.fails(t, engine, login, file)
	}
	filesHaveNone(t, s.dir, 20, hasCanary)
	if n := s.schemas(t); n != 0 {
		t.Errorf("%d schemas are left", n)
	}
}

// readings are the commands that make something of a run.
func readings(run, out string) (all [][]string) {
	for _, format := range []string{"text", "md", "json", "html"} {
		all = append(all, []string{"report", "--format", format, run})
	}
	for _, f := range export.Formats() {
		all = append(all, []string{"export", f.Name, run, "--out", filepath.Join(out, f.Name)})
	}
	return append(all, []string{"explain", run}, []string{"history", filepath.Dir(run)})
}

// says runs tare and searches what it prints.
func (s *theirs) says(t *testing.T, well bool, args ...string) {
	t.Helper()
	out, err := s.tare("canary-state", args...).CombinedOutput()
	if hasCanary(out) {
		t.Errorf("tare %s prints the password:\n%s", strings.Join(args, " "), out)
	}
	if well && err != nil {
		t.Errorf("tare %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	if !well && err == nil {
		t.Errorf("tare %s ended well\n%s", strings.Join(args, " "), out)
	}
}

// fails has tare fail in the ways that have to do with a login.
func (s *theirs) fails(t *testing.T, engine, login, file string) {
	t.Helper()
	spec, err := os.ReadFile(filepath.Join(s.dir, "canary-"+engine+".yaml"))
	if err != nil {
		t.Fatal(err)
	}
	port := strconv.Itoa(s.port)
	for what, change := range map[string]*strings.Replacer{
		"nobody": strings.NewReplacer("user: tare", "user: nobody"),
		"closed": strings.NewReplacer("port: "+port, "port: 1"),
		"schema": strings.NewReplacer("user: tare", "user: tare, schema: other"),
		"tls":    strings.NewReplacer("user: tare", "user: tare, tls: verify-identity"),
		"inline": strings.NewReplacer(login, "password: '"+strings.ReplaceAll(canary, "'", "''")+"'"),
	} {
		path := filepath.Join(t.TempDir(), what+".yaml")
		if err := os.WriteFile(path, []byte(change.Replace(string(spec))), 0o644); err != nil {
			t.Fatal(err)
		}
		s.says(t, false, "check", path)
		s.says(t, false, "run", path, "--out", filepath.Join(s.dir, "failed-"+what))
	}
	at := []string{"--mysql-host", "127.0.0.1", "--mysql-port", port, "--mysql-user", "nobody", "--mysql-password-file", file}
	s.says(t, false, append([]string{"load", "oltp_point_select", "run"}, at...)...)
	s.says(t, false, append([]string{"load", "oltp_point_select", "prepare"}, at...)...)
	s.says(t, false, "lint", "--live", "127.0.0.1:"+port, "--user", "nobody", "--password-file", file)
	s.says(t, false, "explain", "--live", "127.0.0.1:"+port, "--user", "nobody", "--password-file", file, "--for", "1s")
	s.says(t, false, "probe", "127.0.0.1:"+port, "--user", "nobody", "--password-file", file)
}

// filesHaveNone searches every file below a directory, and its name, for what has must not find:
// record, logs, state, exports. There are at least so many. Experiments that a test has put a
// password into are elsewhere.
func filesHaveNone(t *testing.T, dir string, least int, has func([]byte) bool) {
	t.Helper()
	n := 0
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if n++; has(b) || has([]byte(path)) {
			t.Errorf("%s holds what no file may hold", path)
		}
		return nil
	})
	if err != nil || n < least {
		t.Errorf("%d files were searched, %v", n, err)
	}
}

// watchProcesses runs tare to its end and looks meanwhile at the command line and the
// environment of every process of this machine. Tare itself has the variable that it was
// given, and what it starts does not; nor can tare leave a core file. Programs named as
// theirs are the user's, who gave them the password.
func watchProcesses(t *testing.T, cmd *exec.Cmd, engine string, theirs ...string) {
	t.Helper()
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	seen := &sighted{own: cmd.Process.Pid, theirs: theirs, found: map[string]bool{}}
	for {
		select {
		case err := <-ended:
			if err != nil {
				t.Fatalf("the run: %v\n%s", err, out.String())
			}
			if hasCanary(out.Bytes()) {
				t.Errorf("the run prints the password:\n%s", out.String())
			}
			for what := range seen.found {
				t.Error(what)
			}
			if seen.core != "1" || engine == "sysbench" && !seen.engine {
				t.Errorf("the limit of tare's core file is %q, sysbench was seen %v", seen.core, seen.engine)
			}
			return
		case <-time.After(10 * time.Millisecond):
			seen.look()
		}
	}
}

// sighted is what was seen of processes.
type sighted struct {
	own    int
	theirs []string
	argv   []byte
	engine bool
	core   string
	found  map[string]bool
}

func (s *sighted) look() {
	s.argv, _ = os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", s.own)) // it may have ended
	dirs, _ := filepath.Glob("/proc/[0-9]*")                        // the pattern is well formed
	for _, dir := range dirs {
		argv, _ := os.ReadFile(filepath.Join(dir, "cmdline")) // it may have ended
		pid := filepath.Base(dir)
		name := program(argv)
		s.engine = s.engine || name == "sysbench"
		if hasCanary(argv) {
			s.found[fmt.Sprintf("the command line of process %s (%s) has the password", pid, name)] = true
		}
		if pid == strconv.Itoa(s.own) {
			s.limits(dir)
			continue
		}
		if bytes.Equal(argv, s.argv) {
			continue // a child between fork and exec, which still has tare's memory
		}
		environ, _ := os.ReadFile(filepath.Join(dir, "environ"))
		// Between the two readings a process may have become another program.
		if hasCanary(environ) && !slices.Contains(s.theirs, name) && !slices.Contains(s.theirs, program(commandLine(dir))) {
			s.found[fmt.Sprintf("the environment of process %s (%s) has the password", pid, name)] = true
		}
	}
}

// limits reads the limit of core files, once tare has set it.
func (s *sighted) limits(dir string) {
	b, _ := os.ReadFile(filepath.Join(dir, "limits"))
	for line := range strings.Lines(string(b)) {
		if rest, ok := strings.CutPrefix(line, "Max core file size"); ok {
			s.core = strings.Fields(rest)[0]
		}
	}
}

// program is the name of the program in a command line.
func program(argv []byte) string {
	path, _, _ := bytes.Cut(argv, []byte{0})
	return filepath.Base(string(path))
}

// commandLine is that of a process, or nothing where it has ended. In execve(2) a process has its new
// memory before the kernel knows where in it the arguments are (create_elf_tables in fs/binfmt_elf.c):
// the command line is empty then, and the environment read after it may not be.
func commandLine(dir string) []byte {
	for range 100 {
		argv, err := os.ReadFile(filepath.Join(dir, "cmdline"))
		if len(argv) > 0 || err != nil {
			return argv
		}
		time.Sleep(time.Millisecond)
	}
	return nil
}
