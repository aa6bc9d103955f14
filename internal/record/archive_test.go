package record

import (
	"archive/tar"
	"bytes"
	"os"
	"path/filepath"
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
			if files, err := os.ReadDir(filepath.Dir(dir)); err != nil || len(files) != 1 {
				t.Errorf("files outside: %v, %v", files, err)
			}
		})
	}
}
