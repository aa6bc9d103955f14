package kubernetes

// An API server whose containers are this machine: what is executed in one runs here, with a
// directory of the test in the place of the program's.

import (
	"bytes"
	"context"
	"crypto/sha256"
	"debug/elf"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/remotecommand"
	"k8s.io/client-go/rest"
	"k8s.io/streaming/pkg/httpstream"
	"k8s.io/streaming/pkg/httpstream/spdy"

	"github.com/tarebench/tare/internal/node"
)

// scripted is a program of these tests: a script that knows its own hash and prints its
// arguments. It is a megabyte, so that its stream can break in the middle.
func scripted(t *testing.T) *program {
	t.Helper()
	text := []byte("#!/bin/sh\nif [ \"$1\" = digest ]; then sha256sum \"$0\" | cut -d ' ' -f 1; else printf '%s|' \"$@\"; fi\nexit\n")
	r := rand.New(rand.NewPCG(1, 2))
	for len(text) < 1<<20 {
		text = fmt.Appendf(text, "%x", r.Uint64())
	}
	p, err := pack(runtime.GOARCH, text)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// header is a file with the header of a static program for an architecture, and nothing behind it.
func header(t *testing.T, arch string) string {
	t.Helper()
	h := make([]byte, 64)
	copy(h, "\x7fELF\x02\x01\x01") // 64 bits, little endian
	for machine, name := range architectures {
		if name == arch {
			binary.LittleEndian.PutUint16(h[18:], uint16(machine))
		}
	}
	binary.LittleEndian.PutUint16(h[16:], uint16(elf.ET_EXEC))
	binary.LittleEndian.PutUint32(h[20:], uint32(elf.EV_CURRENT))
	binary.LittleEndian.PutUint16(h[52:], 64)
	file := filepath.Join(t.TempDir(), "tare-"+arch)
	if err := os.WriteFile(file, h, 0o755); err != nil {
		t.Fatal(err)
	}
	return file
}

// executing executes commands.
type executing struct {
	dir  string // in the place of of
	of   string // the program's directory
	path string // the commands that there are, as PATH
	// ended is done when the container has ended, which kills the commands in it. Nil: it does not end.
	ended context.Context

	mu       sync.Mutex
	cuts     []int64 // after how many bytes of standard input the next connections break
	refuse   int     // how many of the next requests are refused
	commands int
}

// accepted upgrades the connection of an exec, and returns its streams by their type.
func accepted(w http.ResponseWriter, r *http.Request) (httpstream.Connection, map[string]httpstream.Stream) {
	if _, err := httpstream.Handshake(r, w, []string{remotecommand.StreamProtocolV4Name}); err != nil {
		return nil, nil
	}
	want := 1
	for _, name := range []string{corev1.StreamTypeStdin, corev1.StreamTypeStdout, corev1.StreamTypeStderr} {
		if r.URL.Query().Get(name) == "true" {
			want++
		}
	}
	came := make(chan httpstream.Stream, want)
	link := spdy.NewResponseUpgrader().UpgradeResponse(w, r, func(s httpstream.Stream, replied <-chan struct{}) error {
		go func() {
			<-replied
			came <- s
		}()
		return nil
	})
	if link == nil {
		return nil, nil
	}
	streams := map[string]httpstream.Stream{}
	for range want {
		select {
		case s := <-came:
			streams[s.Headers().Get(corev1.StreamType)] = s
		case <-link.CloseChan():
			return nil, nil
		}
	}
	return link, streams
}

// finished says how a command ended, as a kubelet does.
func finished(link httpstream.Connection, streams map[string]httpstream.Stream, code int) {
	said := metav1.Status{Status: metav1.StatusSuccess}
	if code != 0 {
		said = metav1.Status{Status: metav1.StatusFailure, Reason: remotecommand.NonZeroExitCodeReason,
			Details: &metav1.StatusDetails{Causes: []metav1.StatusCause{{Type: remotecommand.ExitCodeCauseType, Message: fmt.Sprint(code)}}}}
	}
	text, err := json.Marshal(said)
	if err == nil {
		_, err = streams[corev1.StreamTypeError].Write(text)
	}
	if err == nil {
		for _, s := range streams {
			_ = s.Close()
		}
		<-link.CloseChan()
	}
}

func (e *executing) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	e.mu.Lock()
	e.commands++
	refused := e.refuse > 0
	if refused {
		e.refuse--
	}
	cut := int64(-1)
	if len(e.cuts) > 0 && r.URL.Query().Get("stdin") != "" {
		cut, e.cuts = e.cuts[0], e.cuts[1:]
	}
	e.mu.Unlock()
	if refused {
		status(w, http.StatusServiceUnavailable, "ServiceUnavailable", "restarting")
		return
	}
	link, streams := accepted(w, r)
	if link == nil {
		return
	}
	defer link.Close()
	args := r.URL.Query()["command"]
	for i := range args {
		args[i] = strings.ReplaceAll(args[i], e.of, e.dir)
	}
	in := context.Background()
	if e.ended != nil {
		in = e.ended
	}
	command := exec.CommandContext(in, args[0], args[1:]...)
	command.Env = []string{"PATH=" + e.path}
	command.Stdout, command.Stderr = streams[corev1.StreamTypeStdout], streams[corev1.StreamTypeStderr]
	if text := streams[corev1.StreamTypeStdin]; text != nil {
		var from io.Reader = text
		if cut >= 0 {
			from = &cutReader{text, cut, link}
		}
		input, err := command.StdinPipe() // not Stdin, whose end Run would wait for
		if err != nil {
			return
		}
		go func() {
			_, _ = io.Copy(input, from)
			_ = input.Close()
		}()
	}
	err := command.Run()
	if in.Err() != nil {
		finished(link, streams, 137) // as runc says it
		return
	}
	var ended *exec.ExitError
	if err != nil && !errors.As(err, &ended) {
		return // the connection breaks
	}
	finished(link, streams, command.ProcessState.ExitCode())
}

