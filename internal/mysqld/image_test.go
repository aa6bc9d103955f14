package mysqld

import (
	"archive/tar"
	"bytes"
	"context"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
)

// image makes an image of layers, for an architecture.
func image(t *testing.T, arch string, layers ...[]byte) v1.Image {
	t.Helper()
	img := empty.Image
	for _, content := range layers {
		l, err := tarball.LayerFromOpener(func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(content)), nil }, tarball.WithCompressedCaching)
		if err != nil {
			t.Fatal(err)
		}
		if img, err = mutate.AppendLayers(img, l); err != nil {
			t.Fatal(err)
		}
	}
	c, err := img.ConfigFile()
	if err != nil {
		t.Fatal(err)
	}
	c = c.DeepCopy()
	c.OS, c.Architecture = "linux", arch
	if img, err = mutate.ConfigFile(img, c); err != nil {
		t.Fatal(err)
	}
	return img
}

// layered is rootEntries in three layers: the second brings a wrong server and
// a file, the third corrects the one and deletes the other.
func layered(t *testing.T, arch string) v1.Image {
	t.Helper()
	all := rootEntries(t)
	wrong := entry{name: "opt/server/bin/mysqld-real", content: "#!/bin/false"}
	return image(t, arch,
		tarOf(t, all[:4]...),
		tarOf(t, wrong, entry{name: "etc/gone", content: "x"}, entry{name: "var/run/", mode: 0o755}, entry{name: "var/run/old", content: "x"}),
		tarOf(t, append(all[4:], entry{name: "etc/.wh.gone"}, entry{name: "var/run/.wh..wh..opq"}, entry{name: "link", kind: tar.TypeSymlink, link: "/etc"})...),
	)
}

// checkImage checks what was unpacked of layered.
func checkImage(t *testing.T, d Distribution) {
	t.Helper()
	checkFake(t, d)
	for _, gone := range []string{"etc/gone", "var/run/old", "etc/.wh.gone"} {
		if _, err := os.Lstat(filepath.Join(d.Root, gone)); err == nil {
			t.Errorf("%s is there, and a layer deletes it", gone)
		}
	}
}

// server is an in-process registry; handler may wrap it.
func server(t *testing.T, wrap func(http.Handler) http.Handler) (host string, srv *httptest.Server) {
	t.Helper()
	h := registry.New(registry.Logger(log.New(io.Discard, "", 0)))
	if wrap != nil {
		h = wrap(h)
	}
	srv = httptest.NewServer(h)
	t.Cleanup(srv.Close)
	return strings.TrimPrefix(srv.URL, "http://"), srv
}

func push(t *testing.T, ref string, img v1.Image) v1.Hash {
	t.Helper()
	r, err := name.ParseReference(ref)
	if err != nil {
		t.Fatal(err)
	}
	if err := remote.Write(r, img); err != nil {
		t.Fatal(err)
	}
	return digest(t, img)
}

