package mysqld

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/klauspost/compress/zstd"
)

func gz(t *testing.T, b []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	_, err := w.Write(b)
	if err := errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func zst(t *testing.T, b []byte) []byte {
	t.Helper()
	w, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	return w.EncodeAll(b, nil)
}

// checkFake checks what is known of the root file system of rootEntries.
func checkFake(t *testing.T, d Distribution) {
	t.Helper()
	want := Distribution{
		Server: "/opt/server/bin/mysqld-real", Flavour: MySQL, Version: "8.4.99-fake for Linux on x86_64 (Fake)",
		UID: 27, GID: 28,
		Paths: Paths{Base: "/opt/server", Messages: "/opt/server/share", Plugins: "/opt/server/lib/plugin"},
	}
	if os.Geteuid() != 0 {
		want.UID, want.GID = os.Geteuid(), os.Getegid()
	}
	want.Root, want.Source, want.SHA256 = d.Root, d.Source, d.SHA256
	if d != want || len(d.SHA256) != 64 {
		t.Errorf("got %+v\nwant %+v", d, want)
	}
}

func TestResolveArchive(t *testing.T) {
	plain := tarOf(t, rootEntries(t)...)
	for name, content := range map[string][]byte{"r.tar": plain, "r.tar.gz": gz(t, plain), "r.tar.zst": zst(t, plain)} {
		t.Run(name, func(t *testing.T) {
			cache, log := t.TempDir(), &bytes.Buffer{}
			file := write(t, filepath.Join(t.TempDir(), name), content)
			for range 2 {
				d, err := Resolve(context.Background(), Source{Rootfs: file}, cache, log)
				if err != nil {
					t.Fatal(err)
				}
				checkFake(t, d)
				if d.Source != "rootfs:"+file {
					t.Errorf("source is %s", d.Source)
				}
			}
			if n := strings.Count(log.String(), "Unpacking"); n != 1 {
				t.Errorf("unpacked %d times, want once", n)
			}
		})
	}
}

// TestResolveAtOnce: several at a time unpack once, and all get the same.
func TestResolveAtOnce(t *testing.T) {
	file := write(t, filepath.Join(t.TempDir(), "r.tar"), tarOf(t, rootEntries(t)...))
	cache, log := t.TempDir(), &lockedLog{}
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			d, err := Resolve(context.Background(), Source{Rootfs: file}, cache, log)
			if err != nil {
				t.Error(err)
				return
			}
			checkFake(t, d)
		})
	}
	all.Wait()
	if n := strings.Count(log.b.String(), "Unpacking"); n != 1 {
		t.Errorf("unpacked %d times, want once", n)
	}
}

type lockedLog struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedLog) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

// TestUnpackAfterCrash: what a killed process left is thrown away.
func TestUnpackAfterCrash(t *testing.T) {
	file := write(t, filepath.Join(t.TempDir(), "r.tar"), tarOf(t, rootEntries(t)...))
	sum, err := checksum(file)
	if err != nil {
		t.Fatal(err)
	}
	cache := t.TempDir()
	key := "rootfs-" + sum
	if os.Geteuid() != 0 {
		key += "-unowned"
	}
	write(t, filepath.Join(cache, "roots", key+".work", "root", "usr", "sbin", "mysqld"), []byte("half"))
	d, err := Resolve(context.Background(), Source{Rootfs: file}, cache, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	checkFake(t, d)
}

// TestUnpackKeeps: modes, owners and links are as in the archive; devices are
// left out.
func TestUnpackKeeps(t *testing.T) {
	root := t.TempDir()
	archive := tarOf(t,
		entry{name: "bin/su", content: "su", mode: 0o4755},
		entry{name: "data/", mode: 0o1777, uid: 27},
		entry{name: "data/file", content: "abc", mode: 0o640, uid: 27},
		entry{name: "data/hard", kind: tar.TypeLink, link: "data/file", mode: 0o640, uid: 27},
		entry{name: "soft", kind: tar.TypeSymlink, link: "/data/file"},
		entry{name: "dev/null", kind: tar.TypeChar},
		entry{name: "dev/sda", kind: tar.TypeBlock},
	)
	if err := untar(context.Background(), root, bytes.NewReader(archive), rootFile); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]fs.FileMode{
		"bin/su": 0o755 | fs.ModeSetuid, "data": fs.ModeDir | fs.ModeSticky | 0o777, "data/file": 0o640,
	} {
		if got := stat(t, filepath.Join(root, name)).Mode(); got != want {
			t.Errorf("%s has mode %s, want %s", name, got, want)
		}
	}
	if os.Geteuid() == 0 {
		if sys := stat(t, filepath.Join(root, "data/file")).Sys().(*syscall.Stat_t); sys.Uid != 27 || sys.Gid != 27 {
			t.Errorf("data/file belongs to %d:%d", sys.Uid, sys.Gid)
		}
	}
	if !os.SameFile(stat(t, filepath.Join(root, "data/file")), stat(t, filepath.Join(root, "data/hard"))) {
		t.Error("the hard link is another file")
	}
	if to, err := os.Readlink(filepath.Join(root, "soft")); err != nil || to != "/data/file" {
		t.Errorf("the symbolic link points to %q, %v", to, err)
	}
	if left, _ := filepath.Glob(filepath.Join(root, "dev/*")); len(left) > 0 {
		t.Errorf("devices were made: %v", left)
	}
}