// cutReader breaks the connection after some bytes.
type cutReader struct {
	from io.Reader
	left int64
	link httpstream.Connection
}

func (c *cutReader) Read(p []byte) (int, error) {
	if c.left <= 0 {
		_ = c.link.Close()
		return 0, io.EOF
	}
	n, err := c.from.Read(p[:min(int64(len(p)), c.left)])
	c.left -= int64(n)
	return n, err
}

// executingCluster is a cluster with that API server.
func executingCluster(t *testing.T) (*executing, *cluster) {
	t.Helper()
	e := &executing{dir: t.TempDir(), of: programDir, path: os.Getenv("PATH")}
	server := httptest.NewServer(e)
	t.Cleanup(server.Close)
	return e, &cluster{holds: &holdings{}, config: &rest.Config{Host: server.URL}, namespace: "tare"}
}

// without is a directory of links to all commands of the scripts but one.
func without(t *testing.T, missing string) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"sh", "head", "wc", "chmod", "mv", "rm", "uname", "gzip", "sha256sum", "cut"} {
		at, err := exec.LookPath(name)
		if err != nil {
			t.Fatal(err)
		}
		if name == missing {
			continue
		}
		if err := os.Symlink(at, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestDeliver: the program is whole in the pod, whatever broke on the way and whatever the image
// has; nothing else is left beside it.
func TestDeliver(t *testing.T) {
	own := scripted(t)
	choose := func(arch string) (*program, error) {
		if arch != runtime.GOARCH {
			t.Errorf("a program for %s is asked for", arch)
		}
		return own, nil
	}
	for name, change := range map[string]func(t *testing.T, e *executing){
		"at once":                      func(*testing.T, *executing) {},
		"no gzip in the image":         func(t *testing.T, e *executing) { e.path = without(t, "gzip") },
		"the connection breaks twice":  func(_ *testing.T, e *executing) { e.cuts = []int64{int64(len(own.packed)) / 2, 0} },
		"broken, and no gzip":          func(t *testing.T, e *executing) { e.path, e.cuts = without(t, "gzip"), []int64{own.size / 2} },
		"the API server is away first": func(_ *testing.T, e *executing) { e.refuse = 1 },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e, c := executingCluster(t)
			change(t, e)
			if err := c.put(t.Context(), choose, "db-load-0", "load", programDir); err != nil {
				t.Fatal(err)
			}
			text, err := os.ReadFile(filepath.Join(e.dir, "tare"))
			if err != nil {
				t.Fatal(err)
			}
			if sum := sha256.Sum256(text); hex.EncodeToString(sum[:]) != own.sha256 {
				t.Error("another program came")
			}
			if left, err := os.ReadDir(e.dir); err != nil || len(left) != 1 {
				t.Errorf("beside the program: %v, %v", left, err)
			}
		})
	}
	e, c := executingCluster(t)
	if err := c.deliver(t.Context(), supply{image: "tare:1"}, "db-load-0", "load", programDir); err != nil || e.commands > 0 {
		t.Errorf("an image with tare: %d commands, %v", e.commands, err)
	}
}

