package main

// The files of a release, installed as docs/install.md tells people to (make release-test).

import (
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/google/go-cmp/cmp"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/match"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/partial"
	"github.com/google/go-containerregistry/pkg/v1/types"
	"golang.org/x/sys/unix"
)

// TestReleaseInstalls: the commands of docs/install.md for archive and package, each in a root file system of
// its own, and the image's file system leave a program of the release's version with its manual pages
// and completions. TARE_TEST_RELEASE is the directory that make release wrote.
func TestReleaseInstalls(t *testing.T) {
	dist := os.Getenv("TARE_TEST_RELEASE")
	if dist == "" {
		t.Skip("TARE_TEST_RELEASE names no release: make release-test")
	}
	needRoot(t)
	archives, err := filepath.Glob(filepath.Join(dist, "tare_*_linux_"+runtime.GOARCH+".tar.gz"))
	if err != nil || len(archives) != 1 {
		t.Fatalf("archives %q, %v", archives, err)
	}
	version := strings.TrimSuffix(strings.TrimPrefix(filepath.Base(archives[0]), "tare_"), "_linux_"+runtime.GOARCH+".tar.gz")
	want := "tare version " + version + "\n"

	t.Run("archive", func(t *testing.T) {
		root := freshRoot(t, dist)
		inRoot(t, root, installCommand(t, "archive", version))
		if got := inRoot(t, root, "tare --version"); got != want {
			t.Errorf("tare --version says %q, want %q", got, want)
		}
		if got := inRoot(t, root, "tare version --format json"); !strings.Contains(got, `"linux/`+runtime.GOARCH+`"`) {
			t.Errorf("it brings no program for pods: %s", got)
		}
		for _, name := range []string{"man/man1/tare-run.1", "completions/tare.bash", "docs/spec.md", "docs/kubernetes-rbac.yaml", "examples/qos.yaml"} {
			if _, err := os.Stat(filepath.Join(root, "root", "tare_"+version+"_linux_"+runtime.GOARCH, name)); err != nil {
				t.Error(err)
			}
		}
	})
	t.Run("package", func(t *testing.T) {
		root := freshRoot(t, dist)
		// What the package recommends is in the distribution's own repositories.
		inRoot(t, root, strings.Replace(installCommand(t, "package for Debian, Ubuntu", version), "apt install", "apt-get install -y --no-install-recommends", 1))
		if got := inRoot(t, root, "tare --version"); got != want {
			t.Errorf("tare --version says %q, want %q", got, want)
		}
		if got, want := inRoot(t, root, "kubectl-tare --version"), "kubectl "+want; got != want {
			t.Errorf("kubectl-tare --version says %q, want %q", got, want)
		}
		for _, name := range []string{"man/man1/tare-run.1", "bash-completion/completions/tare", "doc/tare/docs/spec.md", "doc/tare/copyright"} {
			if _, err := os.Stat(filepath.Join(root, "usr/share", name)); err != nil {
				t.Error(err)
			}
		}
		inRoot(t, root, "dpkg --remove tare")
		if left, _ := filepath.Glob(filepath.Join(root, "usr/share/man/man1/tare*")); len(left) > 0 {
			t.Errorf("the removed package left %q", left)
		}
	})
	t.Run("checksums", func(t *testing.T) {
		inRoot(t, freshRoot(t, dist), "sha256sum --check --ignore-missing checksums.txt")
	})
	t.Run("krew", func(t *testing.T) { checkKrew(t, dist, version) })
	t.Run("homebrew", func(t *testing.T) { checkFormula(t, dist, version) })
	t.Run("image", func(t *testing.T) {
		root := imageRoot(t, filepath.Join(dist, "tare_"+version+"_image.tar"))
		if out, err := exec.Command("chroot", root, "/tare", "--version").CombinedOutput(); err != nil || string(out) != want {
			t.Errorf("the image's program says %q, %v", out, err)
		}
	})
}

// checkKrew: krew.yaml names every archive of the release with its checksum, and the program of its system
// at the place where it is in the archive.
func checkKrew(t *testing.T, dist, version string) {
	text, err := os.ReadFile(filepath.Join(dist, "krew.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var plugin struct {
		Spec struct {
			Version   string
			Platforms []struct {
				Selector struct {
					MatchLabels struct{ OS, Arch string } `yaml:"matchLabels"`
				}
				URI, SHA256 string
				Bin         string
				Files       []struct{ From, To string }
			}
		}
	}
	if err := yaml.Unmarshal(text, &plugin); err != nil {
		t.Fatal(err)
	}
	if plugin.Spec.Version != "v"+version {
		t.Errorf("version %q, want v%s", plugin.Spec.Version, version)
	}
	archives, err := filepath.Glob(filepath.Join(dist, "tare_*.tar.gz"))
	if err != nil || len(archives) < 3 || len(plugin.Spec.Platforms) != len(archives) {
		t.Fatalf("%d platforms for archives %q, %v", len(plugin.Spec.Platforms), archives, err)
	}
	for _, p := range plugin.Spec.Platforms {
		name := fmt.Sprintf("tare_%s_%s_%s", version, p.Selector.MatchLabels.OS, p.Selector.MatchLabels.Arch)
		archive := filepath.Join(dist, name+".tar.gz")
		if want := "https://example.com/tare/" + name + ".tar.gz"; p.URI != want {
			t.Errorf("uri %q, want %q", p.URI, want)
		}
		if got := checksum(t, archive); p.SHA256 != got {
			t.Errorf("%s: checksum %q, want %q", name, p.SHA256, got)
		}
		if p.Files[0].From != name+"/"+p.Bin {
			t.Errorf("%s: program %q, want that of the archive", name, p.Files[0].From)
		}
		for _, f := range p.Files {
			if out, err := exec.Command("tar", "-tzf", archive, f.From).CombinedOutput(); err != nil {
				t.Errorf("%s has no %s: %s", name, f.From, out)
			}
		}
	}
}

// checkFormula: each address of tare.rb is that of an archive of the release for a system that Homebrew
// knows, followed by its checksum.
func checkFormula(t *testing.T, dist, version string) {
	text, err := os.ReadFile(filepath.Join(dist, "tare.rb"))
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`url "https://example\.com/tare/(.+)"\n\s+sha256 "(.+)"`).FindAllStringSubmatch(string(text), -1)
	var files []string
	for _, f := range found {
		files = append(files, f[1])
		if got := checksum(t, filepath.Join(dist, f[1])); f[2] != got {
			t.Errorf("%s: checksum %q, want %q", f[1], f[2], got)
		}
	}
	want := []string{"tare_" + version + "_darwin_arm64.tar.gz", "tare_" + version + "_linux_" + runtime.GOARCH + ".tar.gz"}
	if diff := cmp.Diff(want, files); diff != "" {
		t.Errorf("archives of the formula (-want +got):\n%s", diff)
	}
}

