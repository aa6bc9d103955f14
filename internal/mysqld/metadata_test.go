package mysqld

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
)

// large is more than is read whole.
func large() string { return strings.Repeat(" ", maxList+1) }

// largeConfig is an image that is whole, but for the size of its configuration.
func largeConfig(t *testing.T) v1.Image {
	t.Helper()
	img := layered(t, runtime.GOARCH)
	c, err := img.ConfigFile()
	if err != nil {
		t.Fatal(err)
	}
	c = c.DeepCopy()
	c.Author = large()
	if img, err = mutate.ConfigFile(img, c); err != nil {
		t.Fatal(err)
	}
	return img
}

// TestImageMetadataIsBounded: what describes an image is not read into memory when it is
// large, from a layout, an archive and a registry.
func TestImageMetadataIsBounded(t *testing.T) {
	dir := t.TempDir()
	index := layoutOf(t, filepath.Join(dir, "index"), layered(t, runtime.GOARCH))
	appendTo(t, filepath.Join(index, ociIndex), large()) // spaces after a value are JSON
	linked := layoutOf(t, filepath.Join(dir, "linked"), layered(t, runtime.GOARCH))
	linkTo(t, filepath.Join(linked, ociIndex), filepath.Join(index, ociIndex))
	manifest, _ := mutate.Annotations(layered(t, runtime.GOARCH), map[string]string{"a": large()}).(v1.Image)
	config := layoutOf(t, filepath.Join(dir, "config"), largeConfig(t))
	docker := filepath.Join(dir, "docker.tar")
	tag, err := name.NewTag("mysql:8.4")
	if err == nil {
		err = tarball.WriteToFile(docker, tag, largeConfig(t))
	}
	if err != nil {
		t.Fatal(err)
	}
	host, _ := server(t, nil)
	push(t, host+"/mysql:large", largeConfig(t))
	for name, s := range map[string]Source{
		"index":           {OCI: index},
		"index, link":     {OCI: linked},
		"index, archive":  {OCI: write(t, filepath.Join(dir, "index.tar"), tarDir(t, index))},
		"manifest":        {OCI: layoutOf(t, filepath.Join(dir, "manifest"), manifest)},
		"config":          {OCI: config},
		"config, archive": {OCI: write(t, filepath.Join(dir, "config.tar.gz"), gz(t, tarDir(t, config)))},
		"config, docker":  {OCI: docker},
		"config, pulled":  {Image: host + "/mysql:large"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := Resolve(context.Background(), s, t.TempDir(), io.Discard); err == nil || !strings.Contains(err.Error(), "at most 4 MiB are possible") {
				t.Errorf("error %v", err)
			}
		})
	}
}

// linkTo puts a link in the place of a file.
func linkTo(t *testing.T, file, to string) {
	t.Helper()
	if err := errors.Join(os.RemoveAll(file), os.Symlink(to, file)); err != nil {
		t.Fatal(err)
	}
}

// TestImageMetadataOfLinks: a link to a file is followed, as stores of images have some, and one to
// a device, which can be read without end, is refused.
func TestImageMetadataOfLinks(t *testing.T) {
	dir := t.TempDir()
	stored := layoutOf(t, filepath.Join(dir, "stored"), layered(t, runtime.GOARCH))
	moved := filepath.Join(dir, "index.json")
	if err := os.Rename(filepath.Join(stored, ociIndex), moved); err != nil {
		t.Fatal(err)
	}
	for to, says := range map[string]string{moved: "", os.DevNull: "is not a regular file"} {
		linkTo(t, filepath.Join(stored, ociIndex), to)
		_, list, err := imageList(stored)
		if (err == nil) != (says == "") || err != nil && !strings.Contains(err.Error(), says) || err == nil && len(list) == 0 {
			t.Errorf("a link to %s: %d bytes, %v; want %q", to, len(list), err, says)
		}
	}
}

// TestImageIndexIsBounded: an index that lists one image again and again.
func TestImageIndexIsBounded(t *testing.T) {
	dir := layoutOf(t, filepath.Join(t.TempDir(), "many"), layered(t, runtime.GOARCH))
	file := filepath.Join(dir, ociIndex)
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, found := bytes.Cut(text, []byte("["))
	one, tail, closed := bytes.Cut(rest, []byte("]"))
	if !found || !closed {
		t.Fatalf("%s", text)
	}
	many := bytes.Join(slices.Repeat([][]byte{one}, mostListed+1), []byte(","))
	write(t, file, slices.Concat(head, []byte("["), many, []byte("]"), tail))
	if _, err := Resolve(context.Background(), Source{OCI: dir}, t.TempDir(), io.Discard); err == nil || !strings.Contains(err.Error(), "more than 1000 images are listed") {
		t.Errorf("error %v", err)
	}
}

func appendTo(t *testing.T, file, text string) {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	write(t, file, append(b, text...))
}
