package target

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/tarebench/tare/internal/mysqld"
)

// serverUser is the number of a user who has nothing on the machine.
const serverUser = 65534

// handedOver is a request with directories, of which data/sbtest holds a file.
func handedOver(t *testing.T) (r Request, schema string) {
	t.Helper()
	needRoot(t)
	top := t.TempDir()
	r = Request{
		Dir: top, DataDir: mkdir(t, filepath.Join(top, "data")), RunDir: mkdir(t, filepath.Join(top, "run")),
		Distribution: mysqld.Distribution{UID: serverUser, GID: serverUser},
	}
	mkdir(t, r.TmpDir())
	schema = mkdir(t, filepath.Join(r.DataDir, "sbtest"))
	write(t, filepath.Join(schema, "t1.ibd"), "x")
	return r, schema
}

func ownerOf(t *testing.T, path string) int {
	t.Helper()
	info, err := os.Lstat(path)
	if err != nil {
		t.Fatal(err)
	}
	return int(info.Sys().(*syscall.Stat_t).Uid)
}

// TestHandOver: everything is the server's user's afterwards, links themselves included, and
// a directory only after all that it contains.
func TestHandOver(t *testing.T) {
	r, schema := handedOver(t)
	precious := filepath.Join(t.TempDir(), "precious")
	write(t, precious, "x")
	link := filepath.Join(schema, "link")
	if err := os.Symlink(precious, link); err != nil {
		t.Fatal(err)
	}
	// Nothing of a file system without writes can be given away: here it ends.
	stop := mkdir(t, filepath.Join(schema, "z"))
	mount(t, "tmpfs", stop, "tmpfs", unix.MS_RDONLY)
	if err := r.HandOver(); err == nil {
		t.Error("a read-only file system was given away")
	}
	for _, dir := range []string{schema, r.DataDir} {
		if uid := ownerOf(t, dir); uid != 0 {
			t.Errorf("%s belongs to user %d before its contents do", dir, uid)
		}
	}
	if err := unix.Unmount(stop, 0); err != nil {
		t.Fatal(err)
	}
	if err := r.HandOver(); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{r.DataDir, r.RunDir, r.TmpDir(), schema, stop, link, filepath.Join(schema, "t1.ibd")} {
		if uid := ownerOf(t, path); uid != serverUser {
			t.Errorf("%s belongs to user %d", path, uid)
		}
	}
	if uid := ownerOf(t, precious); uid != 0 {
		t.Error("the target of a link was given away")
	}
}

// TestHandOverFollowsNoLink: a process of the server's user, which has the data already,
// puts a link in the place of a directory of theirs, again and again.
func TestHandOverFollowsNoLink(t *testing.T) {
	r, schema := handedOver(t)
	outside := t.TempDir()
	precious := filepath.Join(outside, "shadow")
	write(t, precious, "x")
	link := filepath.Join(r.DataDir, "link")
	if err := os.Symlink(outside, link); err != nil {
		t.Fatal(err)
	}
	stop, ended := make(chan struct{}), make(chan error)
	go func() {
		var err error
		for err == nil {
			select {
			case <-stop:
				ended <- nil
				return
			default:
				err = unix.Renameat2(unix.AT_FDCWD, schema, unix.AT_FDCWD, link, unix.RENAME_EXCHANGE)
			}
		}
		<-stop
		ended <- err
	}()
	for range 2000 {
		_ = r.HandOver() // a directory that has become a link is an error, or the link is given away
		if ownerOf(t, precious) != 0 {
			t.Error("a file outside of the directories was given away")
			break
		}
	}
	close(stop)
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
}
