package process_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/moby/sys/mountinfo"

	"github.com/tarebench/tare/internal/mysqld"
	"github.com/tarebench/tare/internal/mysqld/mysqldtest"
	"github.com/tarebench/tare/internal/node"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/target"
	"github.com/tarebench/tare/internal/target/process"
	"github.com/tarebench/tare/internal/target/targettest"
)

// neighbourVariable makes this test binary a neighbour.
const neighbourVariable = "TARE_TEST_NEIGHBOUR"

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == neighbourVariable {
		if err := node.RunNeighbour(context.Background(), os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	if len(os.Args) > 1 && os.Args[1] == orphanArgument {
		orphan()
		return
	}
	os.Exit(targettest.Main(m))
}

// started starts a server and waits until it answers.
func started(t *testing.T, settings func(any) error, env process.Env, r target.Request) target.Server {
	t.Helper()
	p, err := process.New(settings, env)
	if err != nil {
		t.Fatal(err)
	}
	s, err := p.Start(context.Background(), r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Stop(context.Background()); err != nil {
			t.Errorf("Stop: %v", err)
		}
	})
	if err := mysqld.Ready(context.Background(), s.Address(), r.ReadyWithin, s.Alive); err != nil {
		t.Fatal(err)
	}
	return s
}

func needRoot(t *testing.T) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("needs root")
	}
}

// TestView: the server has its directories where one in a container has them,
// runs as its own user, and nothing of this is to be seen outside.
func TestView(t *testing.T) {
	needRoot(t)
	t.Parallel()
	for _, d := range mysqldtest.Distributions(t) {
		t.Run(d.Flavour, func(t *testing.T) {
			r := targettest.Requests(t, d)()
			// As a home directory is: the server's user has no way through.
			if err := os.Chmod(filepath.Dir(filepath.Dir(r.Dir)), 0o700); err != nil {
				t.Fatal(err)
			}
			s := started(t, noSettings, process.Env{Distribution: d}, r)
			unseen(t, r)
			db, err := mysqld.Open(s.Address())
			if err != nil {
				t.Fatal(err)
			}
			defer db.Close()
			for name, want := range map[string]string{
				"datadir": target.InsideData + "/", "socket": "/mnt/tare/run/mysqld.sock", "tmpdir": target.InsideTmp,
			} {
				var got string
				if err := db.QueryRow("SELECT @@" + name).Scan(&got); err != nil || got != want {
					t.Errorf("%s is %q (error %v), want %q", name, got, err, want)
				}
			}
			if d.Root != "/" {
				readOnly(t, s)
			}
			if uid := known(t, s.Facts(context.Background(), "start"), "server.uid"); !strings.HasPrefix(uid, fmt.Sprint(d.UID)) {
				t.Errorf("the server runs as %q, want %d", uid, d.UID)
			}
		})
	}
}

// readOnly: the root file system that a server runs in is the user's.
func readOnly(t *testing.T, s target.Server) {
	t.Helper()
	var out, complaint strings.Builder
	err := s.Exec(context.Background(), target.ServerSide, target.Command{
		Path: "/bin/sh", Stdout: &out, Stderr: &complaint,
		Args: []string{"-c", `while read -r _ _ _ _ point options _; do [ $point = / ] && echo $options; done </proc/self/mountinfo; id -u; pwd`},
	})
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if err != nil || len(lines) < 3 {
		t.Fatalf("%v: %q %s", err, lines, complaint.String())
	}
	if options := lines[len(lines)-3]; !strings.HasPrefix(options, "ro") {
		t.Errorf("the server's root is mounted %s, want ro", options)
	}
	if user, dir := lines[len(lines)-2], lines[len(lines)-1]; user == "0" || dir != "/" {
		t.Errorf("a command beside the server runs as user %s in %s, want the server's in /", user, dir)
	}
}

