package mysqld

import (
	"archive/tar"
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
)

// fakeServer is a static program that prints a version as a server does.
var fakeServer = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "fakeserver")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	cmd := exec.Command("go", "build", "-buildvcs=false", "-ldflags=-s -w", "-o", dir, "./testdata/fakeserver")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	cmd.Stderr = os.Stderr
	if err := cmd.Run(); err != nil {
		return nil, err
	}
	return os.ReadFile(filepath.Join(dir, "fakeserver"))
})

func serverBinary(t *testing.T) string {
	t.Helper()
	b, err := fakeServer()
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// entry is one entry of a tar archive.
type entry struct {
	name, content string
	link          string
	kind          byte // 0: a file, or a directory if the name ends in /
	mode          int64
	uid           int
}

// tarOf makes an archive.
func tarOf(t *testing.T, entries ...entry) []byte {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, e := range entries {
		h := &tar.Header{Name: e.name, Typeflag: e.kind, Linkname: e.link, Mode: e.mode, Uid: e.uid, Gid: e.uid, Size: int64(len(e.content))}
		if h.Mode == 0 {
			h.Mode = 0o755
		}
		if e.kind == 0 {
			h.Typeflag = tar.TypeReg
			if e.name[len(e.name)-1] == '/' {
				h.Typeflag = tar.TypeDir
			}
		}
		if err := w.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(w, e.content); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// rootEntries are a small root file system with a server in it, which is
// reached through an absolute symbolic link.
func rootEntries(t *testing.T) []entry {
	return []entry{
		{name: "./etc/"},
		{name: "./etc/passwd", content: "root:x:0:0::/:/bin/sh\nmysql:x:27:28::/:/bin/false\n", mode: 0o644},
		{name: "./usr/sbin/"},
		{name: "./usr/sbin/mysqld", kind: tar.TypeSymlink, link: "/opt/server/bin/mysqld-real"},
		{name: "./opt/server/bin/mysqld-real", content: serverBinary(t)},
		{name: "./opt/server/share/english/errmsg.sys", content: "x"},
		{name: "./opt/server/lib/plugin/auth.so", content: "x"},
	}
}

func write(t *testing.T, path string, content []byte) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, content, 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}