// TestDeliverWrong: a program that is not the one that was sent does not stay, and the error says so.
func TestDeliverWrong(t *testing.T) {
	own := scripted(t)
	other, short := *own, *own
	other.sha256 = strings.Repeat("0", 64)
	short.size++
	for says, p := range map[string]*program{"the SHA-256 of the program is " + own.sha256 + " in the pod": &other, fmt.Sprintf("%d of %d bytes came", own.size, own.size+1): &short} {
		e, c := executingCluster(t)
		err := c.store(t.Context(), p, true, "db-load-0", "load", programDir)
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v, want %q", err, says)
		}
		if left, err := os.ReadDir(e.dir); err != nil || len(left) > 0 {
			t.Errorf("left: %v, %v", left, err)
		}
	}
	e, c := executingCluster(t)
	e.cuts = []int64{10}
	if err := c.store(t.Context(), own, true, "db-load-0", "load", programDir); err == nil || !strings.Contains(err.Error(), "the connection broke") {
		t.Errorf("a broken connection: %v", err)
	}
}

// TestChoose: a program is for the architecture of its node, and what is missing is named with
// what to write.
func TestChoose(t *testing.T) {
	script := filepath.Join(t.TempDir(), "script")
	if err := os.WriteFile(script, []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	both := supply{programs: []string{header(t, "amd64"), header(t, "arm64")}}
	for _, arch := range []string{"amd64", "arm64"} {
		if p, err := both.choose(arch); err != nil || p.arch != arch || p.size != 64 {
			t.Errorf("%s: %+v, %v", arch, p, err)
		}
	}
	for says, s := range map[string]supply{
		"the node is linux/riscv64, and ":                    {},
		"with tare's program for linux/riscv64, or clientIm": both,
		"it is not a program for Linux":                      {programs: []string{script}},
		"no such file":                                       {programs: []string{script + "2"}},
	} {
		if _, err := s.choose("riscv64"); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v, want %q", err, says)
		}
	}
}

// TestUnpack: a program that is packed already has the size and the hash of its text, and one that is not whole is
// refused.
func TestUnpack(t *testing.T) {
	own := scripted(t)
	p, err := unpack(own.arch, own.packed)
	if err != nil || p.size != own.size || p.sha256 != own.sha256 || !bytes.Equal(p.packed, own.packed) {
		t.Errorf("%+v, %v", p, err)
	}
	for _, packed := range [][]byte{nil, own.packed[:len(own.packed)/2]} {
		if _, err := unpack(own.arch, packed); err == nil {
			t.Errorf("%d bytes of %d are unpacked", len(packed), len(own.packed))
		}
	}
}

// TestPackedOnce: many pods get a program that was read once; one that could not be read is tried again.
func TestPackedOnce(t *testing.T) {
	reads, fails := 0, true
	read := once(func(of string) (*program, error) {
		if reads++; fails {
			return nil, errors.New("away")
		}
		return &program{arch: of}, nil
	})
	if _, err := read("amd64"); err == nil {
		t.Error("no error")
	}
	fails = false
	for range 3 {
		for _, arch := range []string{"amd64", "arm64"} {
			if p, err := read(arch); err != nil || p.arch != arch {
				t.Errorf("%+v, %v", p, err)
			}
		}
	}
	if reads != 3 {
		t.Errorf("read %d times, want 3", reads)
	}
}

// TestWaits: the container becomes the program when that is there, with its arguments.
func TestWaits(t *testing.T) {
	dir, own := t.TempDir(), scripted(t)
	args := append(waitingIn(dir), "a b", "c")
	command := exec.Command(args[0], args[1:]...)
	var out bytes.Buffer
	command.Stdout = &out
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	_, _, in, err := own.form(false)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(in)
	if err != nil {
		t.Fatal(err)
	}
	part := filepath.Join(dir, "part")
	if err := errors.Join(os.WriteFile(part, text, 0o555), os.Rename(part, filepath.Join(dir, "tare"))); err != nil {
		t.Fatal(err)
	}
	if err := command.Wait(); err != nil || out.String() != "a b|c|" {
		t.Errorf("%q, %v", out.String(), err)
	}
}

