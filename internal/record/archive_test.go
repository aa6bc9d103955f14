package record

import (
	"archive/tar"
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestPackAndUnpack(t *testing.T) {
	from, to := t.TempDir(), filepath.Join(t.TempDir(), "runs", "first")
	want := map[string]string{"plan.json": "{}", "trials/001-bare/stream.jsonl": "{\"header\":{}}\n", "trials/001-bare/log.txt": ""}
	then := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	for name, text := range want {
		path := filepath.Join(from, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, then, then); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("/etc/passwd", filepath.Join(from, "link")); err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := Pack(&b, from); err != nil {
		t.Fatal(err)
	}
	archive := b.Bytes()
	if err := Unpack(bytes.NewReader(archive), to); err != nil {
		t.Fatal(err)
	}
	for name, text := range want {
		got, err := os.ReadFile(filepath.Join(to, filepath.FromSlash(name)))
		if err != nil || string(got) != text {
			t.Errorf("%s: %q, %v", name, got, err)
		}
		if info, err := os.Stat(filepath.Join(to, filepath.FromSlash(name))); err != nil || !info.ModTime().Equal(then) {
			t.Errorf("%s: its time is not kept", name)
		}
	}
	if _, err := os.Lstat(filepath.Join(to, "link")); err == nil {
		t.Error("a link was packed")
	}
	if err := Unpack(bytes.NewReader(archive), to); err == nil {
		t.Error("a directory that exists was written to")
	}
	if err := Unpack(bytes.NewReader(archive[:700]), to+"-half"); err == nil {
		t.Error("half an archive was taken for a whole one")
	}
	if left, err := filepath.Glob(to + "-half*"); err != nil || len(left) > 0 {
		t.Errorf("half an archive left %v, %v", left, err)
	}
}

// TestUnpackStaysInside: an archive of somebody else's writes nowhere else.
func TestUnpackStaysInside(t *testing.T) {
	for name, h := range map[string]tar.Header{
		"parent":   {Name: "../outside", Typeflag: tar.TypeReg},
		"absolute": {Name: "/tmp/outside", Typeflag: tar.TypeReg},
		"link":     {Name: "link", Linkname: "/etc", Typeflag: tar.TypeSymlink},
		"inner":    {Name: "a/../../outside", Typeflag: tar.TypeReg},
	} {
		t.Run(name, func(t *testing.T) {
			var b bytes.Buffer
			w := tar.NewWriter(&b)
			if err := w.WriteHeader(&h); err != nil {
				t.Fatal(err)
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			dir := filepath.Join(t.TempDir(), "run")
			if err := Unpack(&b, dir); err == nil {
				t.Error("it was unpacked")
			}
			if files, err := os.ReadDir(filepath.Dir(dir)); err != nil || len(files) != 0 {
				t.Errorf("files outside: %v, %v", files, err)
			}
		})
	}
}

// TestUnpackIsBounded: an archive that declares too much is refused before that is written.
func TestUnpackIsBounded(t *testing.T) {
	const limit = 1 << 20
	for name, headers := range map[string][]tar.Header{
		"a large file":   {{Name: "a", Typeflag: tar.TypeReg, Size: 1 << 40}},
		"together":       {{Name: "a", Typeflag: tar.TypeReg, Size: limit / 2}, {Name: "b", Typeflag: tar.TypeReg, Size: limit/2 + 1}},
		"without number": slices.Repeat([]tar.Header{{Name: "a", Typeflag: tar.TypeReg}}, limit/entrySize+1),
	} {
		var b bytes.Buffer
		for i, h := range headers {
			if name == "without number" {
				h.Name = fmt.Sprint("f", i)
			}
			w := tar.NewWriter(&b) // a new one for each: it would wait for the content
			if err := w.WriteHeader(&h); err != nil {
				t.Fatal(err)
			}
			if len(headers) > 1 {
				b.Write(make([]byte, (h.Size+511)/512*512))
			}
		}
		dir := filepath.Join(t.TempDir(), "run")
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := unpackInto(&b, dir, limit); err == nil || !strings.Contains(err.Error(), "more than the limit") {
			t.Errorf("%s: %v", name, err)
		}
		if n := sizeOf(t, dir); n > limit {
			t.Errorf("%s: %d bytes were written", name, n)
		}
	}
}

// FuzzUnpack: whatever the archive, nothing is written outside the directory, and no more
// than the limit in it.
func FuzzUnpack(f *testing.F) {
	dir := f.TempDir()
	if err := os.WriteFile(filepath.Join(dir, PlanFile), []byte("{}"), 0o644); err != nil {
		f.Fatal(err)
	}
	var b bytes.Buffer
	if err := Pack(&b, dir); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes())
	f.Add(bytes.ReplaceAll(b.Bytes(), []byte(PlanFile), []byte("../x.json")))
	f.Fuzz(func(t *testing.T, archive []byte) {
		const limit = 64 << 10
		parent := t.TempDir()
		dir := filepath.Join(parent, "run")
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		_ = unpackInto(bytes.NewReader(archive), dir, limit) // an error is as good
		if files, err := os.ReadDir(parent); err != nil || len(files) != 1 {
			t.Fatalf("beside the run: %v, %v", files, err)
		}
		if n := sizeOf(t, parent); n > limit {
			t.Fatalf("%d bytes were written", n)
		}
	})
}

// sizeOf is the size of all files below a directory.
func sizeOf(t *testing.T, dir string) (size int64) {
	t.Helper()
	err := filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			size += info.Size()
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return size
}
