package targettest

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tarebench/tare/internal/mysqld"
	"github.com/tarebench/tare/internal/mysqld/mysqldtest"
	"github.com/tarebench/tare/internal/target"
)

// Requests returns a function whose every request is for another instance, on a
// fresh copy of one data directory that is initialised on first use. All
// directories are removed at the end of the test, and the root file system is
// then to be as it was.
func Requests(t *testing.T, d mysqld.Distribution) func() target.Request {
	t.Helper()
	unchanged(t, d.Root)
	// On first use: the process that is going to be killed must leave nothing.
	home := sync.OnceValue(func() string {
		dir, err := os.MkdirTemp("", "tare-")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { os.RemoveAll(dir) })
		return dir
	})
	// Half of a fresh data directory is redo log, and every test copies it.
	log := map[string]string{mysqld.MySQL: "innodb_redo_log_capacity", mysqld.MariaDB: "innodb_log_file_size"}[d.Flavour]
	config := map[string]string{"innodb_buffer_pool_size": "64M", log: "8M"}
	prepared := sync.OnceValue(func() string { return initialised(t, d, config) })
	var count atomic.Int32
	return func() target.Request {
		n := count.Add(1)
		name := fmt.Sprintf("test-%d-%d-%d", os.Getpid(), time.Now().UnixNano()%1e9, n)
		r := target.Request{
			Name: name, Dir: filepath.Join(home(), "instances", name), RunDir: filepath.Join(home(), fmt.Sprint("r", n)),
			Distribution: d, Config: config, Log: logWriter{t}, ReadyWithin: hang,
		}
		r.DataDir = filepath.Join(r.Dir, "data")
		// A test that fails leaves nothing either.
		t.Cleanup(func() { _ = target.Sweep(context.Background(), r.Name, r.Dir, r.RunDir, io.Discard) })
		for _, dir := range []string{r.Dir, r.RunDir} {
			if err := os.MkdirAll(dir, 0o755); err != nil {
				t.Fatal(err)
			}
		}
		if out, err := exec.Command("cp", "-a", "--reflink=auto", prepared(), r.DataDir).CombinedOutput(); err != nil {
			t.Fatalf("copy data directory: %v: %s", err, out)
		}
		return r
	}
}

// sharedVariable names the directory with the data that tests of one run share.
const sharedVariable = "TARE_TEST_SHARED"

// Main runs the tests of a package and returns their exit code. To make system
// tables takes longer than most tests, so they are made once for all of them.
func Main(m *testing.M) int {
	if os.Getenv(sharedVariable) != "" { // a test has started this process, perhaps to kill it
		return m.Run()
	}
	dir, err := os.MkdirTemp("", "tare-shared-")
	if err == nil {
		err = os.Setenv(sharedVariable, dir)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	return m.Run()
}

// initialised is a data directory as a server's first start leaves it, not to be
// written to: that of this run, or one of the test's own where there is none.
func initialised(t *testing.T, d mysqld.Distribution, config map[string]string) string {
	t.Helper()
	shared := ""
	if dir := os.Getenv(sharedVariable); dir != "" {
		shared = filepath.Join(dir, d.Flavour)
		if _, err := os.Stat(shared); err == nil {
			return shared
		}
	}
	o := mysqldtest.Prepare(t, d, config)
	mysqldtest.Initialize(t, d, o)
	if shared == "" || os.Rename(o.DataDir, shared) != nil { // another test may have been first
		return o.DataDir
	}
	return shared
}

// logWriter puts a server's output into the test's log.
type logWriter struct{ t *testing.T }

func (w logWriter) Write(b []byte) (int, error) {
	w.t.Logf("%s", b)
	return len(b), nil
}

// unchanged fails the test when anything below root is another file afterwards
// than before. This host's own root changes all the time and is not looked at.
func unchanged(t *testing.T, root string) {
	t.Helper()
	if root == "/" || root == "" {
		return
	}
	before := listing(t, root)
	t.Cleanup(func() {
		after := listing(t, root)
		for path, was := range before {
			if is := after[path]; is != was {
				t.Errorf("%s in the root file system was %q and is %q", path, was, is)
			}
		}
		for path := range after {
			if _, ok := before[path]; !ok {
				t.Errorf("%s is new in the root file system", path)
			}
		}
	})
}

func listing(t *testing.T, root string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.Walk(root, func(path string, info os.FileInfo, err error) error {
		if err == nil {
			files[path] = fmt.Sprint(info.Mode(), info.Size(), info.ModTime())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}
