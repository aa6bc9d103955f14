package runner

import (
	"os"
	"path/filepath"
	"testing"
)

// TestCloneIsByteIdentical compares the checksum over names and contents, and
// shows that the checksum sees a changed byte, a renamed and a missing file.
func TestCloneIsByteIdentical(t *testing.T) {
	from, to := t.TempDir(), filepath.Join(t.TempDir(), "copy")
	for name, content := range map[string]string{"ibdata1": "aaaa", "sbtest/t1.ibd": "bbbb", "empty": ""} {
		path := filepath.Join(from, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o640); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("ibdata1", filepath.Join(from, "link")); err != nil {
		t.Fatal(err)
	}
	if os.Geteuid() == 0 {
		if err := os.Chown(filepath.Join(from, "sbtest"), 999, 999); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := cloneTree(from, to); err != nil {
		t.Fatal(err)
	}
	want := sum(t, from)
	if got := sum(t, to); got != want {
		t.Errorf("the copy's checksum is %s, not %s", got, want)
	}
	a, b := stat(t, filepath.Join(from, "sbtest")), stat(t, filepath.Join(to, "sbtest"))
	if a.Mode() != b.Mode() || ownerOf(a).Uid != ownerOf(b).Uid {
		t.Errorf("mode or owner differ: %v %v", a, b)
	}
	if link, err := os.Readlink(filepath.Join(to, "link")); err != nil || link != "ibdata1" {
		t.Errorf("link = %q, %v", link, err)
	}
	for _, change := range []func() error{
		func() error { return os.WriteFile(filepath.Join(to, "ibdata1"), []byte("aaab"), 0o640) },
		func() error { return os.Rename(filepath.Join(to, "empty"), filepath.Join(to, "void")) },
		func() error { return os.Remove(filepath.Join(to, "void")) },
	} {
		before := sum(t, to)
		if err := change(); err != nil {
			t.Fatal(err)
		}
		if sum(t, to) == before {
			t.Error("the checksum does not see a change")
		}
	}
}

func sum(t *testing.T, dir string) string {
	t.Helper()
	s, err := checksum(dir, hashOf)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func stat(t *testing.T, path string) os.FileInfo {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info
}
