// Images: made from root file systems, imported once into a store, and linked
// into every node. Importing 500 MB into three nodes takes half a minute each
// time, linking them two seconds.
package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"archive/tar"
)

// image is to be made from a file or a directory of this machine.
type image struct {
	name, from string
	command    []string
}

// storeImages are those that every node has from the start.
func (l *lab) storeImages() []image {
	images := []image{
		{pauseImage, l.path("bin", "pause"), []string{"/pause"}},
		{dnsImage, l.path("bin", "coredns"), []string{"/coredns"}},
	}
	if l.mysql != "" {
		images = append(images, image{mysqlImage, l.mysql, []string{"mysqld"}})
	}
	return images
}

// fillStore makes the store unless it holds exactly these images.
func (l *lab) fillStore(ctx context.Context) error {
	key, err := storeKey(l.storeImages())
	if err != nil {
		return err
	}
	stamp := l.path("store", "key")
	if have, err := os.ReadFile(stamp); err == nil && string(have) == key {
		return nil
	}
	if err := os.RemoveAll(l.path("store")); err != nil {
		return fmt.Errorf("make image store: %w", err)
	}
	if err := l.importAll(ctx); err != nil {
		return err
	}
	return writeFile(stamp, key)
}

// storeKey changes when an image's source does. A root file system is known by
// the mark that its maker leaves in it last.
func storeKey(images []image) (string, error) {
	var b strings.Builder
	for _, i := range images {
		at := i.from
		if info, err := os.Stat(at); err == nil && info.IsDir() {
			at = filepath.Join(at, ".complete")
		}
		info, err := os.Stat(at)
		if err != nil {
			return "", fmt.Errorf("make image %s: %w", i.name, err)
		}
		fmt.Fprintln(&b, i.name, i.from, info.Size(), info.ModTime().UnixNano(), i.command)
	}
	return b.String(), nil
}

// importAll runs a containerd on the store for as long as it takes.
func (l *lab) importAll(ctx context.Context) error {
	state := l.path("run", "store")
	if err := writeFile(l.path("run", "store.toml"), containerdConfig(l.path("store", "root"), state)); err != nil {
		return err
	}
	p, err := l.spawn("store", []string{"containerd", "-c", l.path("run", "store.toml")}, nil)
	if err != nil {
		return err
	}
	socket := filepath.Join(state, "containerd.sock")
	waitForContainerd(socket)
	for _, i := range l.storeImages() {
		if err = l.importInto(ctx, []string{"ctr", "-a", socket}, i); err != nil {
			break
		}
	}
	// In order: its database is to be complete.
	_ = p.Signal(syscall.SIGTERM) // if it has ended, Wait says so
	_, waited := p.Wait()
	return errors.Join(err, waited)
}

// cloneStore gives a node the store: files as links, which are not written to
// again, and the two databases as copies.
func (l *lab) cloneStore(n node) error {
	to := l.in(n, "disk", "containerd")
	if err := makeDirs(filepath.Dir(to)); err != nil {
		return err
	}
	if _, err := output(exec.Command("cp", "-al", l.path("store", "root"), to)); err != nil {
		return err
	}
	for _, file := range []string{"io.containerd.metadata.v1.bolt/meta.db", "io.containerd.snapshotter.v1.overlayfs/metadata.db"} {
		if _, err := output(exec.Command("cp", "--remove-destination", l.path("store", "root", file), filepath.Join(to, file))); err != nil {
			return err
		}
	}
	return nil
}

// load makes an image and imports it into every node that runs.
func load(ctx context.Context, l *lab, args []string) error {
	if len(args) < 3 {
		return errors.New("write lab load NAME DIRECTORY-OR-FILE COMMAND [ARG...]")
	}
	i := image{name: args[0], from: args[1], command: args[2:]}
	for _, n := range nodes {
		enter, err := l.enter(n)
		if err != nil {
			return err
		}
		if err := l.importInto(ctx, append(enter, "ctr", "-a", "/run/containerd/containerd.sock"), i); err != nil {
			return err
		}
	}
	return nil
}

// importInto makes the image and imports it with ctr.
func (l *lab) importInto(ctx context.Context, ctr []string, i image) error {
	layer := l.path("run", "layer.tar")
	defer os.Remove(layer)
	if err := makeLayer(ctx, i.from, layer); err != nil {
		return fmt.Errorf("make image %s: %w", i.name, err)
	}
	read, write := io.Pipe()
	go func() { write.CloseWithError(writeArchive(write, i, layer)) }()
	begun := time.Now()
	c := exec.CommandContext(ctx, ctr[0], append(ctr[1:], "-n", "k8s.io", "images", "import", "-")...)
	c.Stdin = read
	_, err := output(c)
	read.CloseWithError(errors.New("ctr has ended"))
	if err != nil {
		return fmt.Errorf("import image %s: %w", i.name, err)
	}
	l.say("imported %s in %.1f s", i.name, time.Since(begun).Seconds())
	return nil
}

// makeLayer packs a directory, or one file at the root.
func makeLayer(ctx context.Context, from, to string) error {
	dir, what := from, "."
	if info, err := os.Stat(from); err != nil {
		return fmt.Errorf("read: %w", err)
	} else if !info.IsDir() {
		dir, what = filepath.Split(from)
	}
	if err := makeDirs(filepath.Dir(to)); err != nil {
		return err
	}
	_, err := output(exec.CommandContext(ctx, "tar", "--numeric-owner", "-C", dir, "-cf", to, what))
	return err
}

// writeArchive writes an image of one layer in the form of docker save
// (moby/moby image/spec/v1.2.md, "Combined Image JSON + Filesystem Changeset
// Format"), which containerd imports. The OCI layout would want the layer's
// digest for its name first; here it may come last.
func writeArchive(w io.Writer, i image, layer string) error {
	f, err := os.Open(layer)
	if err != nil {
		return fmt.Errorf("write image: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return fmt.Errorf("write image: %w", err)
	}
	t, sum := tar.NewWriter(w), sha256.New()
	if err := t.WriteHeader(&tar.Header{Name: "layer.tar", Mode: 0o644, Size: info.Size()}); err != nil {
		return fmt.Errorf("write image: %w", err)
	}
	if _, err := io.Copy(io.MultiWriter(t, sum), f); err != nil {
		return fmt.Errorf("write image: %w", err)
	}
	config := map[string]any{
		"architecture": runtime.GOARCH, "os": "linux",
		"config": map[string]any{"Entrypoint": i.command, "Env": []string{"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"}},
		"rootfs": map[string]any{"type": "layers", "diff_ids": []string{"sha256:" + hex.EncodeToString(sum.Sum(nil))}},
	}
	manifest := []map[string]any{{"Config": "config.json", "RepoTags": []string{i.name}, "Layers": []string{"layer.tar"}}}
	for _, entry := range []struct {
		name  string
		value any
	}{{"config.json", config}, {"manifest.json", manifest}} {
		b, err := json.Marshal(entry.value)
		if err == nil {
			err = t.WriteHeader(&tar.Header{Name: entry.name, Mode: 0o644, Size: int64(len(b))})
		}
		if err == nil {
			_, err = t.Write(b)
		}
		if err != nil {
			return fmt.Errorf("write image: %w", err)
		}
	}
	return t.Close()
}