// checksum is the SHA-256 of a file, in hexadecimal digits.
func checksum(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%x", sha256.Sum256(data))
}

// installCommand is the command of a row of docs/install.md, for this version and architecture.
func installCommand(t *testing.T, from, version string) string {
	t.Helper()
	text, err := os.ReadFile("../../docs/install.md")
	if err != nil {
		t.Fatal(err)
	}
	row := regexp.MustCompile("(?m)^\\| " + regexp.QuoteMeta(from) + " \\| `(.+)` \\|$").FindStringSubmatch(string(text))
	if row == nil {
		t.Fatalf("docs/install.md has no row %q", from)
	}
	// The root file system has no sudo, and root needs none.
	return strings.NewReplacer("1.2.3", version, "amd64", runtime.GOARCH, "sudo ", "").Replace(row[1])
}

// freshRoot is Debian's root file system as the tests have it, with the release in /root, under a layer
// that takes all changes and goes with the test.
func freshRoot(t *testing.T, dist string) string {
	t.Helper()
	dir := t.TempDir()
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, ""); err != nil {
		t.Fatalf("mount tmpfs: %v", err)
	}
	t.Cleanup(func() { unmounted(t, dir) })
	for _, name := range []string{"changes", "work", "root"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	root := filepath.Join(dir, "root")
	layers := fmt.Sprintf("lowerdir=%s,upperdir=%s,workdir=%s", testRootfs(t), filepath.Join(dir, "changes"), filepath.Join(dir, "work"))
	if err := unix.Mount("overlay", root, "overlay", 0, layers); err != nil {
		t.Fatalf("mount overlay: %v", err)
	}
	t.Cleanup(func() { unmounted(t, root) })
	// As it was made, dpkg leaves out manual pages and documents (scripts/rootfs.sh).
	settings, err := filepath.Glob(filepath.Join(root, "etc/dpkg/dpkg.cfg.d/*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range settings {
		if err := os.Remove(name); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.CopyFS(filepath.Join(root, "root"), os.DirFS(dist)); err != nil {
		t.Fatal(err)
	}
	return root
}

func unmounted(t *testing.T, dir string) {
	t.Helper()
	if err := unix.Unmount(dir, 0); err != nil {
		t.Errorf("unmount %s: %v", dir, err)
	}
}

// inRoot is what a command prints in a root file system, as root in its home directory.
func inRoot(t *testing.T, root, command string) string {
	t.Helper()
	cmd := exec.Command("chroot", root, "sh", "-ec", "cd /root; "+command)
	cmd.Env = []string{"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME=/root", "DEBIAN_FRONTEND=noninteractive", "LC_ALL=C.UTF-8"}
	var errs strings.Builder
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s%s", command, err, out, errs.String())
	}
	return string(out)
}

// imageRoot is the file system of the image for this architecture in an OCI archive.
func imageRoot(t *testing.T, archive string) string {
	t.Helper()
	dir, root := t.TempDir(), t.TempDir()
	f, err := os.Open(archive)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	untar(t, f, dir)
	named, err := layout.ImageIndexFromPath(dir)
	if err != nil {
		t.Fatal(err)
	}
	indexes, err := partial.FindIndexes(named, match.MediaTypes(string(types.OCIImageIndex)))
	if err != nil || len(indexes) != 1 {
		t.Fatalf("%d images, %v", len(indexes), err)
	}
	images, err := partial.FindImages(indexes[0], match.Platforms(v1.Platform{OS: "linux", Architecture: runtime.GOARCH}))
	if err != nil || len(images) != 1 {
		t.Fatalf("%d images for %s, %v", len(images), runtime.GOARCH, err)
	}
	files := mutate.Extract(images[0])
	defer files.Close()
	untar(t, files, root)
	return root
}

func untar(t *testing.T, from io.Reader, dir string) {
	t.Helper()
	cmd := exec.Command("tar", "-xf", "-", "-C", dir)
	cmd.Stdin = from
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("tar: %v\n%s", err, out)
	}
}
