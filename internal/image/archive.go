package image

import (
	"archive/tar"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"

	"github.com/tarebench/tare/internal/remove"
)

// WriteArchive writes the image as an OCI archive (image-spec, image-layout.md): a tar
// file that podman load, skopeo, ctr images import and kind load image-archive read.
// Reference is the name that they give it, "localhost/tare:1.2.3".
func WriteArchive(w io.Writer, index v1.ImageIndex, reference string) (err error) {
	dir, err := os.MkdirTemp("", "tare-image-")
	if err != nil {
		return fmt.Errorf("write image: %w", err)
	}
	defer func() { err = errors.Join(err, remove.Tree(os.TempDir(), dir)) }()
	// The name stands in the outermost index; containerd and podman have different
	// annotations for it.
	named := mutate.AppendManifests(empty.Index, mutate.IndexAddendum{
		Add: index,
		Descriptor: v1.Descriptor{Annotations: map[string]string{
			"io.containerd.image.name":          reference,
			"org.opencontainers.image.ref.name": reference,
		}},
	})
	if _, err := layout.Write(dir, named); err != nil {
		return fmt.Errorf("write image: %w", err)
	}
	t := tar.NewWriter(w)
	// WalkDir goes in lexical order: the same image is the same archive.
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		return addFile(t, dir, path)
	})
	if err != nil {
		return fmt.Errorf("write image: %w", err)
	}
	if err := t.Close(); err != nil {
		return fmt.Errorf("write image: %w", err)
	}
	return nil
}

func addFile(t *tar.Writer, dir, path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	name, err := filepath.Rel(dir, path)
	if err != nil {
		return err
	}
	if err := t.WriteHeader(&tar.Header{Name: filepath.ToSlash(name), Typeflag: tar.TypeReg, Mode: 0o644, Size: info.Size(), Format: tar.FormatUSTAR}); err != nil {
		return err
	}
	_, err = io.Copy(t, f)
	return err
}