func digest(t *testing.T, img interface{ Digest() (v1.Hash, error) }) v1.Hash {
	t.Helper()
	d, err := img.Digest()
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func resolveImage(ref, cache string, log io.Writer) (Distribution, error) {
	return Resolve(context.Background(), Source{Image: ref}, cache, log)
}

// TestImage: a tag is looked up each time and pulled once; a digest that was
// pulled needs no registry.
func TestImage(t *testing.T) {
	host, srv := server(t, nil)
	ref := host + "/db/mysql:8.4"
	sum := push(t, ref, layered(t, runtime.GOARCH))
	cache, log := t.TempDir(), &bytes.Buffer{}
	for range 2 {
		d, err := resolveImage(ref, cache, log)
		if err != nil {
			t.Fatal(err)
		}
		checkImage(t, d)
		if d.Source != "image:"+ref {
			t.Errorf("source is %s", d.Source)
		}
	}
	if n := strings.Count(log.String(), "Pulling"); n != 1 {
		t.Errorf("pulled %d times, want once", n)
	}
	srv.Close()
	d, err := resolveImage(host+"/db/mysql@"+sum.String(), cache, log)
	if err != nil {
		t.Fatalf("by digest, without the registry: %v", err)
	}
	checkImage(t, d)
	if _, err := resolveImage(ref, cache, log); err == nil || !strings.Contains(err.Error(), "cannot be reached") {
		t.Errorf("by tag, without the registry: %v", err)
	}
}

// TestImageMoves: when a tag is pushed again, the new image is what runs.
func TestImageMoves(t *testing.T) {
	host, _ := server(t, nil)
	ref, cache := host+"/mysql:latest", t.TempDir()
	push(t, ref, image(t, runtime.GOARCH, tarOf(t, append(rootEntries(t), entry{name: "old"})...)))
	first, err := resolveImage(ref, cache, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	push(t, ref, image(t, runtime.GOARCH, tarOf(t, append(rootEntries(t), entry{name: "new"})...)))
	second, err := resolveImage(ref, cache, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	if first.Root == second.Root {
		t.Error("the new image is in the old one's place")
	}
	if _, err := os.Stat(filepath.Join(second.Root, "new")); err != nil {
		t.Error(err)
	}
}

// index is a multi-platform image.
func index(t *testing.T, archs ...string) v1.ImageIndex {
	t.Helper()
	idx := v1.ImageIndex(empty.Index)
	for _, arch := range archs {
		idx = mutate.AppendManifests(idx, mutate.IndexAddendum{
			Add: layered(t, arch), Descriptor: v1.Descriptor{Platform: &v1.Platform{OS: "linux", Architecture: arch}},
		})
	}
	return idx
}

func TestImageIndex(t *testing.T) {
	host, srv := server(t, nil)
	cache := t.TempDir()
	put := func(tag string, idx v1.ImageIndex) string {
		r, err := name.ParseReference(host + "/mysql:" + tag)
		if err != nil {
			t.Fatal(err)
		}
		if err := remote.WriteIndex(r, idx); err != nil {
			t.Fatal(err)
		}
		return r.String()
	}
	all, foreign := index(t, "s390x", runtime.GOARCH, "riscv64"), put("foreign", index(t, "s390x"))
	d, err := resolveImage(put("all", all), cache, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	checkImage(t, d)
	if _, err := resolveImage(foreign, cache, io.Discard); err == nil || !strings.Contains(err.Error(), runtime.GOARCH) {
		t.Errorf("an index without our platform: %v", err)
	}
	single := host + "/mysql:single"
	push(t, single, layered(t, "s390x"))
	if _, err := resolveImage(single, cache, io.Discard); err == nil || !strings.Contains(err.Error(), "the image is for linux/s390x") {
		t.Errorf("an image for another machine: %v", err)
	}
	srv.Close()
	if _, err := resolveImage(host+"/mysql@"+digest(t, all).String(), cache, io.Discard); err != nil {
		t.Errorf("by the digest of the index, without the registry: %v", err)
	}
}

func TestImageErrors(t *testing.T) {
	host, _ := server(t, nil)
	push(t, host+"/empty:1", image(t, runtime.GOARCH, tarOf(t, entry{name: "etc/passwd"})))
	for name, c := range map[string]struct{ ref, want string }{
		"bad reference":  {"My SQL:8.4", "read image reference"},
		"bad digest":     {"mysql@sha256:123", "read image reference"},
		"unknown name":   {host + "/nothing:1", "no such image or tag"},
		"unknown tag":    {host + "/empty:2", "no such image or tag"},
		"no registry":    {"127.0.0.1:1/mysql:8.4", "cannot be reached"},
		"no such host":   {"registry.invalid/mysql:8.4", "cannot be reached"},
		"without server": {host + "/empty:1", "no server in"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := resolveImage(c.ref, t.TempDir(), io.Discard)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q in it", err, c.want)
			}
		})
	}
}

// TestImageLogin: a private registry refuses us with what to do, and lets us in
// with what docker login left. The password is in no error.
func TestImageLogin(t *testing.T) {
	host, _ := server(t, func(h http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if user, pass, _ := r.BasicAuth(); user != "me" || pass != "s3cret-word" {
				w.Header().Set("WWW-Authenticate", `Basic realm="x"`)
				w.WriteHeader(http.StatusUnauthorized)
				return
			}
			h.ServeHTTP(w, r)
		})
	})
	login := func(pass string) {
		dir := t.TempDir()
		write(t, filepath.Join(dir, "config.json"), fmt.Appendf(nil, `{"auths": {%q: {"username": "me", "password": %q}}}`, host, pass))
		t.Setenv("DOCKER_CONFIG", dir)
	}
	for _, pass := range []string{"", "wrong-word"} {
		login(pass)
		_, err := resolveImage(host+"/mysql:8", t.TempDir(), io.Discard)
		if err == nil || !strings.Contains(err.Error(), "docker login "+host) || strings.Contains(err.Error(), "wrong-word") {
			t.Errorf("with password %q: %v", pass, err)
		}
	}
	login("s3cret-word")
	_, err := resolveImage(host+"/mysql:8", t.TempDir(), io.Discard)
	if err == nil || !strings.Contains(err.Error(), "no such image or tag") {
		t.Errorf("logged in: %v, want that there is no such image", err)
	}
}

