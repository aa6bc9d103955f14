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
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
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
		img, err := imageOnDisk(ctx, abs, kind, work)
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
func imageOnDisk(ctx context.Context, file, kind, work string) (v1.Image, error) {
	if kind == dockerManifest {
		img, err := tarball.Image(func() (io.ReadCloser, error) { return openArchive(file) }, nil)
		if err != nil {
			return nil, fmt.Errorf("read archive of docker: %w", err)
		}
		return img, nil
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
	index, err := layout.ImageIndexFromPath(dir)
	if err != nil {
		return nil, fmt.Errorf("read OCI layout: %w", err)
	}
	return pick(index)
}

// maxList bounds the list of an image's content; real ones have kilobytes.
const maxList = 4 << 20

// imageList says which form of image a path holds and returns its list.
func imageList(file string) (kind string, list []byte, err error) {
	info, err := os.Stat(file)
	if err != nil {
		return "", nil, err
	}
	if info.IsDir() {
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

// readLists reads the lists out of an archive.
func readLists(file string) (map[string][]byte, error) {
	r, err := openArchive(file)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	lists := map[string][]byte{}
	for t := tar.NewReader(r); ; {
		h, err := t.Next()
		if errors.Is(err, io.EOF) {
			return lists, nil
		}
		if err != nil {
			return nil, fmt.Errorf("read archive: %w: this is not a tar archive, or it is cut off", err)
		}
		name := path.Clean(h.Name)
		if name != ociIndex && name != dockerManifest {
			continue
		}
		if lists[name], err = io.ReadAll(io.LimitReader(t, maxList)); err != nil {
			return nil, fmt.Errorf("read archive: %w", err)
		}
	}
}
