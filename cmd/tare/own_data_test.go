package main

// This file measures data.from at the size of a user's database: `make own-data SIZE=20`.

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tarebench/tare/internal/loadgen"
	"github.com/tarebench/tare/internal/mysqld"
	"github.com/tarebench/tare/internal/mysqld/backup"
	"github.com/tarebench/tare/internal/mysqld/mysqldtest"
	"github.com/tarebench/tare/internal/record"
)

// A table of so many rows takes a quarter of a GiB; a GiB is so many tables.
const (
	ownRowsEach   = 940_000
	ownTablesEach = 4
)

// ownDataSpec has three arms whose load writes. The protocol is the one that fits the disk.
const ownDataSpec = `apiVersion: tarebench.io/v1alpha1
kind: Experiment
metadata: {name: own-data}
database: {rootfs: %s, config: {innodb_buffer_pool_size: 256M, innodb_redo_log_capacity: 128M}}
data: {from: {directory: %s}, schema: sbtest, tables: %d, rows: %d}
load: {workload: oltp_read_write, threads: 4}
protocol: {rounds: 1, warmup: 2s, measure: 10s, ready: 300s, aa: false, voids: 0}
baseline: bare
arms:
  bare: {target: process}
  container: {target: container, cpuRequest: 100m}
  quota: {target: container, cpuRequest: 100m, quota: 500m}
`

// TestOwnData: a data directory of TARE_OWN_DATA_SIZE GiB serves three arms and is as it was
// before, in each file's content, size, mode, owner and times of change; the copies do not
// take more space than `tare check` has said. It works below TARE_OWN_DATA_DIR.
func TestOwnData(t *testing.T) {
	if os.Getenv("TARE_OWN_DATA_SIZE") == "" {
		t.Skip("TARE_OWN_DATA_SIZE is not set: make own-data SIZE=20 measures it")
	}
	size, err := strconv.Atoi(os.Getenv("TARE_OWN_DATA_SIZE"))
	if err != nil || size < 1 {
		t.Fatalf("TARE_OWN_DATA_SIZE is a whole number of GiB: %v", err)
	}
	dir, err := os.MkdirTemp(os.Getenv("TARE_OWN_DATA_DIR"), "own-data")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	tables, begun := size*ownTablesEach, time.Now()
	own := makeOwn(t, filepath.Join(dir, "theirs"), tables)
	before := snapshotOf(t, own)
	t.Logf("made and hashed %d files in %s", len(before), since(begun))

	spec := filepath.Join(dir, "own.yaml")
	if err := os.WriteFile(spec, fmt.Appendf(nil, ownDataSpec, testRootfs(t), own, tables, ownRowsEach), 0o644); err != nil {
		t.Fatal(err)
	}
	predicted := tareBelow(t, dir, "check", spec)
	t.Log(predicted)
	most := mostUsed(filepath.Join(dir, "state"))
	tareBelow(t, dir, "run", spec, "--out", filepath.Join(dir, "run"))
	used := most()
	t.Logf("the run took at most %s of the disk", gib(used))

	if d := cmp.Diff(before, snapshotOf(t, own)); d != "" {
		t.Errorf("the user's directory was changed:\n%s", d)
	}
	if _, after, found := strings.Cut(predicted, "space: "); !found {
		t.Error("tare check says nothing of the space")
	} else if needed := bytesOf(t, after); used > needed {
		t.Errorf("the run took %s, and tare check said %s", gib(used), gib(needed))
	}
	allMeasured(t, filepath.Join(dir, "run"))
}

