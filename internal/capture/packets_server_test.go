package capture_test

import (
	"bytes"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tarebench/tare/internal/capture"
	"github.com/tarebench/tare/internal/mysqld"
	"github.com/tarebench/tare/internal/mysqld/mysqldtest"
)

// tcpdump captures the packets of a server's port on the loopback interface while app runs. It is not in
// immediate mode, which reserves the maximum size for every packet (TPACKET_V2 in libpcap's pcap-linux.c): the
// buffer then holds 500 packets and overflows when tcpdump waits for a CPU.
func tcpdump(t *testing.T, a mysqld.Address, app func()) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "packets.pcap")
	c := exec.Command("tcpdump", "-i", "lo", "-s", "0", "-B", "65536", "-U", "-Z", "root", "-w", path, fmt.Sprintf("tcp port %d", a.Port))
	said, err := c.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = c.Process.Signal(syscall.SIGINT)
		_ = c.Wait()
	}()
	var heard bytes.Buffer
	for part := make([]byte, 4096); !strings.Contains(heard.String(), "listening on"); {
		n, err := said.Read(part)
		heard.Write(part[:n])
		if err != nil {
			t.Fatalf("tcpdump: %v: %s", err, heard.String())
		}
	}
	app()
	a.Schema = "information_schema"
	const last, occurrences = "all packets before this one are in the file", 3 // in the command, and the answer's name and value
	execute(t, open(t, a), "SELECT '"+last+"'")
	for limit := time.Now().Add(2 * time.Minute); ; time.Sleep(10 * time.Millisecond) {
		if b, err := os.ReadFile(path); err != nil || bytes.Count(b, []byte(last)) >= occurrences {
			return path
		}
		if time.Now().After(limit) {
			t.Fatal("tcpdump does not write the last packet")
		}
	}
}

// readPackets makes the workload of a capture.
func readPackets(t *testing.T, path string, s *mysqldtest.Server, schema string) (*capture.Seen, *capture.Described, string) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	seen, err := capture.ReadPackets(f, uint16(s.Options.Port), schema)
	if err != nil {
		t.Fatal(err)
	}
	d, err := capture.Describe(t.Context(), seen, capture.Dictionary{DB: open(t, s.Address)}, capture.Options{Name: "shop"})
	if err != nil {
		t.Fatal(err)
	}
	text := string(d.File.Marshal())
	if strings.Contains(text, canary) {
		t.Errorf("a literal of the application is in\n%s", text)
	}
	return seen, d, text
}

// TestCapturePackets: the kinds of transactions of the shop are found in the packets that
// tcpdump captures of a real server, sent as text and as prepared statements, and no literal of
// them is in the file.
func TestCapturePackets(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("not root: no packets")
	}
	if _, err := exec.LookPath("tcpdump"); errors.Is(err, exec.ErrNotFound) {
		t.Skip("no tcpdump on this machine")
	}
	d := mysqldtest.Flavour(t, mysqld.MySQL)
	s := mysqldtest.StartTCP(t, d, nil)
	execute(t, open(t, s.Address), "CREATE USER app@'127.0.0.1' IDENTIFIED BY 'x1'", "GRANT ALL ON *.* TO app@'127.0.0.1'")
	a := mysqld.Address{Host: "127.0.0.1", Port: s.Options.Port, User: "app", Password: "x1", Schema: "shop"}
	t.Run("text", func(t *testing.T) {
		db := shopSchema(t, s, "shop")
		path := tcpdump(t, a, func() { shop(t, open(t, a), 1) })
		shopFromPackets(t, path, s, a)
		db.Close()
	})
	t.Run("prepared", func(t *testing.T) {
		db := shopSchema(t, s, "shop2")
		a.Schema = "shop2"
		path := tcpdump(t, a, func() {
			shopBy(t, open(t, a), 1, func(tx *sql.Tx) executor { return preparing{tx} })
		})
		shopFromPackets(t, path, s, a)
		db.Close()
	})
	t.Run("from the middle", func(t *testing.T) {
		shopSchema(t, s, "shop3").Close()
		a.Schema = "shop3"
		db := open(t, a)
		db.SetMaxOpenConns(1)
		execute(t, db, "DO 1")
		path := tcpdump(t, a, func() { shop(t, db, 1) })
		seen, d, text := readPackets(t, path, s, "shop3")
		hasShopKinds(t, d)
		if d.CoveredCount < 0.99 || !strings.Contains(text, "1 of 2 connections began before the capture") || seen.Uncounted.Count != 0 {
			t.Errorf("coverage %.3f, %v not counted\n%s", d.CoveredCount, seen.Uncounted.Count, text)
		}
	})
	t.Run("TLS", func(t *testing.T) {
		encrypted := a
		encrypted.TLS = "required"
		path := tcpdump(t, a, func() { execute(t, open(t, encrypted), "DO '"+canary+"'") })
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		seen, err := capture.ReadPackets(f, uint16(s.Options.Port), "")
		if err != nil || len(seen.Statements) == 0 || !strings.Contains(strings.Join(seen.Notes, "\n"), "1 of 2 connections use TLS") {
			t.Errorf("%v; %+v", err, seen)
		}
	})
}

// shopFromPackets checks what a capture of the whole shop came to.
func shopFromPackets(t *testing.T, path string, s *mysqldtest.Server, a mysqld.Address) {
	t.Helper()
	seen, d, text := readPackets(t, path, s, "")
	hasShopKinds(t, d)
	if len(d.Kinds) != len(shopKinds()) || d.CoveredCount < 0.98 || !(d.CoveredTime > 0) || seen.Uncounted.Count != 0 || seen.Elsewhere.Count != 1 {
		t.Errorf("%d kinds, coverage %.3f and %.3f, %v not counted\n%s", len(d.Kinds), d.CoveredCount, d.CoveredTime, seen.Uncounted.Count, text)
	}
	for _, want := range []string{"NOW()", "IN (?, ?, ?)", fmt.Sprintf("captured packets of port %d", a.Port), "uniform: {from: 1, to: 50}", "Server " + seen.Version} {
		if !strings.Contains(text, want) {
			t.Errorf("nothing of %s in\n%s", want, text)
		}
	}
	if seen.Schema != a.Schema || strings.Contains(text, "Not seen:") {
		t.Errorf("schema %s; what was seen in full has notes:\n%s", seen.Schema, text)
	}
}

// preparing sends statements as prepared ones, with their literals as parameters.
type preparing struct{ tx *sql.Tx }

var literals = regexp.MustCompile(`'[^']*'|\b[0-9]+(\.[0-9]+)?\b`)

func (p preparing) Exec(query string, _ ...any) (sql.Result, error) {
	var values []any
	for _, l := range literals.FindAllString(query, -1) {
		values = append(values, strings.Trim(l, "'"))
	}
	for i, v := range values {
		if n := new(int64); !strings.Contains(query, fmt.Sprintf("'%v'", v)) {
			if _, err := fmt.Sscanf(v.(string), "%d", n); err == nil && !strings.Contains(v.(string), ".") {
				values[i] = *n
			}
		}
	}
	return p.tx.Exec(literals.ReplaceAllString(query, "?"), values...)
}
