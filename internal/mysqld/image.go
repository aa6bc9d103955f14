package mysqld

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"runtime"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// platform is what a server on this machine has to be built for.
func platform() v1.Platform { return v1.Platform{OS: "linux", Architecture: runtime.GOARCH} }

// unpackImage puts the layers of an image over each other in work/root.
func unpackImage(ctx context.Context, img v1.Image, work string, log io.Writer) error {
	config, err := configOf(img)
	if err != nil {
		return err
	}
	layers, err := img.Layers()
	if err != nil {
		return fmt.Errorf("read layers of image: %w", err)
	}
	if len(layers) != len(config.RootFS.DiffIDs) {
		return fmt.Errorf("the image has %d layers and its configuration names %d: the image is damaged", len(layers), len(config.RootFS.DiffIDs))
	}
	for i, l := range layers {
		if size, err := l.Size(); err == nil {
			fmt.Fprintf(log, "Unpacking layer %d of %d (%.1f MB).\n", i+1, len(layers), float64(size)/1e6)
		}
		if err := unpackLayer(ctx, l, config.RootFS.DiffIDs[i], filepath.Join(work, "root")); err != nil {
			return fmt.Errorf("unpack layer %d of image: %w", i+1, err)
		}
	}
	return nil
}

// unpackLayer applies one layer, whiteouts included, and holds its content
// against the checksum that the image's configuration has for it. Registries
// are checked by the library as well; a layout on disk it takes at its word,
// and computes the layer's own DiffID from what is there.
func unpackLayer(ctx context.Context, l v1.Layer, want v1.Hash, root string) error {
	r, err := l.Uncompressed()
	if err != nil {
		return err
	}
	defer r.Close()
	sum := sha256.New()
	tee := io.TeeReader(r, sum)
	if err := untar(ctx, root, tee, rootFile); err != nil {
		return err
	}
	// A tar stream ends before its padding does; the checksum covers both.
	if _, err := io.Copy(io.Discard, tee); err != nil {
		return err
	}
	if got := hex.EncodeToString(sum.Sum(nil)); got != want.Hex {
		return fmt.Errorf("its checksum is sha256:%s and should be %s: the image is damaged", got, want)
	}
	return nil
}

// configOf is the configuration of an image that fits this machine.
func configOf(img v1.Image) (*v1.ConfigFile, error) {
	raw, err := img.RawConfigFile()
	if err != nil {
		return nil, fmt.Errorf("read configuration of image: %w", err)
	}
	c, err := v1.ParseConfigFile(bytes.NewReader(raw))
	if err != nil {
		return nil, fmt.Errorf("read configuration of image: %w", err)
	}
	want := platform()
	if (c.OS != "" && c.OS != want.OS) || (c.Architecture != "" && c.Architecture != want.Architecture) {
		return nil, fmt.Errorf("the image is for %s/%s and this machine is %s: name an image for it", c.OS, c.Architecture, want)
	}
	return c, nil
}

// pick chooses the image of an index that fits this machine. check is called for every blob
// that is going to be read whole.
func pick(index v1.ImageIndex, check func(v1.Hash) error) (v1.Image, error) {
	c := candidates{check: check}
	if err := c.add(index, 0); err != nil {
		return nil, err
	}
	switch {
	case len(c.images) == 0:
		return nil, fmt.Errorf("no image for %s among %v: name an image for this machine", platform(), c.offered)
	case len(c.images) > 1:
		return nil, fmt.Errorf("%d images fit this machine: make a layout or archive that holds one", len(c.images))
	}
	return c.images[0], nil
}

const (
	// maxDepth of indexes within indexes. A multi-platform image in a layout makes
	// two; more is a mistake or malice.
	maxDepth = 4
	// mostListed bounds what the indexes list together. Indexes that list each other many
	// times would not end otherwise. An image for every platform lists about twenty.
	mostListed = 1000
)

// candidates are the images of an index that may run here, and what platforms
// were offered. Descriptors of single-platform layouts name no platform; the
// image's own configuration is asked then, by configOf.
type candidates struct {
	check   func(v1.Hash) error
	listed  int
	images  []v1.Image
	offered []string
}

func (c *candidates) add(index v1.ImageIndex, depth int) error {
	m, err := index.IndexManifest()
	if err != nil {
		return fmt.Errorf("read image index: %w", err)
	}
	if depth > maxDepth {
		return errors.New("read image index: indexes within indexes too deep")
	}
	if c.listed += len(m.Manifests); c.listed > mostListed {
		return fmt.Errorf("read image index: more than %d images are listed: the image is damaged", mostListed)
	}
	for _, d := range m.Manifests {
		switch {
		case d.Platform != nil && !d.Platform.Satisfies(platform()):
			c.offered = append(c.offered, d.Platform.String())
		case d.MediaType.IsIndex():
			err = c.addIndex(index, d, depth)
		case d.MediaType != types.OCIManifestSchema1 && d.MediaType != types.DockerManifestSchema2:
			c.offered = append(c.offered, string(d.MediaType))
		default:
			err = c.addImage(index, d)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (c *candidates) addIndex(index v1.ImageIndex, d v1.Descriptor, depth int) error {
	if err := c.check(d.Digest); err != nil {
		return err
	}
	inner, err := index.ImageIndex(d.Digest)
	if err != nil {
		return fmt.Errorf("read image index: %w", err)
	}
	return c.add(inner, depth+1)
}

func (c *candidates) addImage(index v1.ImageIndex, d v1.Descriptor) error {
	if err := c.check(d.Digest); err != nil {
		return err
	}
	img, err := index.Image(d.Digest)
	if err != nil {
		return fmt.Errorf("read image: %w", err)
	}
	c.images = append(c.images, img)
	return nil
}
