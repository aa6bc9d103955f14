package mysqld

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// Source is how a user names a server. At most one field is set; none means
// the server of this host, looked for on PATH and where distributions put it.
type Source struct {
	// Path is a server binary of this host.
	Path string
	// Rootfs is a directory with a root file system, or a tar archive of one
	// (plain, gzip or zstd).
	Rootfs string
	// OCI is an OCI image layout (a directory or a tar archive) or an archive
	// that `docker save` wrote.
	OCI string
	// Image is a reference into a registry: "mysql:8.4", "repo/name@sha256:...".
	Image string
}

// String is the source as it is named in records: "path", "rootfs:/x",
// "oci:/x" or "image:ref".
func (s Source) String() string {
	switch {
	case s.Rootfs != "":
		return "rootfs:" + s.Rootfs
	case s.OCI != "":
		return "oci:" + s.OCI
	case s.Image != "":
		return "image:" + s.Image
	}
	return "path"
}

// Resolve finds the server that s names and says what it is. Archives and
// images are unpacked below cache, once: a second call with the same content
// reads nothing but what is there. What takes long is told on log.
//
// Errors are for the user: each says what is wrong and what to do.
func Resolve(ctx context.Context, s Source, cache string, log io.Writer) (Distribution, error) {
	if err := runsHere(); err != nil {
		return Distribution{}, err
	}
	if err := s.one(); err != nil {
		return Distribution{}, err
	}
	root, server, err := s.find(ctx, cache, log)
	if err != nil {
		return Distribution{}, fmt.Errorf("find server of %s: %w", s, err)
	}
	d, err := identify(ctx, root, server)
	if err != nil {
		return Distribution{}, fmt.Errorf("identify server of %s: %w", s, err)
	}
	d.Source = s.String()
	return d, nil
}

// one refuses a source that names more than one place.
func (s Source) one() error {
	n := 0
	for _, v := range []string{s.Path, s.Rootfs, s.OCI, s.Image} {
		if v != "" {
			n++
		}
	}
	if n > 1 {
		return errors.New("read database source: more than one of path, rootfs, oci and image is given; keep one")
	}
	return nil
}

// find returns the root file system and the server's path inside it.
func (s Source) find(ctx context.Context, cache string, log io.Writer) (root, server string, err error) {
	switch {
	case s.Rootfs != "":
		root, err = rootfs(ctx, s.Rootfs, cache, log)
	case s.OCI != "":
		root, err = ociRoot(ctx, s.OCI, cache, log)
	case s.Image != "":
		root, err = imageRoot(ctx, s.Image, cache, log)
	default:
		server, err = hostServer(s.Path)
		return "/", server, err
	}
	if err != nil {
		return "", "", err
	}
	server, err = serverIn(root)
	return root, server, err
}

// rootfs returns the directory of a root file system, unpacking an archive.
func rootfs(ctx context.Context, path, cache string, log io.Writer) (string, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	info, err := os.Stat(abs)
	switch {
	case err != nil:
		return "", fmt.Errorf("read root file system: %w", err)
	case !info.IsDir():
		return unpackArchive(ctx, abs, cache, log)
	}
	// Stat does not need read permission on the directory, finding a server in
	// it does: without it every candidate would merely seem to be missing.
	if _, err := os.ReadDir(abs); err != nil {
		return "", fmt.Errorf("read root file system: %w (run tare as a user who may read it)", err)
	}
	return filepath.EvalSymlinks(abs)
}
