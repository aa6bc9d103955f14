package mysqld

import (
	"archive/tar"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/containerd/containerd/v2/pkg/archive"
	"github.com/containerd/containerd/v2/pkg/archive/compression"
)

// unpackArchive unpacks a tar archive of a root file system into the cache,
// under the checksum of the archive.
func unpackArchive(ctx context.Context, path, cache string, log io.Writer) (string, error) {
	sum, err := checksum(path)
	if err != nil {
		return "", fmt.Errorf("read archive of root file system: %w", err)
	}
	root, err := once(ctx, cache, "rootfs-"+sum, log, func(work string) error {
		fmt.Fprintf(log, "Unpacking %s, once.\n", path)
		return untarFile(ctx, filepath.Join(work, "root"), path, rootFile)
	})
	if err != nil {
		return "", fmt.Errorf("unpack %s: %w", path, err)
	}
	if isImage(root) {
		return "", fmt.Errorf("%s is the archive of an image, not of a root file system: name it with oci instead of rootfs", path)
	}
	return root, nil
}

// isImage says whether what was unpacked as a root file system is an image: it
// has an image's list of content and no /usr.
func isImage(root string) bool {
	if _, err := os.Stat(filepath.Join(root, "usr")); err == nil {
		return false
	}
	for _, list := range []string{ociIndex, dockerManifest} {
		if _, err := os.Stat(filepath.Join(root, list)); err == nil {
			return true
		}
	}
	return false
}

// untarFile unpacks a tar archive, plain or compressed, into dir.
func untarFile(ctx context.Context, dir, file string, filter archive.Filter) error {
	r, err := openArchive(file)
	if err != nil {
		return err
	}
	defer r.Close()
	return untar(ctx, dir, r, filter)
}

// untar unpacks a tar stream with containerd's code, which is what unpacks most
// images: owners, modes, links, extended attributes and whiteouts as the OCI
// specification has them, and every path and link resolved inside dir.
func untar(ctx context.Context, dir string, r io.Reader, filter archive.Filter) error {
	opts := []archive.ApplyOpt{archive.WithFilter(bounded(filter, roomFor(filepath.Dir(dir))))}
	if os.Geteuid() != 0 {
		opts = append(opts, archive.WithNoSameOwner())
	}
	_, err := archive.Apply(ctx, dir, r, opts...)
	switch {
	case errors.Is(err, tar.ErrHeader):
		return fmt.Errorf("%w: this is not a tar archive, or a damaged one", err)
	case errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("%w: the archive is cut off; copy it again", err)
	}
	return err
}

// rootFile accepts what belongs into the cache: everything but devices, which
// each target provides, and which would be a way around the host's own
// permissions.
func rootFile(h *tar.Header) (bool, error) {
	return h.Typeflag != tar.TypeChar && h.Typeflag != tar.TypeBlock, nil
}

// blobFile accepts what an image archive consists of. Links would make the
// reader of the image follow them on this host.
func blobFile(h *tar.Header) (bool, error) {
	return h.Typeflag == tar.TypeReg || h.Typeflag == tar.TypeDir, nil
}

// openArchive opens a file and decompresses it where it is compressed with gzip
// or zstd.
func openArchive(file string) (io.ReadCloser, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, fmt.Errorf("open archive: %w", err)
	}
	d, err := compression.DecompressStream(f)
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("decompress archive: %w", err)
	}
	return &decompressed{d, f}, nil
}

// decompressed closes the file below the decompressor too.
type decompressed struct {
	io.ReadCloser
	file io.Closer
}

func (d *decompressed) Close() error {
	return errors.Join(d.ReadCloser.Close(), d.file.Close())
}
