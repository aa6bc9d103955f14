package record

import (
	"archive/tar"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"github.com/tarebench/tare/internal/remove"
)

// packEnd is the last file of an archive. archive/tar takes one that was cut off between
// two files for whole.
const packEnd = "tare-pack-end"

// Pack writes a run directory as a tar archive: its regular files, with paths below the
// directory. Links and other files, which no run has, are left out.
func Pack(w io.Writer, dir string) error {
	t := tar.NewWriter(w)
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		return packFile(t, path, filepath.ToSlash(name))
	})
	if err == nil {
		err = t.WriteHeader(&tar.Header{Name: packEnd, Typeflag: tar.TypeReg, Mode: 0o644})
	}
	if err == nil {
		err = t.Close()
	}
	if err != nil {
		return fmt.Errorf("pack run: %w", err)
	}
	return nil
}

// packFile adds a file as long as it is now: the stream of a trial under way grows.
func packFile(t *tar.Writer, path, name string) error {
	f, err := OpenFile(path)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if err := t.WriteHeader(&tar.Header{Name: name, Typeflag: tar.TypeReg, Mode: 0o644, Size: info.Size(), ModTime: info.ModTime()}); err != nil {
		return err
	}
	_, err = io.CopyN(t, f, info.Size())
	return err
}

// Unpack makes dir from what Pack wrote. dir must not exist, and does not exist until all of the archive is in it: a part of
// a run must not be taken for the run. Nothing is written outside
// of it, whatever the archive says: it comes from elsewhere.
// What it unpacks to is limited to 16 GiB, by what the headers declare: a sparse file of a
// few bytes can be terabytes.
func Unpack(r io.Reader, dir string) error { return unpack(r, dir, mostUnpacked) }

const (
	// mostUnpacked is in bytes: a run of a night has less than 1 GiB.
	mostUnpacked = 16 << 30
	// entrySize is what an entry counts at least: it takes an inode.
	entrySize = 4 << 10
)

func unpack(r io.Reader, dir string, left int64) (err error) {
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return fmt.Errorf("unpack run: %w", err)
	}
	if _, err := os.Lstat(dir); !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("unpack run: %w", cmp.Or(err, error(&fs.PathError{Op: "create", Path: dir, Err: fs.ErrExist})))
	}
	part, err := os.MkdirTemp(filepath.Dir(dir), "."+filepath.Base(dir)+".part-") // a name that no list of runs takes for one
	if err != nil {
		return fmt.Errorf("unpack run: %w", err)
	}
	if err = os.Chmod(part, 0o755); err == nil {
		err = unpackInto(r, part, left)
	}
	if err == nil {
		err = os.Rename(part, dir)
	}
	if err != nil {
		return fmt.Errorf("unpack run: %w", errors.Join(err, remove.Tree(filepath.Dir(dir), part)))
	}
	return nil
}

func unpackInto(r io.Reader, dir string, left int64) (err error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	for t := tar.NewReader(r); ; {
		h, err := t.Next()
		switch {
		case errors.Is(err, io.EOF):
			return fmt.Errorf("the archive is incomplete: %w", io.ErrUnexpectedEOF)
		case err == nil && h.Name == packEnd:
			return nil
		case err == nil && max(h.Size, entrySize) > left:
			err = fmt.Errorf("the archive unpacks to more than the limit of %d MiB", mostUnpacked>>20)
		case err == nil:
			left -= max(h.Size, entrySize)
			err = unpackFile(root, h, t)
		}
		if err != nil {
			return err
		}
	}
}

func unpackFile(root *os.Root, h *tar.Header, text io.Reader) error {
	if h.Typeflag != tar.TypeReg || !fs.ValidPath(h.Name) {
		return fmt.Errorf("%q is not a file of a run", h.Name)
	}
	if err := root.MkdirAll(path.Dir(h.Name), 0o755); err != nil {
		return err
	}
	f, err := root.OpenFile(h.Name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, text)
	if err := errors.Join(err, f.Close()); err != nil {
		return err
	}
	// A report is told from the record by its time (serve's list).
	return root.Chtimes(h.Name, h.ModTime, h.ModTime)
}