// TestFill: a pod whose program is streamed has the same arguments as one of tare's image, and is
// admitted in a restricted namespace.
func TestFill(t *testing.T) {
	spec := func(s Settings) corev1.PodSpec {
		v := &server{target: offline(s), name: "db-0", container: containerName}
		return v.loaders().job(0).Spec.Template.Spec
	}
	streamed, image := spec(Settings{Image: "mysql:8.4", Clients: 1}), spec(Settings{Image: "mysql:8.4", Clients: 1, ClientImage: "tare:1"})
	a, b := streamed.Containers[0], image.Containers[0]
	if a.Image != "mysql:8.4" || b.Image != "tare:1" || b.Command != nil || strings.Join(a.Args, " ") != strings.Join(b.Args, " ") {
		t.Errorf("%s %q %q, %s %q %q", a.Image, a.Command, a.Args, b.Image, b.Command, b.Args)
	}
	if problems := unrestricted(streamed); len(problems) > 0 {
		t.Error(problems)
	}
	if got := spec(Settings{Image: "mysql:8.4", Clients: 1, BaseImage: "busybox:1"}).Containers[0].Image; got != "busybox:1" {
		t.Errorf("with baseImage it starts from %s", got)
	}
	// The image of a running server, and the Secrets that it was pulled with.
	v := &server{target: offline(Settings{Manifests: []string{"x"}, Clients: 1}), container: "db",
		pod: &corev1.Pod{Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "log"}, {Name: "db", Image: "mine:2"}}, ImagePullSecrets: []corev1.LocalObjectReference{{Name: "login"}}}}}
	own := v.loaders().job(0).Spec.Template.Spec
	if own.Containers[0].Image != "mine:2" || len(own.ImagePullSecrets) != 1 || len(v.supply().elsewhere().pull) != 0 {
		t.Errorf("from a server of manifests: %s, %v", own.Containers[0].Image, own.ImagePullSecrets)
	}
}

// TestProgramThatNeedsLibraries: a program that is linked with libraries of its system is refused before anything is
// made; one that is not stands alone.
func TestProgramThatNeedsLibraries(t *testing.T) {
	if _, err := architectureIn("/bin/sh"); err == nil || !strings.Contains(err.Error(), "CGO_ENABLED=0") {
		t.Errorf("sh: %v", err)
	}
	static := filepath.Join(t.TempDir(), "static")
	build := exec.Command("go", "build", "-o", static, "testdata/static.go")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if _, err := architectureIn(static); err != nil {
		t.Error(err)
	}
}

// TestCheckArchitectures: an arm whose pods beside the server would get no program is refused before anything is made, and what
// is missing is named. Load pods that may be on other nodes are not.
func TestCheckArchitectures(t *testing.T) {
	foreign, mixed := []vacancy{{arch: "s390x"}}, []vacancy{{arch: "s390x"}, {arch: "riscv64"}}
	files := []string{header(t, "riscv64")}
	for name, c := range map[string]struct {
		s     Settings
		found []vacancy
		wrong bool
	}{
		"load pods on such nodes":         {Settings{Clients: 1}, foreign, true},
		"a neighbour":                     {Settings{Node: "n1", Neighbour: &node.Neighbour{CPU: 100}}, foreign, true},
		"load in the server's pod":        {Settings{Node: "n1", Client: "socket"}, foreign, true},
		"load pods elsewhere":             {Settings{Node: "n1", Clients: 1}, foreign, false},
		"no pod that runs tare":           {Settings{}, foreign, false},
		"an image with tare":              {Settings{Clients: 1, ClientImage: "tare:1"}, foreign, false},
		"a file for one of two nodes":     {Settings{Clients: 1, Programs: files}, mixed, false},
		"a node that has not said it yet": {Settings{Clients: 1}, []vacancy{{}}, false},
	} {
		err := c.s.checkArchitectures(c.found)
		if (err != nil) != c.wrong || err != nil && !strings.Contains(err.Error(), "with tare's program for linux/s390x") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestHopeless: a kubelet that did not get a Secret in time tries again; one that lacks it does not help.
func TestHopeless(t *testing.T) {
	for message, want := range map[string]bool{
		"failed to sync secret cache: timed out waiting for the condition": false,
		`secret "login" not found`: true,
	} {
		if got := isHopeless(&corev1.ContainerStateWaiting{Reason: "CreateContainerConfigError", Message: message}); got != want {
			t.Errorf("%s: %t", message, got)
		}
	}
}

// TestBaseImageIsAName: what is no image reference is refused by its field.
func TestBaseImageIsAName(t *testing.T) {
	for _, errs := range [][]error{Settings{BaseImage: "My Image"}.nameContradictions(), FromSettings{BaseImage: "My Image"}.nameContradictions()} {
		if len(errs) != 1 || !strings.Contains(errs[0].Error(), `"My Image" is not an image reference`) {
			t.Errorf("%v", errs)
		}
	}
}
