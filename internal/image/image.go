// Package image builds tare's container image: one static program for several platforms, the same bytes from the same
// input.
package image

import (
	"archive/tar"
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"time"

	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// Spec is what an image is made of.
type Spec struct {
	// Binaries are the paths of static builds of tare for Linux, by architecture
	// ("amd64").
	Binaries map[string]string
	// Version is tare's, for the labels.
	Version string
	// Created is the time of all files and of the image; the zero time, which reads as
	// 1970, makes the image depend on the binaries alone.
	Created time.Time
}

// program is where the image has tare.
const program = "/tare"

// Index makes the image: one manifest for each architecture. Entry point is tare, so
// that the arguments of a container are those of a command line. There is no shell and
// no other file: what runs beside a measured server should be nothing else.
func (s Spec) Index() (v1.ImageIndex, error) {
	if len(s.Binaries) == 0 {
		return nil, fmt.Errorf("build image: no binary")
	}
	index := mutate.IndexMediaType(empty.Index, types.OCIImageIndex)
	for _, arch := range slices.Sorted(maps.Keys(s.Binaries)) {
		img, err := s.image(arch)
		if err != nil {
			return nil, fmt.Errorf("build image for %s: %w", arch, err)
		}
		index = mutate.AppendManifests(index, mutate.IndexAddendum{
			Add:        img,
			Descriptor: v1.Descriptor{Platform: &v1.Platform{OS: "linux", Architecture: arch}},
		})
	}
	return index, nil
}

func (s Spec) image(arch string) (v1.Image, error) {
	text, err := s.files(s.Binaries[arch])
	if err != nil {
		return nil, err
	}
	layer, err := tarball.LayerFromOpener(func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(text)), nil },
		tarball.WithMediaType(types.OCILayer))
	if err != nil {
		return nil, fmt.Errorf("make layer: %w", err)
	}
	img := mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), types.OCIConfigJSON)
	img, err = mutate.Append(img, mutate.Addendum{Layer: layer, History: v1.History{CreatedBy: "tare image", Created: v1.Time{Time: s.created()}}})
	if err != nil {
		return nil, fmt.Errorf("add layer: %w", err)
	}
	config, err := img.ConfigFile()
	if err != nil {
		return nil, fmt.Errorf("read configuration: %w", err)
	}
	config = config.DeepCopy()
	config.OS, config.Architecture, config.Created = "linux", arch, v1.Time{Time: s.created()}
	config.Config = v1.Config{
		Entrypoint: []string{program},
		Env:        []string{"PATH=/", "HOME=/tmp"},
		WorkingDir: "/",
		Labels: map[string]string{
			"org.opencontainers.image.title":    "tare",
			"org.opencontainers.image.version":  s.Version,
			"org.opencontainers.image.licenses": "Apache-2.0",
			"org.opencontainers.image.source":   "https://github.com/tarebench/tare",
		},
	}
	return mutate.ConfigFile(img, config)
}

// created is never the zero time of Go, which is before that of tar.
func (s Spec) created() time.Time {
	if s.Created.IsZero() {
		return time.Unix(0, 0).UTC()
	}
	return s.Created.UTC().Truncate(time.Second)
}

// files are the layer: the program, and a directory for temporary files.
func (s Spec) files(path string) ([]byte, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read program: %w", err)
	}
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, h := range []tar.Header{
		{Name: "tare", Typeflag: tar.TypeReg, Mode: 0o755, Size: int64(len(text))},
		{Name: "tmp/", Typeflag: tar.TypeDir, Mode: 0o1777},
	} {
		h.ModTime, h.Format = s.created(), tar.FormatUSTAR
		if err := w.WriteHeader(&h); err != nil {
			return nil, fmt.Errorf("write layer: %w", err)
		}
		if h.Typeflag == tar.TypeReg {
			if _, err := w.Write(text); err != nil {
				return nil, fmt.Errorf("write layer: %w", err)
			}
		}
	}
	if err := w.Close(); err != nil {
		return nil, fmt.Errorf("write layer: %w", err)
	}
	return b.Bytes(), nil
}

// Push puts the image into a registry under a reference, with the credentials that
// docker login, podman login or a credential helper left.
func Push(ctx context.Context, reference string, index v1.ImageIndex) (name.Digest, error) {
	ref, err := name.ParseReference(reference)
	if err != nil {
		return name.Digest{}, fmt.Errorf("read image reference: %w", err)
	}
	err = remote.WriteIndex(ref, index, remote.WithContext(ctx), remote.WithAuthFromKeychain(authn.DefaultKeychain), remote.WithUserAgent("tare"))
	if err != nil {
		return name.Digest{}, fmt.Errorf("push %s: %w", reference, err)
	}
	digest, err := index.Digest()
	if err != nil {
		return name.Digest{}, fmt.Errorf("hash image: %w", err)
	}
	return ref.Context().Digest(digest.String()), nil
}
