package remove

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// TestTreeRefuses feeds every kind of path that tare cannot have made. The
// current directory is one that holds a directory "data": an empty path once
// led there.
func TestTreeRefuses(t *testing.T) {
	top := t.TempDir()
	root, elsewhere := filepath.Join(top, "state"), filepath.Join(top, "elsewhere")
	here := filepath.Join(top, "here")
	for _, dir := range []string{filepath.Join(root, "data"), filepath.Join(elsewhere, "data"), filepath.Join(here, "data")} {
		write(t, filepath.Join(dir, "precious"))
	}
	t.Chdir(here)
	link(t, elsewhere, filepath.Join(root, "link"))
	link(t, filepath.Join(elsewhere, "data"), filepath.Join(root, "linked-data"))
	write(t, filepath.Join(root, "file"))
	for _, c := range []struct{ name, root, dir, want string }{
		{"empty root", "", "data", "not an absolute path"},
		{"empty both", "", "", "not an absolute path"},
		{"empty directory", root, "", "not an absolute path"},
		{"relative", root, "data", "not an absolute path"},
		{"relative root", "../state", "../state/data", "not an absolute path"},
		{"the root itself", root, root, "not below"},
		{"not below", root, elsewhere + "/data", "not below"},
		{"same prefix", root, root + "2/data", "not below"},
		{"dots", root, root + "/../elsewhere/data", "not a clean path"},
		{"dots in the root", root + "/..", root + "/data", "not a clean path"},
		{"the root of the machine", "/", "/", "not below"},
		{"directly below the root of the machine", "/", "/home", "directly below"},
		{"through a link", root, root + "/link/data", "symbolic link"},
		{"a link", root, root + "/linked-data", "symbolic link"},
		{"a file", root, root + "/file", "not a directory"},
	} {
		if err := Tree(c.root, c.dir); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: Tree(%q, %q): %v, want %q", c.name, c.root, c.dir, err, c.want)
		}
		if err := Contents(c.root, c.dir); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: Contents(%q, %q): %v, want %q", c.name, c.root, c.dir, err, c.want)
		}
	}
	for _, dir := range []string{root, elsewhere, here} {
		if _, err := os.Stat(filepath.Join(dir, "data", "precious")); err != nil {
			t.Errorf("a refused removal removed something: %v", err)
		}
	}
}

// TestContents: the directory stays, with nothing in it; what a link in it leads to stays too.
func TestContents(t *testing.T) {
	root, outside := t.TempDir(), t.TempDir()
	dir := filepath.Join(root, "data")
	write(t, filepath.Join(dir, "deep", "file"))
	write(t, filepath.Join(dir, "file"))
	write(t, filepath.Join(outside, "precious"))
	link(t, outside, filepath.Join(dir, "link"))
	for range 2 {
		if err := Contents(root, dir); err != nil {
			t.Fatal(err)
		}
		if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
			t.Errorf("left %v, error %v", left, err)
		}
	}
	if _, err := os.Stat(filepath.Join(outside, "precious")); err != nil {
		t.Error(err)
	}
	if err := Contents(root, filepath.Join(root, "none")); err != nil {
		t.Errorf("a directory that is not there: %v", err)
	}
}

// TestTreeRefusesForeign: what belongs to another user stays, unless that user is
// named; a directory in between may never be another's.
func TestTreeRefusesForeign(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can give files away")
	}
	const other = 65534
	root := t.TempDir()
	inner := filepath.Join(root, "data", "inner")
	write(t, filepath.Join(inner, "precious"))
	give(t, filepath.Join(root, "data"), other)
	for _, dir := range []string{filepath.Join(root, "data"), inner} {
		if err := Tree(root, dir); err == nil || !strings.Contains(err.Error(), "belongs to user 65534") {
			t.Errorf("Tree(%s): %v", dir, err)
		}
	}
	if err := Tree(root, inner, other); err == nil {
		t.Error("a directory below another user's was removed")
	}
	if err := Tree(root, filepath.Join(root, "data"), other); err != nil {
		t.Errorf("a directory that was handed over: %v", err)
	}
	shared := filepath.Join(root, "shared")
	write(t, filepath.Join(shared, "x", "precious"))
	give(t, filepath.Join(shared, "x"), other)
	if err := os.Chmod(shared, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := Tree(shared, filepath.Join(shared, "x"), AnyOwner); err == nil || !strings.Contains(err.Error(), "written by other users") {
		t.Errorf("a directory that anybody could have made: %v", err)
	}
	if err := os.Chmod(shared, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := Tree(shared, filepath.Join(shared, "x"), AnyOwner); err != nil {
		t.Errorf("a directory that was handed over to anybody: %v", err)
	}
}

// TestTreeRefusesMounted: what is mounted below is not tare's to remove.
func TestTreeRefusesMounted(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can mount")
	}
	root, outside := t.TempDir(), t.TempDir()
	write(t, filepath.Join(outside, "precious"))
	point := filepath.Join(root, "a", "b")
	if err := os.MkdirAll(point, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := unix.Mount(outside, point, "", unix.MS_BIND, ""); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = unix.Unmount(point, unix.MNT_DETACH) })
	if err := Tree(root, filepath.Join(root, "a")); err == nil || !strings.Contains(err.Error(), "still mounted") {
		t.Errorf("Tree: %v", err)
	}
	if _, err := os.Stat(filepath.Join(outside, "precious")); err != nil {
		t.Error(err)
	}
}

// TestTree: the tree goes, links in it are not followed, and once more is not an error.
func TestTree(t *testing.T) {
	top := t.TempDir()
	root, outside := filepath.Join(top, "by-link"), filepath.Join(top, "outside")
	if err := os.Mkdir(filepath.Join(top, "state"), 0o755); err != nil {
		t.Fatal(err)
	}
	link(t, filepath.Join(top, "state"), root) // where the user says
	write(t, filepath.Join(outside, "precious"))
	dir := filepath.Join(root, "a", "b")
	write(t, filepath.Join(dir, "c", "file"))
	link(t, outside, filepath.Join(dir, "link"))
	for range 2 {
		if err := Tree(root, dir); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := os.Lstat(dir); !os.IsNotExist(err) {
		t.Errorf("%s is still there: %v", dir, err)
	}
	if _, err := os.Stat(filepath.Join(outside, "precious")); err != nil {
		t.Error(err)
	}
	if err := Tree(filepath.Join(top, "absent"), filepath.Join(top, "absent", "a")); err != nil {
		t.Errorf("a root that is not there: %v", err)
	}
}

func write(t *testing.T, path string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
}

func link(t *testing.T, to, path string) {
	t.Helper()
	if err := os.Symlink(to, path); err != nil {
		t.Fatal(err)
	}
}

func give(t *testing.T, path string, uid int) {
	t.Helper()
	if err := os.Chown(path, uid, -1); err != nil {
		t.Fatal(err)
	}
}
