package target

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tarebench/tare/internal/mysqld"
)

// TestPrivateFilesFollowNoLink: the server's user can put a link where root is
// about to write the options file.
func TestPrivateFilesFollowNoLink(t *testing.T) {
	r := Request{RunDir: t.TempDir(), Distribution: mysqld.Distribution{UID: os.Geteuid(), GID: os.Getegid(), Flavour: mysqld.MySQL}}
	precious := filepath.Join(t.TempDir(), "shadow")
	write(t, precious, "x")
	if err := os.Chmod(precious, 0o640); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(r.RunDir, DefaultsFile)
	if err := os.Symlink(precious, path); err != nil {
		t.Fatal(err)
	}
	for range 2 { // a server that is started again is configured again
		if err := r.Configure(r.Options("/data", "/run/x", "/tmp/x")); err != nil {
			t.Fatal(err)
		}
	}
	if b, err := os.ReadFile(precious); err != nil || string(b) != "x" {
		t.Errorf("root wrote through the link: %q, %v", b, err)
	}
	if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() || info.Mode().Perm() != 0o600 {
		t.Errorf("options file: %v, %v", info, err)
	}
}

// TestOwnDirectory: a directory that another user made, or can write to, is refused.
func TestOwnDirectory(t *testing.T) {
	top := t.TempDir()
	own := filepath.Join(top, "tare", "run")
	for range 2 {
		if err := OwnDirectory(own); err != nil {
			t.Fatal(err)
		}
	}
	linked := filepath.Join(top, "linked")
	if err := os.Symlink(own, linked); err != nil {
		t.Fatal(err)
	}
	writable := mkdir(t, filepath.Join(top, "writable"))
	if err := os.Chmod(writable, 0o777); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{linked: "not a directory", writable: "other users can write"}
	if os.Geteuid() == 0 {
		foreign := mkdir(t, filepath.Join(top, "foreign"))
		if err := os.Chown(foreign, 65534, -1); err != nil {
			t.Fatal(err)
		}
		want[foreign] = "belongs to user 65534"
	}
	for dir, text := range want {
		if err := OwnDirectory(dir); err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("%s: %v, want %q", dir, err, text)
		}
	}
}
