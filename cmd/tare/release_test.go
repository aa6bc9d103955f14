package main

import (
	"crypto/sha256"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
)

// TestBuildIsReproducible: the sources in another directory, without its Git data, give
// the same bytes. scripts/reproducible.sh does it from nothing, for every architecture.
func TestBuildIsReproducible(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range []string{"cmd", "internal", "examples"} {
		if err := os.CopyFS(filepath.Join(dir, name), os.DirFS(filepath.Join("../..", name))); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"go.mod", "go.sum"} {
		copyFile(t, filepath.Join("../..", name), filepath.Join(dir, name))
	}
	build := goBuild("tare", "./cmd/tare")
	build.Dir = dir
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	if here, there := fileSum(t, builtTare(t)), fileSum(t, filepath.Join(dir, "tare")); here != there {
		t.Errorf("two builds of the same sources differ: %x and %x", here, there)
	}
}

func fileSum(t *testing.T, path string) (sum [sha256.Size]byte) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		t.Fatal(err)
	}
	copy(sum[:], h.Sum(nil))
	return sum
}

// TestMessagesNamePackagedFiles: a message that sends its reader to a file of docs/ names one that
// there is, and that the archives and packages have.
func TestMessagesNamePackagedFiles(t *testing.T) {
	text, err := os.ReadFile("../../scripts/nfpm.yaml")
	if err != nil {
		t.Fatal(err)
	}
	// In a string, and not after a comma, where it is the file of another project (Sources of a rule).
	named := regexp.MustCompile(`"(?:[^"\n]*[^,"] |[^"\n]*\()?docs/([a-z-]+\.(?:md|yaml))`)
	found := 0
	walk(t, func(path string) {
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return
		}
		source, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range named.FindAllStringSubmatch(string(source), -1) {
			found++
			if _, err := os.Stat(filepath.Join("../../docs", m[1])); err != nil {
				t.Errorf("%s names a file that does not exist: %v", path, err)
			}
			if glob := `/docs/*` + filepath.Ext(m[1]) + `", dst: /usr/share/doc/tare/docs/`; !strings.Contains(string(text), glob) {
				t.Errorf("%s names docs/%s, which the packages of scripts/nfpm.yaml do not have", path, m[1])
			}
		}
	}, ".", "../../internal")
	if found < 10 {
		t.Errorf("only %d names of files were found", found)
	}
}

// TestReleaseIsAttested: the release workflow writes the provenance of every file that the
// checksums name, has the right to, and uses only actions that are pinned by hash.
func TestReleaseIsAttested(t *testing.T) {
	text, err := os.ReadFile("../../.github/workflows/release.yml")
	if err != nil {
		t.Fatal(err)
	}
	var workflow struct {
		Permissions map[string]string
		Jobs        map[string]struct {
			Steps []struct {
				Uses string
				With map[string]string
			}
		}
	}
	if err := yaml.Unmarshal(text, &workflow); err != nil {
		t.Fatal(err)
	}
	if got := workflow.Permissions["attestations"]; got != "write" {
		t.Errorf("permission attestations is %q, want write", got)
	}
	pinned := regexp.MustCompile(`@[0-9a-f]{40}$`)
	var subject string
	for _, step := range workflow.Jobs["release"].Steps {
		if step.Uses != "" && !pinned.MatchString(step.Uses) {
			t.Errorf("%s is not pinned by hash", step.Uses)
		}
		if strings.HasPrefix(step.Uses, "actions/attest-build-provenance@") {
			subject = step.With["subject-checksums"]
		}
	}
	if subject != "dist/checksums.txt" {
		t.Errorf("provenance of %q, want dist/checksums.txt", subject)
	}
}
