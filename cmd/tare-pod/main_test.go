package main

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// largest is what the program may have: it is streamed into each pod. It had 13.4 MB in the first version, a whole tare
// 73 MB.
const largest = 16_000_000

// unwanted begin the paths of packages that pods have no use for and that would make the program as large as tare.
var unwanted = []string{
	"k8s.io/", "sigs.k8s.io/kustomize", "github.com/tarebench/tare/internal/target/", "github.com/tarebench/tare/internal/report", "github.com/tarebench/tare/internal/diagnose",
	"github.com/tarebench/tare/internal/compare", "github.com/tarebench/tare/internal/stats", "github.com/tarebench/tare/internal/manifest", "github.com/tarebench/tare/internal/serve",
	"github.com/tarebench/tare/internal/export", "github.com/tarebench/tare/internal/runner", "github.com/tarebench/tare/internal/campaign", "github.com/tarebench/tare/internal/image",
	"github.com/tarebench/tare/internal/podprogram",
}

// TestSmallProgram: it imports none of what makes tare large, has no more bytes than are said, needs no file of the
// image that it runs in, and proves itself by its SHA-256.
func TestSmallProgram(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	for path := range strings.Lines(string(out)) {
		if slices.ContainsFunc(unwanted, func(begin string) bool { return strings.HasPrefix(path, begin) }) {
			t.Errorf("it imports %s", path)
		}
	}
	program := filepath.Join(t.TempDir(), "tare-pod")
	build := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-ldflags", "-s -w -X main.version=1.2.3", "-o", program, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	text, err := os.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS == "linux" && runtime.GOARCH == "amd64" && len(text) > largest {
		t.Errorf("it has %d bytes; %d are allowed", len(text), largest)
	}
	if got, err := exec.Command(program, "--version").Output(); err != nil || string(got) != "tare-pod version 1.2.3\n" {
		t.Errorf("--version: %q, %v", got, err)
	}
	if runtime.GOOS != "linux" { // elsewhere it runs in no pod
		return
	}
	if got, err := exec.Command(program, "digest").Output(); err != nil || string(got) != fmt.Sprintf("%x\n", sha256.Sum256(text)) {
		t.Errorf("digest: %q, %v", got, err)
	}
}

// TestCommands: the arguments of the pods that tare makes are commands of this program, and a mistake ends with the
// exit codes of tare.
func TestCommands(t *testing.T) {
	for line, want := range map[string]string{"load part /job/job.json": "tare-pod load part", "neighbour {}": "tare-pod neighbour", "probe beside --container x": "tare-pod probe beside", "digest": "tare-pod digest"} {
		if c, _, err := rootCommand().Find(strings.Fields(line)); err != nil || c.CommandPath() != want || !c.Runnable() {
			t.Errorf("%s: %v, %v", line, c, err)
		}
	}
	for line, want := range map[string]string{
		"load part /does/not/exist": "tare: open /does/not/exist: no such file or directory\n",
		"probe beside":              "tare: name the server with --container ID or --variable NAME=VALUE\n",
	} {
		var out, errs bytes.Buffer
		if code := run(strings.Fields(line), strings.NewReader(""), &out, &errs); code != exitInvalid || errs.String() != want {
			t.Errorf("%s: exit code %d, %q", line, code, errs.String())
		}
	}
}