// makeOwn makes the user's data directory: one table is filled, and the others are copies of
// its file (MySQL Reference Manual, "Importing InnoDB Tables").
func makeOwn(t *testing.T, dir string, tables int) (data string) {
	t.Helper()
	d := mysqldtest.Flavour(t, mysqld.MySQL)
	o := mysqldtest.PrepareIn(t, dir, d, map[string]string{"innodb_buffer_pool_size": "1G", "innodb_redo_log_capacity": "256M", "innodb_flush_log_at_trx_commit": "2", "sync_binlog": "0", "skip_log_bin": "ON", "local_infile": "ON"})
	mysqldtest.Initialize(t, d, o)
	server := mysqldtest.Run(t, d, o)
	defer server.Stop(t)
	db, err := mysqld.Open(server.Address)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	must := func(q string) {
		if _, err := db.ExecContext(t.Context(), q); err != nil {
			t.Fatalf("%s: %v", q, err)
		}
	}
	must("CREATE SCHEMA sbtest")
	engine, err := loadgen.New("tare", "")
	if err != nil {
		t.Fatal(err)
	}
	job := loadgen.Job{Workload: "oltp_read_write", Tables: 1, Rows: ownRowsEach, Threads: 1, PrepareThreads: 2, Seed: 1, Server: server.Address, Dir: t.TempDir()}
	job.Server.Schema = "sbtest"
	if err := engine.Prepare(t.Context(), job, io.Discard); err != nil {
		t.Fatal(err)
	}
	for n := 2; n <= tables; n++ {
		must(fmt.Sprintf("CREATE TABLE sbtest.sbtest%d LIKE sbtest.sbtest1", n))
		must(fmt.Sprintf("ALTER TABLE sbtest.sbtest%d DISCARD TABLESPACE", n))
	}
	exported, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer exported.Close() // ends the lock
	if _, err := exported.ExecContext(t.Context(), "FLUSH TABLES sbtest.sbtest1 FOR EXPORT"); err != nil {
		t.Fatal(err)
	}
	for n := 2; n <= tables; n++ {
		for _, ending := range []string{"cfg", "ibd"} {
			copyOwned(t, filepath.Join(o.DataDir, "sbtest", "sbtest1."+ending), filepath.Join(o.DataDir, "sbtest", fmt.Sprintf("sbtest%d.%s", n, ending)))
		}
		must(fmt.Sprintf("ALTER TABLE sbtest.sbtest%d IMPORT TABLESPACE", n))
	}
	return o.DataDir
}

// copyOwned copies a file of the server for the server.
func copyOwned(t *testing.T, from, to string) {
	t.Helper()
	if out, err := exec.Command("cp", "-a", from, to).CombinedOutput(); err != nil {
		t.Fatalf("copy %s: %v: %s", from, err, out)
	}
}

// snapshotOf is what can be seen of a write to the files of a directory, by their paths. A
// change of content, mode, owner or times changes the time of change (inode(7)).
func snapshotOf(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		s := info.Sys().(*syscall.Stat_t)
		all[path] = fmt.Sprintf("%s %d:%d %d %d %d", info.Mode(), s.Uid, s.Gid, info.Size(), info.ModTime().UnixNano(), s.Ctim.Nano())
		if !d.Type().IsRegular() {
			return nil
		}
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		defer f.Close()
		h := sha256.New()
		_, err = io.Copy(h, f)
		all[path] += fmt.Sprintf(" %x", h.Sum(nil))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// tareBelow runs tare with its state below a directory.
func tareBelow(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command(builtTare(t), args...)
	begun := time.Now()
	cmd.Env = append(os.Environ(), "TARE_STATE="+filepath.Join(dir, "state"), "LANG=C")
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("tare %s: %v\n%s", args[0], err, said.Bytes())
	}
	t.Logf("tare %s took %s", args[0], since(begun))
	return string(out)
}

// mostUsed begins to watch what a directory takes of the disk; the function that it returns
// ends that.
func mostUsed(dir string) func() int64 {
	most, end, ended := int64(0), make(chan struct{}), make(chan struct{})
	begun, _ := backup.Free(dir)
	shared := backup.Reflinks("", dir)
	go func() {
		defer close(ended)
		for tick := time.NewTicker(200 * time.Millisecond); ; {
			select {
			case <-end:
				tick.Stop()
				return
			case <-tick.C:
			}
			if free, _ := backup.Free(dir); shared { // files are counted once for each that shares them
				most = max(most, begun-free)
			} else {
				most = max(most, blocksOf(dir))
			}
		}
	}()
	return func() int64 { close(end); <-ended; return most }
}

// blocksOf is what the files of a directory take of the disk (st_blocks, stat(2)). Files that
// go away meanwhile count nothing.
func blocksOf(dir string) (bytes int64) {
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			if info, err := d.Info(); err == nil {
				bytes += 512 * info.Sys().(*syscall.Stat_t).Blocks
			}
		}
		return nil
	})
	return bytes
}

// bytesOf reads the size that `tare check` prints first.
func bytesOf(t *testing.T, text string) int64 {
	t.Helper()
	var n float64
	var unit string
	if _, err := fmt.Sscan(text, &n, &unit); err != nil {
		t.Fatalf("read %q: %v", text, err)
	}
	if unit == "MiB" {
		return int64(n * (1 << 20))
	}
	return int64((n + 0.05) * (1 << 30)) // one decimal is printed
}

func allMeasured(t *testing.T, dir string) {
	t.Helper()
	run, err := record.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, trial := range run.Trials {
		if trial.End == nil || trial.End.Outcome != record.Measured {
			t.Errorf("trial %d of arm %s: %+v", trial.Header.Trial, trial.Header.Arm, trial.End)
		}
	}
	if len(run.Trials) != 3 {
		t.Errorf("%d trials", len(run.Trials))
	}
}

func since(t time.Time) time.Duration { return time.Since(t).Round(time.Second) }
