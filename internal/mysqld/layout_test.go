package mysqld

import (
	"archive/tar"
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
)

// TestOCI: layouts and archives of one image, in every form, are the same.
func TestOCI(t *testing.T) {
	dir := t.TempDir()
	one := layoutOf(t, filepath.Join(dir, "one"), layered(t, runtime.GOARCH))
	multi := filepath.Join(dir, "multi")
	p, err := layout.Write(multi, empty.Index)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.AppendIndex(index(t, "s390x", runtime.GOARCH)); err != nil { // as skopeo and buildkit write them
		t.Fatal(err)
	}
	docker := filepath.Join(dir, "docker.tar")
	tag, err := name.NewTag("mysql:8.4")
	if err != nil {
		t.Fatal(err)
	}
	if err := tarball.WriteToFile(docker, tag, layered(t, runtime.GOARCH)); err != nil {
		t.Fatal(err)
	}
	dockerText, err := os.ReadFile(docker)
	if err != nil {
		t.Fatal(err)
	}
	archive := tarDir(t, one)
	for name, path := range map[string]string{
		"layout":             one,
		"layout with index":  multi,
		"archive":            write(t, filepath.Join(dir, "a.tar"), archive),
		"archive, gzip":      write(t, filepath.Join(dir, "a.tar.gz"), gz(t, archive)),
		"archive with index": write(t, filepath.Join(dir, "m.tar"), tarDir(t, multi)),
		"docker":             docker,
		"docker, gzip":       write(t, filepath.Join(dir, "d.tar.gz"), gz(t, dockerText)),
	} {
		t.Run(name, func(t *testing.T) {
			cache, log := t.TempDir(), &bytes.Buffer{}
			for range 2 {
				d, err := Resolve(context.Background(), Source{OCI: path}, cache, log)
				if err != nil {
					t.Fatal(err)
				}
				checkImage(t, d)
			}
			if n := strings.Count(log.String(), "once"); n != 1 {
				t.Errorf("unpacked %d times, want once", n)
			}
		})
	}
}

// TestOCIBad: layouts that cannot be used, and why.
func TestOCIBad(t *testing.T) {
	dir := t.TempDir()
	damaged := layoutOf(t, filepath.Join(dir, "damaged"), image(t, runtime.GOARCH, tarOf(t, rootEntries(t)...)))
	swap(t, damaged, image(t, runtime.GOARCH, tarOf(t, rootEntries(t)...)), tarOf(t, entry{name: "evil"}))
	changed := layoutOf(t, filepath.Join(dir, "changed"), layered(t, runtime.GOARCH))
	config, err := layered(t, runtime.GOARCH).ConfigName()
	if err != nil {
		t.Fatal(err)
	}
	blob := filepath.Join(changed, "blobs", "sha256", config.Hex)
	content, err := os.ReadFile(blob)
	if err != nil {
		t.Fatal(err)
	}
	write(t, blob, append(content, '\n'))
	for name, c := range map[string]struct{ path, want string }{
		"no layout": {t.TempDir(), "rootfs instead of oci"},
		"missing":   {filepath.Join(dir, "nothing"), "no such file"},
		"foreign":   {layoutOf(t, filepath.Join(dir, "foreign"), layered(t, "s390x")), "the image is for linux/s390x"},
		"several":   {layoutOf(t, filepath.Join(dir, "several"), layered(t, runtime.GOARCH), image(t, runtime.GOARCH, tarOf(t))), "2 images fit"},
		"empty":     {layoutOf(t, filepath.Join(dir, "empty")), "no image for linux/"},
		"damaged":   {damaged, "the image is damaged"},
		"changed":   {changed, "the image is damaged"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Resolve(context.Background(), Source{OCI: c.path}, t.TempDir(), io.Discard)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q in it", err, c.want)
			}
		})
	}
}

// swap puts another content into the blob of an image's only layer.
func swap(t *testing.T, dir string, img v1.Image, content []byte) {
	t.Helper()
	layers, err := img.Layers()
	if err != nil {
		t.Fatal(err)
	}
	blob := filepath.Join(dir, "blobs", "sha256", digest(t, layers[0]).Hex)
	if err := os.Remove(blob); err != nil { // it has to be there
		t.Fatal(err)
	}
	write(t, blob, gz(t, content))
}

func layoutOf(t *testing.T, dir string, images ...v1.Image) string {
	t.Helper()
	p, err := layout.Write(dir, empty.Index)
	if err != nil {
		t.Fatal(err)
	}
	for _, img := range images {
		if err := p.AppendImage(img); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func tarDir(t *testing.T, dir string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	if err := w.AddFS(os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