// unseen: the mounts of the server's view are not this process's. Other mounts
// come and go on a machine.
func unseen(t *testing.T, r target.Request) {
	t.Helper()
	mounts, err := mountinfo.GetMounts(nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range mounts {
		ours := strings.Contains(m.Root+m.Mountpoint, r.Name) || strings.HasPrefix(m.Mountpoint, "/mnt/tare")
		if root := r.Distribution.Root; root != "/" {
			ours = ours || m.Mountpoint == root || strings.HasPrefix(m.Mountpoint, root+"/")
		}
		if ours {
			t.Errorf("the server's mount of %s on %s is seen outside", m.Root, m.Mountpoint)
		}
	}
}

func known(t *testing.T, facts []record.Fact, key string) string {
	t.Helper()
	for _, f := range facts {
		if f.Key == key {
			if f.Value == "" {
				t.Errorf("%s is unknown: %s", key, f.Unknown)
			}
			return f.Value
		}
	}
	t.Errorf("no fact %s", key)
	return ""
}

// TestFacts: what is read is this server's, and the counters count.
func TestFacts(t *testing.T) {
	t.Parallel()
	d := mysqldtest.Distributions(t)[0]
	s := started(t, noSettings, process.Env{Distribution: d}, targettest.Requests(t, d)())
	facts := s.Facts(context.Background(), "start")
	for _, key := range []string{
		"server.exe", "server.cgroup", "server.oom_score_adj", "server.cpus_allowed", "server.limits.open_files",
		"server.nonvoluntary_switches", "server.stime_ticks", "server.runqueue_wait_ns",
	} {
		known(t, facts, key)
	}
	if exe := known(t, facts, "server.exe"); filepath.Base(exe) != filepath.Base(d.Server) {
		t.Errorf("the server's program is %q, want %q", exe, d.Server)
	}
	var before, after int64
	fmt.Sscan(known(t, facts, "server.utime_ticks"), &before)
	work(t, s)
	fmt.Sscan(known(t, s.Facts(context.Background(), "end"), "server.utime_ticks"), &after)
	if after < before+10 { // 0.1 s at the usual 100 ticks a second
		t.Errorf("user time went from %d to %d ticks over a query that takes longer than 0.1 s", before, after)
	}
}

func work(t *testing.T, s target.Server) {
	t.Helper()
	db, err := mysqld.Open(s.Address())
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var zero int
	if err := db.QueryRow("SELECT BENCHMARK(5000000, SHA2('tare', 256))").Scan(&zero); err != nil {
		t.Fatal(err)
	}
}

// TestNeighbour: the neighbour burns in a pod of the instance's tree, the server
// is not in it, and both are gone afterwards.
func TestNeighbour(t *testing.T) {
	needRoot(t)
	t.Parallel()
	d := mysqldtest.Distributions(t)[0]
	r := targettest.Requests(t, d)()
	settings := func(into any) error {
		into.(*process.Settings).Neighbour = &node.Neighbour{CPU: 1000}
		return nil
	}
	env := process.Env{Distribution: d, Neighbour: []string{os.Args[0], neighbourVariable}}
	p, err := process.New(settings, env)
	if err != nil {
		t.Fatal(err)
	}
	if errs := p.Check(context.Background()); len(errs) > 0 {
		t.Errorf("Check: %v", errs)
	}
	s := started(t, settings, env, r)
	facts := s.Facts(context.Background(), "start")
	if got := known(t, facts, "neighbour.cgroup"); !strings.Contains(got, "/tare-"+r.Name+"/") {
		t.Errorf("the neighbour is in cgroups\n%s", got)
	}
	if got := known(t, facts, "server.cgroup"); strings.Contains(got, "tare-"+r.Name) {
		t.Errorf("the server is in the pods' tree:\n%s", got)
	}
	if err := s.Stop(context.Background()); err != nil {
		t.Errorf("Stop: %v", err)
	}
	if found, err := target.Scan(r.Name, r.Dir, r.RunDir); err != nil || found.Running() {
		t.Errorf("left behind (error %v):\n%s", err, found)
	}
}

// TestCheck: what cannot be is said before anything starts.
func TestCheck(t *testing.T) {
	empty := t.TempDir()
	for _, c := range []struct {
		name string
		d    mysqld.Distribution
		want string
	}{
		{"no such root", mysqld.Distribution{Root: filepath.Join(empty, "absent"), Server: "/usr/sbin/mysqld"}, "root file system"},
		{"not a root file system", mysqld.Distribution{Root: empty, Server: "/usr/sbin/mysqld"}, "root file system"},
		{"no server", mysqld.Distribution{Root: "/", Server: "/no/such/mysqld"}, "find server"},
	} {
		p, err := process.New(noSettings, process.Env{Distribution: c.d})
		if err != nil {
			t.Fatal(err)
		}
		if errs := p.Check(context.Background()); len(errs) == 0 || !strings.Contains(fmt.Sprint(errs), c.want) {
			t.Errorf("%s: Check says %v, want %q in it", c.name, errs, c.want)
		}
	}
}

// TestEndsWithReason: a server that refuses to start says why.
func TestEndsWithReason(t *testing.T) {
	t.Parallel()
	for _, d := range mysqldtest.Distributions(t) {
		r := targettest.Requests(t, d)()
		r.Config = map[string]string{"innodb_page_size": "3000"}
		p, err := process.New(noSettings, process.Env{})
		if err != nil {
			t.Fatal(err)
		}
		s, err := p.Start(context.Background(), r)
		if err != nil {
			t.Fatal(err)
		}
		err = mysqld.Ready(context.Background(), s.Address(), r.ReadyWithin, s.Alive)
		if err == nil || !strings.Contains(err.Error(), "exit status") || !strings.Contains(err.Error(), "page") {
			t.Errorf("%s: %v; want its exit status and what it said about the page size", d.Flavour, err)
		}
		if err := s.Stop(context.Background()); err != nil {
			t.Errorf("Stop: %v", err)
		}
	}
}

// TestAsUser runs the conformance suite without root, as nobody.
func TestAsUser(t *testing.T) {
	needRoot(t)
	t.Parallel()
	mysqldtest.Flavour(t, mysqld.MariaDB)
	dir, err := os.MkdirTemp("", "tare-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	binary := filepath.Join(dir, "test")
	if out, err := exec.Command("cp", os.Args[0], binary).CombinedOutput(); err != nil {
		t.Fatalf("copy: %v: %s", err, out)
	}
	cmd := exec.Command(binary, "-test.run=^TestProcess$", "-test.v")
	cmd.Dir = "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "--- PASS: TestProcess/mariadb/Life") {
		t.Errorf("as nobody: %v\n%s", err, out)
	}
}
