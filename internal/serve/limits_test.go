package serve

import (
	"bytes"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tarebench/tare/internal/record"
)

// limited starts a server with these limits.
func limited(t *testing.T, l Limits, h http.Handler) string {
	t.Helper()
	s := httptest.NewUnstartedServer(nil)
	s.Config = l.Server(h)
	s.Start()
	t.Cleanup(s.Close)
	return s.Listener.Addr().String()
}

// TestSlowClients: a client that does not send its request, that sends no further one, or
// that does not take its answer loses its connection.
func TestSlowClients(t *testing.T) {
	const short = 200 * time.Millisecond
	at := limited(t, Limits{Read: short, Write: short, Idle: short}, http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	for name, said := range map[string]string{
		"nothing":            "",
		"half a request":     "GET / HTTP/1.1\r\nHost: x\r\nX: ",
		"one and no further": "GET / HTTP/1.1\r\nHost: x\r\n\r\n",
	} {
		c := dialed(t, at, said)
		if _, err := io.Copy(io.Discard, c); err != nil && !strings.Contains(err.Error(), "reset") {
			t.Errorf("a client that says %s: %v; want the end of the connection", name, err)
		}
	}
	stopped := make(chan error, 1)
	// No short limit of the request: a client that is off the CPU for as long would lose its
	// connection before it has asked.
	at = limited(t, Limits{Write: short}, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		for {
			if _, err := w.Write(make([]byte, 1<<16)); err != nil {
				stopped <- err
				return
			}
		}
	}))
	dialed(t, at, "GET /endless HTTP/1.1\r\nHost: x\r\n\r\n") // and reads nothing
	if err := <-stopped; !strings.Contains(err.Error(), "timeout") {
		t.Errorf("a client that reads nothing: %v", err)
	}
}

func dialed(t *testing.T, at, said string) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", at)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	if _, err := io.WriteString(c, said); err != nil {
		t.Fatal(err)
	}
	return c
}

// TestStreamOutlivesTheLimit: a stream goes on past the limit of an answer, as each of its
// events has a limit of its own.
func TestStreamOutlivesTheLimit(t *testing.T) {
	g := grow(t)
	g.trial(1, 30, false)
	h, err := New(Options{Dir: filepath.Dir(g.dir), Version: "test", BuildReport: buildReport})
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewUnstartedServer(nil)
	s.Config = Limits{Write: lookEvery / 2}.Server(h)
	s.Start()
	t.Cleanup(s.Close)
	states := 0
	stream(t, s.URL+"/runs/growing/events", func(event, _ string) bool {
		states++
		g.trial(1, 30+5*states, false)
		return states == 3
	})
}

// TestServeStaysInItsFolder: no path leads out of the folder, and no request changes what
// is in it.
func TestServeStaysInItsFolder(t *testing.T) {
	dir := folder(t, "demo")
	write(t, filepath.Join(filepath.Dir(dir), "secret", record.PlanFile), "secret")
	s := start(t, Options{Dir: dir})
	before := filesOf(t, dir)
	for _, path := range []string{
		"/runs/../secret/", "/runs/..%2fsecret/", "/runs/%2e%2e/", "/runs/%2e%2e%2fsecret/result.json", "/runs/..%5csecret/",
		"/runs/demo%2f..%2f..%2fsecret/report.md", "/runs/demo/../../secret/events", "/runs//etc/passwd", "/runs/.%00./",
		"/assets/..%2f..%2fserve.go", "/assets/%2e%2e%2flist.tmpl", "/compare?before=../secret&after=demo", "/compare?before=demo&after=%2fetc",
		"/runs/" + strings.Repeat("a", 5000) + "/", "/.//../secret/plan.json",
	} {
		for _, method := range []string{http.MethodGet, http.MethodPut, http.MethodPost, http.MethodDelete} {
			status, body := rawRequest(t, s.Listener.Addr().String(), method, path)
			if status == http.StatusOK || strings.Contains(body, "secret\n") || strings.Contains(body, "root:") {
				t.Errorf("%s %s: %d: %.200s", method, path, status, body)
			}
		}
	}
	if diff := cmp.Diff(before, filesOf(t, dir)); diff != "" {
		t.Errorf("requests changed the folder (-before +after):\n%s", diff)
	}
}

// rawRequest sends a path as it is: Go's client would clean it.
func rawRequest(t *testing.T, at, method, path string) (status int, body string) {
	t.Helper()
	c := dialed(t, at, method+" "+path+" HTTP/1.0\r\nHost: localhost\r\n\r\n")
	b, err := io.ReadAll(io.LimitReader(c, 1<<20))
	if err != nil {
		t.Fatal(err)
	}
	head, rest, _ := bytes.Cut(b, []byte("\r\n\r\n"))
	fields := strings.Fields(string(head))
	if len(fields) < 2 || len(fields[1]) != 3 {
		t.Fatalf("%s %s: %.100s", method, path, head)
	}
	return int(fields[1][0]-'0')*100 + int(fields[1][1]-'0')*10 + int(fields[1][2]-'0'), string(rest)
}

// filesOf are the files of a folder with their content and times.
func filesOf(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		files[path] = info.ModTime().String() + info.Mode().String()
		if d.Type().IsRegular() {
			b, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			files[path] += string(b)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}
