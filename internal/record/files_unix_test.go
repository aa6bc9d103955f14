//go:build unix

package record

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestRewriteFileKeepsOwner: a my.cnf that root corrects stays readable for the server's user.
func TestRewriteFileKeepsOwner(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("chown needs root")
	}
	file := filepath.Join(t.TempDir(), "my.cnf")
	if err := errors.Join(os.WriteFile(file, []byte("old"), 0o640), os.Chown(file, 1234, 1235), RewriteFile(file, []byte("new"))); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	if is := info.Sys().(*syscall.Stat_t); is.Uid != 1234 || is.Gid != 1235 || info.Mode() != 0o640 {
		t.Errorf("owner %d, group %d, mode %v", is.Uid, is.Gid, info.Mode())
	}
	if text, _ := os.ReadFile(file); string(text) != "new" {
		t.Errorf("%q", text)
	}
}