// TestImageDamaged: a layer that is not what its digest says is not used, and a
// later, whole one is.
func TestImageDamaged(t *testing.T) {
	damage := true
	host, _ := server(t, func(h http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if !damage || r.Method != http.MethodGet || !strings.Contains(r.URL.Path, "/blobs/") {
				h.ServeHTTP(w, r)
				return
			}
			rec := httptest.NewRecorder()
			h.ServeHTTP(rec, r)
			b := rec.Body.Bytes()
			if len(b) > 10000 { // the layer with the server
				b = append(b[:len(b)/2:len(b)/2], make([]byte, len(b)-len(b)/2)...)
			}
			w.WriteHeader(rec.Code)
			w.Write(b)
		})
	})
	ref, cache := host+"/mysql:8", t.TempDir()
	push(t, ref, layered(t, runtime.GOARCH))
	if d, err := resolveImage(ref, cache, io.Discard); err == nil {
		t.Fatalf("a damaged layer is taken: %+v", d)
	}
	if left, _ := filepath.Glob(filepath.Join(cache, "roots", "image-*")); len(left) != 1 || !strings.HasSuffix(left[0], ".lock") {
		t.Errorf("in the cache are %v, want the lock alone", left)
	}
	damage = false
	d, err := resolveImage(ref, cache, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	checkImage(t, d)
}

// TestImageCancelled: a download that hangs ends when it is told to, and leaves
// nothing that a later one would take for whole.
func TestImageCancelled(t *testing.T) {
	hang := make(chan struct{})
	reached := make(chan struct{}, 10)
	host, _ := server(t, func(h http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodGet && strings.Contains(r.URL.Path, "/blobs/") {
				reached <- struct{}{}
				<-hang
			}
			h.ServeHTTP(w, r)
		})
	})
	ref, cache := host+"/mysql:8", t.TempDir()
	push(t, ref, layered(t, runtime.GOARCH))
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		<-reached
		cancel()
	}()
	_, err := Resolve(ctx, Source{Image: ref}, cache, io.Discard)
	if err == nil || !strings.Contains(err.Error(), context.Canceled.Error()) || strings.Contains(err.Error(), "cannot be reached") {
		t.Errorf("error %v, want that it was cancelled", err)
	}
	close(hang)
	if _, err := resolveImage(ref, cache, io.Discard); err != nil {
		t.Error(err)
	}
}
