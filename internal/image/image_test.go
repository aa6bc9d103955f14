package image

import (
	"archive/tar"
	"bytes"
	"errors"
	"io"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/validate"
)

func spec(t *testing.T) Spec {
	t.Helper()
	s := Spec{Version: "1.2.3", Binaries: map[string]string{}}
	for _, arch := range []string{"amd64", "arm64"} {
		s.Binaries[arch] = filepath.Join(t.TempDir(), "tare")
		if err := os.WriteFile(s.Binaries[arch], []byte("program for "+arch), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// TestArchive: an archive is read back whole by the library's own reader, has an image
// for each architecture, and is the same bytes every time.
func TestArchive(t *testing.T) {
	s := spec(t)
	var first, second bytes.Buffer
	for _, b := range []*bytes.Buffer{&first, &second} {
		index, err := s.Index()
		if err != nil {
			t.Fatal(err)
		}
		if err := WriteArchive(b, index, "localhost/tare:1.2.3"); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(first.Bytes(), second.Bytes()) {
		t.Error("two archives of the same binaries differ")
	}
	dir := unpacked(t, &first)
	outer, err := layout.ImageIndexFromPath(dir)
	if err != nil {
		t.Fatal(err)
	}
	manifest, err := outer.IndexManifest()
	if err != nil {
		t.Fatal(err)
	}
	if len(manifest.Manifests) != 1 || manifest.Manifests[0].Annotations["io.containerd.image.name"] != "localhost/tare:1.2.3" {
		t.Fatalf("outer index: %+v", manifest.Manifests)
	}
	inner, err := outer.ImageIndex(manifest.Manifests[0].Digest)
	if err != nil {
		t.Fatal(err)
	}
	checkIndex(t, inner)
}

// TestPush: the same image through a registry.
func TestPush(t *testing.T) {
	server := httptest.NewServer(registry.New())
	defer server.Close()
	index, err := spec(t).Index()
	if err != nil {
		t.Fatal(err)
	}
	reference := strings.TrimPrefix(server.URL, "http://") + "/tare:1.2.3"
	digest, err := Push(t.Context(), reference, index)
	if err != nil {
		t.Fatal(err)
	}
	ref, err := name.ParseReference(digest.String())
	if err != nil {
		t.Fatal(err)
	}
	back, err := remote.Index(ref)
	if err != nil {
		t.Fatal(err)
	}
	checkIndex(t, back)
}

func TestNoBinary(t *testing.T) {
	if _, err := (Spec{}).Index(); err == nil {
		t.Error("an image without a program")
	}
	if _, err := (Spec{Binaries: map[string]string{"amd64": "/no/such/file"}}).Index(); err == nil {
		t.Error("an image of a program that is not there")
	}
}

func checkIndex(t *testing.T, index v1.ImageIndex) {
	t.Helper()
	if err := validate.Index(index); err != nil {
		t.Error(err)
	}
	manifest, err := index.IndexManifest()
	if err != nil {
		t.Fatal(err)
	}
	for i, arch := range []string{"amd64", "arm64"} {
		m := manifest.Manifests[i]
		if m.Platform == nil || m.Platform.Architecture != arch || m.Platform.OS != "linux" {
			t.Fatalf("platform %v, want %s", m.Platform, arch)
		}
		img, err := index.Image(m.Digest)
		if err != nil {
			t.Fatal(err)
		}
		config, err := img.ConfigFile()
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{"/tare"}, config.Config.Entrypoint); diff != "" || config.Architecture != arch {
			t.Errorf("architecture %s, entry point: %s", config.Architecture, diff)
		}
		layers, err := img.Layers()
		if err != nil || len(layers) != 1 {
			t.Fatal(len(layers), err)
		}
		r, err := layers[0].Uncompressed()
		if err != nil {
			t.Fatal(err)
		}
		files := tar.NewReader(r)
		h, err := files.Next()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(files)
		if err != nil || h.Name != "tare" || h.Mode != 0o755 || string(text) != "program for "+arch {
			t.Errorf("%s, mode %o: %q, %v", h.Name, h.Mode, text, err)
		}
	}
}

// unpacked is the directory of an archive.
func unpacked(t *testing.T, archive io.Reader) string {
	t.Helper()
	dir := t.TempDir()
	for r := tar.NewReader(archive); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return dir
		}
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, filepath.FromSlash(h.Name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
