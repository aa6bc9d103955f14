package main

import (
	"archive/tar"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestArchive: an image is what containerd's importer wants: a manifest that
// names a configuration and a layer that are there, and the layer's digest.
func TestArchive(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "pause"), []byte("program"), 0o755); err != nil {
		t.Fatal(err)
	}
	layer := filepath.Join(dir, "layer.tar")
	if err := makeLayer(t.Context(), filepath.Join(dir, "pause"), layer); err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := writeArchive(&b, image{"localhost/pause:1", "", []string{"/pause"}}, layer); err != nil {
		t.Fatal(err)
	}
	files := unpack(t, &b)
	var manifest []struct {
		Config           string
		RepoTags, Layers []string
	}
	if err := json.Unmarshal(files["manifest.json"], &manifest); err != nil || len(manifest) != 1 {
		t.Fatalf("manifest %s: %v", files["manifest.json"], err)
	}
	if m := manifest[0]; m.RepoTags[0] != "localhost/pause:1" || files[m.Config] == nil || files[m.Layers[0]] == nil {
		t.Errorf("the manifest names what is not there: %+v", m)
	}
	if inside := unpack(t, bytes.NewReader(files["layer.tar"])); string(inside["pause"]) != "program" {
		t.Errorf("the layer has %q as /pause", inside["pause"])
	}
	if !strings.Contains(string(files["config.json"]), `"diff_ids":["sha256:`) {
		t.Errorf("no digest in %s", files["config.json"])
	}
}

func unpack(t *testing.T, r io.Reader) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	for archive := tar.NewReader(r); ; {
		h, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return files
		}
		if err != nil {
			t.Fatal(err)
		}
		if files[h.Name], err = io.ReadAll(archive); err != nil {
			t.Fatal(err)
		}
	}
}

// TestPlugins: every network configuration is JSON with addresses of the node's
// own pod network and the MTU, and a node knows its plugin again.
func TestPlugins(t *testing.T) {
	l := &lab{dir: t.TempDir()}
	for name, p := range plugins {
		for _, n := range nodes {
			text := p.conflist(n, 1450)
			if !json.Valid([]byte(text)) || !strings.Contains(text, n.pods()) || !strings.Contains(text, `"mtu": 1450`) {
				t.Errorf("%s of %s: %s", name, n.name, text)
			}
			if err := writeFile(l.in(n, pluginFile), name+"\n"); err != nil {
				t.Fatal(err)
			}
			if again, err := l.pluginOf(n); err != nil || again != p {
				t.Errorf("%s of %s is read as %+v, %v", name, n.name, again, err)
			}
		}
	}
	if err := writeFile(l.in(nodes[0], pluginFile), "half"); err != nil {
		t.Fatal(err)
	}
	if p, err := l.pluginOf(nodes[0]); err == nil {
		t.Errorf("a word that is not a plugin is read as %+v", p)
	}
}

// TestFlannelMTU: the agent's file is as Flannel v0.28.4 writes it for vxlan.
func TestFlannelMTU(t *testing.T) {
	for text, want := range map[string]int{
		"FLANNEL_NETWORK=10.245.0.0/16\nFLANNEL_SUBNET=10.245.1.1/24\nFLANNEL_MTU=1450\nFLANNEL_IPMASQ=true\n": 1450,
		"FLANNEL_NETWORK=10.245.0.0/16\n": 0,
		"FLANNEL_MTU=\n":                  0,
	} {
		got, err := flannelMTU(text)
		if got != want || (err == nil) != (want > 0) {
			t.Errorf("%q: %d, %v; want %d", text, got, err, want)
		}
	}
}

// TestKubeconfigs: every identity gets one, signed by the one authority.
func TestKubeconfigs(t *testing.T) {
	l := &lab{dir: t.TempDir()}
	if err := l.makePKI(); err != nil {
		t.Fatal(err)
	}
	for _, id := range identities() {
		b, err := os.ReadFile(l.kubeconfig(id[0]))
		if err != nil || !strings.Contains(string(b), "https://"+apiAddress+":6443") {
			t.Errorf("kubeconfig of %s: %v\n%s", id[0], err, b)
		}
		info, err := os.Stat(l.kubeconfig(id[0]))
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("kubeconfig of %s is for everybody: %v", id[0], info.Mode())
		}
	}
}

// TestStoreKey: an image whose source changes makes a new store.
func TestStoreKey(t *testing.T) {
	file := filepath.Join(t.TempDir(), "program")
	key := func(text string) string {
		if err := os.WriteFile(file, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
		k, err := storeKey([]image{{"localhost/x:1", file, []string{"/program"}}})
		if err != nil {
			t.Fatal(err)
		}
		return k
	}
	if key("one") == key("another") {
		t.Error("a changed program has the same key")
	}
	if _, err := storeKey([]image{{"localhost/x:1", t.TempDir(), nil}}); err == nil {
		t.Error("a root file system that is not complete makes an image")
	}
}
