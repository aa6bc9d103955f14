package mysqld

// What describes an image (lists, indexes, manifests, configurations) is read whole into
// memory, by the library before it looks at a checksum. An archive of megabytes can hold
// gigabytes of zeros, so the size is checked first.

import (
	"archive/tar"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
)

// maxList bounds each file that describes an image, in bytes; real ones have kilobytes.
const maxList = 4 << 20

// small refuses a file of an image that is too large to be read whole.
func small(name string, size int64) error {
	if size < 0 || size > maxList {
		return fmt.Errorf("%s of the image has %d bytes; at most %d MiB are possible", name, size, maxList>>20)
	}
	return nil
}

// smallFile is small for a file on disk. Stores of images may link to it: what counts is what is read.
// A device or a pipe has no size and no end. One that is not there is the reader's to miss.
func smallFile(name, file string) error {
	info, err := os.Stat(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%s of the image is not a regular file", name)
	}
	return small(name, info.Size())
}

// layoutImage opens the image of an OCI layout on disk.
func layoutImage(dir string) (v1.Image, error) {
	whole := func(h v1.Hash) error { return wholeBlob(dir, h) }
	if err := smallFile(ociIndex, filepath.Join(dir, ociIndex)); err != nil {
		return nil, err
	}
	index, err := layout.ImageIndexFromPath(dir)
	if err != nil {
		return nil, fmt.Errorf("read OCI layout: %w", err)
	}
	img, err := pick(index, whole)
	if err != nil {
		return nil, err
	}
	m, err := img.Manifest()
	if err != nil {
		return nil, fmt.Errorf("read manifest of image: %w", err)
	}
	return img, whole(m.Config.Digest)
}

// wholeBlob refuses a blob of a layout that is too large to be read whole, or is not what its
// digest says: the library takes a layout on disk at its word. One that is not there is the
// reader's to miss.
func wholeBlob(dir string, h v1.Hash) error {
	file := filepath.Join(dir, "blobs", h.Algorithm, h.Hex)
	if err := smallFile("blob "+h.String(), file); err != nil {
		return err
	}
	content, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if sum := sha256.Sum256(content); hex.EncodeToString(sum[:]) != h.Hex {
		return fmt.Errorf("the checksum of blob %s is sha256:%x: the image is damaged", h, sum)
	}
	return nil
}

// dockerImage opens the image of an archive of docker's, whose list is given.
func dockerImage(file string, list []byte) (v1.Image, error) {
	var m tarball.Manifest
	if err := json.Unmarshal(list, &m); err != nil {
		return nil, fmt.Errorf("read %s: %w", dockerManifest, err)
	}
	if len(m) == 1 { // the library refuses others before it reads a configuration
		if err := smallEntry(file, m[0].Config); err != nil {
			return nil, err
		}
	}
	img, err := tarball.Image(func() (io.ReadCloser, error) { return openArchive(file) }, nil)
	if err != nil {
		return nil, fmt.Errorf("read archive of docker: %w", err)
	}
	return img, nil
}

// smallEntry is small for a file in an archive. A link is refused, as the library would
// follow it to a file that was not checked.
func smallEntry(file, name string) error {
	return eachEntry(file, func(h *tar.Header, _ io.Reader) error {
		if path.Clean(h.Name) != path.Clean(name) {
			return nil
		}
		if h.Typeflag != tar.TypeReg {
			return fmt.Errorf("%s of the image is not a regular file", name)
		}
		return small(name, h.Size)
	})
}

// eachEntry calls a function for every entry of an archive.
func eachEntry(file string, do func(*tar.Header, io.Reader) error) error {
	r, err := openArchive(file)
	if err != nil {
		return err
	}
	defer r.Close()
	for t := tar.NewReader(r); ; {
		h, err := t.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read archive: %w: this is not a tar archive, or it is cut off", err)
		}
		if err := do(h, t); err != nil {
			return err
		}
	}
}

// smallConfig is small for the configuration of a registry's image. The registry's answer
// ends at the size that the manifest says.
func smallConfig(img v1.Image) error {
	m, err := img.Manifest()
	if err != nil {
		return fmt.Errorf("read manifest of image: %w", err)
	}
	return small("configuration", m.Config.Size)
}
