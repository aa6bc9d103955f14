package mysqld

import (
	"archive/tar"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"runtime"

	v1 "github.com/google/go-containerregistry/pkg/v1"
)

// The two forms of image on disk, by the file that lists their content. Docker
// from version 25 on writes both into one archive; the layout's is the better
// one, as everything it names, it names by digest.
const (
	ociIndex       = "index.json"
	dockerManifest = "manifest.json"
)

// ociRoot unpacks an image that is on disk into the cache. The key is the
// checksum of the file that lists the image's content by digest: reading the
// rest can be left out when it has been unpacked before.
func ociRoot(ctx context.Context, path, cache string, log io.Writer) (string, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	kind, list, err := imageList(abs)
	if err != nil {
		return "", fmt.Errorf("read image %s: %w", path, err)
	}
	sum := sha256.Sum256(list)
	root, err := once(ctx, cache, "oci-"+hex.EncodeToString(sum[:])+"-"+runtime.GOARCH, log, func(work string) error {
		fmt.Fprintf(log, "Unpacking %s, once.\n", path)
		img, err := imageOnDisk(ctx, abs, kind, list, work)
		if err != nil {
			return err
		}
		return unpackImage(ctx, img, work, log)
	})
	if err != nil {
		return "", fmt.Errorf("unpack image %s: %w", path, err)
	}
	return root, nil
}

// imageOnDisk opens an image in any of its three forms.
func imageOnDisk(ctx context.Context, file, kind string, list []byte, work string) (v1.Image, error) {
	if kind == dockerManifest {
		return dockerImage(file, list)
	}
	dir := file
	if info, err := os.Stat(file); err != nil {
		return nil, err
	} else if !info.IsDir() {
		dir = filepath.Join(work, "layout")
		if err := os.Mkdir(dir, 0o700); err != nil {
			return nil, err
		}
		if err := untarFile(ctx, dir, file, blobFile); err != nil {
			return nil, err
		}
	}
	return layoutImage(dir)
}

// imageList says which form of image a path holds and returns its list.
func imageList(file string) (kind string, list []byte, err error) {
	info, err := os.Stat(file)
	if err != nil {
		return "", nil, err
	}
	if info.IsDir() {
		if err := smallFile(ociIndex, filepath.Join(file, ociIndex)); err != nil {
			return "", nil, err
		}
		list, err := os.ReadFile(filepath.Join(file, ociIndex))
		if errors.Is(err, os.ErrNotExist) {
			return "", nil, fmt.Errorf("%w: this is not an OCI image layout; name a root file system with rootfs instead of oci", err)
		}
		return ociIndex, list, err
	}
	lists, err := readLists(file)
	if err != nil {
		return "", nil, err
	}
	for _, kind := range []string{ociIndex, dockerManifest} {
		if list, ok := lists[kind]; ok {
			return kind, list, nil
		}
	}
	return "", nil, errors.New("the archive holds no image (neither index.json nor manifest.json); name a root file system with rootfs instead of oci")
}

// readLists reads the lists out of an archive. Each is there once and a file: of two, or of
// a link, the library would read another one than is read here.
func readLists(file string) (map[string][]byte, error) {
	lists := map[string][]byte{}
	err := eachEntry(file, func(h *tar.Header, r io.Reader) error {
		name := path.Clean(h.Name)
		if name != ociIndex && name != dockerManifest {
			return nil
		}
		if _, twice := lists[name]; twice || h.Typeflag != tar.TypeReg {
			return fmt.Errorf("read archive: %s is there twice, or is not a regular file: the image is damaged", name)
		}
		if err := small(name, h.Size); err != nil {
			return err
		}
		list, err := io.ReadAll(r)
		if err != nil {
			return fmt.Errorf("read archive: %w", err)
		}
		lists[name] = list
		return nil
	})
	return lists, err
}