func stat(t *testing.T, path string) fs.FileInfo {
	t.Helper()
	info, err := os.Lstat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info
}

// TestUnpackStaysInside: no archive writes, links or deletes outside.
func TestUnpackStaysInside(t *testing.T) {
	for name, entries := range map[string][]entry{
		"dots":              {{name: "../escaped", content: "x"}, {name: "a/../../escaped", content: "x"}},
		"absolute":          {{name: "/escaped", content: "x"}},
		"symlink":           {{name: "out", kind: tar.TypeSymlink, link: ".."}, {name: "out/escaped", content: "x"}},
		"absolute symlink":  {{name: "out", kind: tar.TypeSymlink, link: "OUTSIDE"}, {name: "out/escaped", content: "x"}},
		"symlink of 2":      {{name: "a", kind: tar.TypeSymlink, link: "."}, {name: "a/b", kind: tar.TypeSymlink, link: ".."}, {name: "b/escaped", content: "x"}},
		"over a symlink":    {{name: "f", kind: tar.TypeSymlink, link: "OUTSIDE/victim"}, {name: "f", content: "x"}},
		"hard link":         {{name: "h", kind: tar.TypeLink, link: "../victim"}, {name: "h", content: "x"}},
		"hard link by path": {{name: "h", kind: tar.TypeLink, link: "OUTSIDE/victim"}},
		"whiteout":          {{name: "../.wh.victim"}, {name: "out", kind: tar.TypeSymlink, link: ".."}, {name: "out/.wh.victim"}},
		"opaque":            {{name: "out", kind: tar.TypeSymlink, link: ".."}, {name: "out/.wh..wh..opq"}},
	} {
		t.Run(name, func(t *testing.T) {
			outside := t.TempDir()
			root := filepath.Join(outside, "root")
			if err := os.Mkdir(root, 0o755); err != nil {
				t.Fatal(err)
			}
			victim := write(t, filepath.Join(outside, "victim"), []byte("precious"))
			for i := range entries {
				entries[i].link = strings.Replace(entries[i].link, "OUTSIDE", outside, 1)
			}
			// An error is as good as staying inside.
			_ = untar(context.Background(), root, bytes.NewReader(tarOf(t, entries...)), rootFile)
			if b, err := os.ReadFile(victim); err != nil || string(b) != "precious" {
				t.Errorf("a file outside is now %q, %v", b, err)
			}
			if n := stat(t, victim).Sys().(*syscall.Stat_t).Nlink; n != 1 {
				t.Errorf("a file outside has %d links", n)
			}
			left, err := os.ReadDir(outside)
			if err != nil || len(left) != 2 {
				t.Errorf("outside are %v, %v; want root and victim", left, err)
			}
		})
	}
}

