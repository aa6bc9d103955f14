package recordtest

import (
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"testing"

	"github.com/hanwen/go-fuse/v2/fs"
	"github.com/hanwen/go-fuse/v2/fuse"
)

// Disk is a file system in memory that remembers, of every file and directory, what it was
// when it was last synced. That is all that a power cut leaves of it: fsync(2) promises no
// more, and a name is kept only by syncing its directory. Real file systems keep more.
type Disk struct {
	// Dir is where it is mounted.
	Dir string

	synced func(*Disk)
	mu     sync.Mutex
	root   *directory
	slow   chan struct{} // writes and syncs wait for its end; nil: they do not
}

// Hold makes the disk slow: from now on no write and no sync returns.
func (d *Disk) Hold() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.slow == nil {
		d.slow = make(chan struct{})
	}
}

// Release ends Hold: what waited is written and synced.
func (d *Disk) Release() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.slow != nil {
		close(d.slow)
		d.slow = nil
	}
}

// wait returns when the disk is not slow any more.
func (d *Disk) wait() {
	d.mu.Lock()
	slow := d.slow
	d.mu.Unlock()
	if slow != nil {
		<-slow
	}
}

// Mount makes a disk for a test. synced is called after every fsync, when what a power cut would
// leave has changed; it must not use the files. The test is skipped where there is no FUSE, or no
// right to mount.
func Mount(t *testing.T, synced func(*Disk)) *Disk {
	t.Helper()
	if _, err := os.Stat("/dev/fuse"); err != nil || os.Geteuid() != 0 {
		t.Skip("needs root and /dev/fuse")
	}
	d := &Disk{Dir: t.TempDir(), synced: synced}
	d.root = &directory{disk: d}
	server, err := fs.Mount(d.Dir, d.root, &fs.Options{MountOptions: fuse.MountOptions{DirectMountStrict: true, FsName: "recordtest", Name: "recordtest"}})
	if errors.Is(err, syscall.EPERM) {
		t.Skipf("no file system can be mounted: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		d.Release()
		if err := server.Unmount(); err != nil {
			t.Error(err)
		}
	})
	return d
}

// Cut is what a power cut would leave now: the content of every file by its path.
func (d *Disk) Cut() map[string][]byte {
	d.mu.Lock()
	defer d.mu.Unlock()
	left := map[string][]byte{}
	d.root.left("", left)
	return left
}

// Restore writes what a power cut left into a directory.
func Restore(t *testing.T, left map[string][]byte, dir string) {
	t.Helper()
	for name, content := range left {
		path := filepath.Join(dir, name)
		if content == nil {
			if err := os.MkdirAll(path, 0o755); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, content, 0o644)); err != nil {
			t.Fatal(err)
		}
	}
}

// directory is one of the disk. Its names are those of the inode's children.
type directory struct {
	fs.Inode
	disk   *Disk
	synced map[string]*fs.Inode
}

// left adds what was synced; a directory has no content.
func (d *directory) left(path string, into map[string][]byte) {
	for name, child := range d.synced {
		at := filepath.Join(path, name)
		switch node := child.Operations().(type) {
		case *directory:
			into[at] = nil
			node.left(at, into)
		case *file:
			into[at] = append([]byte{}, node.synced...)
		}
	}
}

func (d *directory) Mkdir(ctx context.Context, _ string, _ uint32, _ *fuse.EntryOut) (*fs.Inode, syscall.Errno) {
	return d.NewPersistentInode(ctx, &directory{disk: d.disk}, fs.StableAttr{Mode: syscall.S_IFDIR}), 0
}

func (d *directory) Create(ctx context.Context, _ string, _, mode uint32, _ *fuse.EntryOut) (*fs.Inode, fs.FileHandle, uint32, syscall.Errno) {
	return d.NewPersistentInode(ctx, &file{disk: d.disk, mode: mode}, fs.StableAttr{Mode: syscall.S_IFREG}), nil, 0, 0
}