func TestResolveBadArchives(t *testing.T) {
	whole := tarOf(t, rootEntries(t)...)
	for name, c := range map[string]struct {
		source  func(file string) Source
		content []byte
		want    string
	}{
		"cut off":        {func(f string) Source { return Source{Rootfs: f} }, whole[:len(whole)/2], "cut off"},
		"cut off gzip":   {func(f string) Source { return Source{Rootfs: f} }, gz(t, whole)[:5000], "cut off"},
		"no archive":     {func(f string) Source { return Source{Rootfs: f} }, bytes.Repeat([]byte("hello "), 1000), "not a tar archive"},
		"no server":      {func(f string) Source { return Source{Rootfs: f} }, tarOf(t, entry{name: "etc/passwd"}), "no server in"},
		"an image":       {func(f string) Source { return Source{Rootfs: f} }, tarOf(t, entry{name: "oci-layout", content: "{}"}, entry{name: "index.json", content: "{}"}), "name it with oci"},
		"oci of a root":  {func(f string) Source { return Source{OCI: f} }, whole, "rootfs instead of oci"},
		"oci no archive": {func(f string) Source { return Source{OCI: f} }, bytes.Repeat([]byte("hello "), 1000), "not a tar archive"},
		"oci broken":     {func(f string) Source { return Source{OCI: f} }, tarOf(t, entry{name: "oci-layout", content: "{}"}, entry{name: "index.json", content: "}"}), "index"},
		"docker broken":  {func(f string) Source { return Source{OCI: f} }, tarOf(t, entry{name: "manifest.json", content: "[]"}), "docker"},
	} {
		t.Run(name, func(t *testing.T) {
			cache := t.TempDir()
			s := c.source(write(t, filepath.Join(t.TempDir(), "f"), c.content))
			_, err := Resolve(context.Background(), s, cache, io.Discard)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q in it", err, c.want)
			}
			if left, _ := filepath.Glob(filepath.Join(cache, "roots", "*.work")); len(left) > 0 {
				t.Errorf("left in the cache: %v", left)
			}
		})
	}
}

// TestUnpackIsBounded: what an archive unpacks to is counted by its headers before it is
// written, many small entries too.
func TestUnpackIsBounded(t *testing.T) {
	const limit = 1 << 20
	for name, headers := range map[string][]tar.Header{
		"one large file":         {{Typeflag: tar.TypeReg, Size: limit + 1}},
		"a sparse terabyte":      {{Typeflag: tar.TypeReg, Size: 1 << 40}},
		"together too large":     {{Typeflag: tar.TypeReg, Size: limit / 2}, {Typeflag: tar.TypeReg, Size: limit/2 + 1}},
		"entries without number": slices.Repeat([]tar.Header{{Typeflag: tar.TypeDir}}, limit/entrySize+1),
		"a negative size":        {{Typeflag: tar.TypeReg, Size: -1}},
	} {
		filter, refused := bounded(rootFile, limit), error(nil)
		for i := range headers {
			if _, err := filter(&headers[i]); err != nil {
				refused = err
				if i != len(headers)-1 {
					t.Errorf("%s: refused at entry %d of %d", name, i+1, len(headers))
				}
				break
			}
		}
		if refused == nil {
			t.Errorf("%s: unpacked", name)
		}
	}
	if room := roomFor(t.TempDir()); room < 0 || room > mostUnpacked {
		t.Errorf("room for %d bytes", room)
	}
}

// FuzzUntar: whatever the archive of a root file system or an image, nothing is written
// outside its directory.
func FuzzUntar(f *testing.F) {
	file := func(name string, kind byte, link, content string) []byte {
		var b bytes.Buffer
		w := tar.NewWriter(&b)
		err := w.WriteHeader(&tar.Header{Name: name, Typeflag: kind, Linkname: link, Size: int64(len(content)), Mode: 0o644})
		if _, e := w.Write([]byte(content)); err == nil {
			err = e
		}
		if err := errors.Join(err, w.Close()); err != nil {
			f.Fatal(err)
		}
		return b.Bytes()
	}
	f.Add(file("usr/sbin/mysqld", tar.TypeReg, "", "x"))
	f.Add(file("../victim", tar.TypeReg, "", "x"))
	f.Add(file("out", tar.TypeSymlink, "..", ""))
	f.Add(file("h", tar.TypeLink, "../victim", ""))
	f.Fuzz(func(t *testing.T, content []byte) {
		outside := t.TempDir()
		root := filepath.Join(outside, "root")
		victim := filepath.Join(outside, "victim")
		if err := errors.Join(os.Mkdir(root, 0o755), os.WriteFile(victim, []byte("precious"), 0o600)); err != nil {
			t.Fatal(err)
		}
		for _, accept := range []func(*tar.Header) (bool, error){rootFile, blobFile} {
			_ = untar(context.Background(), root, bytes.NewReader(content), bounded(accept, 1<<20)) // an error is as good
		}
		if b, err := os.ReadFile(victim); err != nil || string(b) != "precious" {
			t.Fatalf("a file outside is now %q, %v", b, err)
		}
		if left, err := os.ReadDir(outside); err != nil || len(left) != 2 {
			t.Fatalf("outside are %v, %v", left, err)
		}
	})
}