// Getattr says that everybody may do everything.
func (d *directory) Getattr(_ context.Context, _ fs.FileHandle, out *fuse.AttrOut) syscall.Errno {
	out.Mode = syscall.S_IFDIR | 0o755
	return 0
}

// Setattr changes nothing that a record depends on.
func (d *directory) Setattr(ctx context.Context, h fs.FileHandle, _ *fuse.SetAttrIn, out *fuse.AttrOut) syscall.Errno {
	return d.Getattr(ctx, h, out)
}

// Unlink, Rmdir and Rename change the children, which the library does.
func (d *directory) Unlink(context.Context, string) syscall.Errno { return 0 }

// Rmdir removes an empty directory.
func (d *directory) Rmdir(_ context.Context, name string) syscall.Errno {
	if child := d.GetChild(name); child != nil && len(child.Children()) > 0 {
		return syscall.ENOTEMPTY
	}
	return 0
}

// Rename refuses to replace a directory that holds something, as rename(2) does.
func (d *directory) Rename(_ context.Context, _ string, parent fs.InodeEmbedder, name string, _ uint32) syscall.Errno {
	if there := parent.EmbeddedInode().GetChild(name); there != nil && there.IsDir() && len(there.Children()) > 0 {
		return syscall.ENOTEMPTY
	}
	return 0
}

// Fsync keeps the names.
func (d *directory) Fsync(context.Context, fs.FileHandle, uint32) syscall.Errno {
	d.disk.wait()
	d.disk.mu.Lock()
	d.synced = maps.Clone(d.Children())
	d.disk.mu.Unlock()
	d.disk.synced(d.disk)
	return 0
}

// file is one of the disk.
type file struct {
	fs.Inode
	disk         *Disk
	mode         uint32
	data, synced []byte
}

func (f *file) Open(context.Context, uint32) (fs.FileHandle, uint32, syscall.Errno) { return nil, 0, 0 }

func (f *file) Read(_ context.Context, _ fs.FileHandle, dest []byte, at int64) (fuse.ReadResult, syscall.Errno) {
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	n := copy(dest, f.data[min(at, int64(len(f.data))):])
	return fuse.ReadResultData(dest[:n]), 0
}

func (f *file) Write(_ context.Context, _ fs.FileHandle, data []byte, at int64) (uint32, syscall.Errno) {
	f.disk.wait()
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	f.resize(max(int64(len(f.data)), at+int64(len(data))))
	copy(f.data[at:], data)
	return uint32(len(data)), 0
}

func (f *file) resize(n int64) {
	if more := n - int64(len(f.data)); more > 0 {
		f.data = append(f.data, make([]byte, more)...)
	}
	f.data = f.data[:n]
}

// Fsync keeps the content.
func (f *file) Fsync(context.Context, fs.FileHandle, uint32) syscall.Errno {
	f.disk.wait()
	f.disk.mu.Lock()
	f.synced = append([]byte{}, f.data...)
	f.disk.mu.Unlock()
	f.disk.synced(f.disk)
	return 0
}

// Getattr says how long the file is.
func (f *file) Getattr(_ context.Context, _ fs.FileHandle, out *fuse.AttrOut) syscall.Errno {
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	out.Mode, out.Size = syscall.S_IFREG|f.mode, uint64(len(f.data))
	return 0
}

// Setattr changes the length and the mode.
func (f *file) Setattr(ctx context.Context, h fs.FileHandle, in *fuse.SetAttrIn, out *fuse.AttrOut) syscall.Errno {
	f.disk.mu.Lock()
	if n, ok := in.GetSize(); ok {
		f.resize(int64(n))
	}
	if mode, ok := in.GetMode(); ok {
		f.mode = mode & 0o7777
	}
	f.disk.mu.Unlock()
	return f.Getattr(ctx, h, out)
}
