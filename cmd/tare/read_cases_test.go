package main

// This file has every case of the logs and captures of other people with its right value, in one table. The inputs, in
// testdata/read, are a library's: 24 transactions in 23 s, 16 of them a look (3 ms) and 8 an order of BEGIN, SELECT,
// UPDATE and COMMIT (2 ms each, 26 ms together), unless the case says otherwise. Those of sysbench are a run of 3,666
// transactions in 6.0025 s.

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gopacket/gopacket/pcapgo"
)

// readCase is a file with what tare must say of it. Each of want is in what the command prints and in the file that it
// writes; none of never is.
type readCase struct {
	file  string // of testdata/read
	code  int
	want  []string
	never []string
}

func captureCases() []readCase {
	whole := []string{"select_book: 66.7 % of all, 0.7/s, mean 3.00 ms", "update_book: 33.3 % of all, 0.3/s, mean 26.00 ms", "1.0 transactions/s, 2.1 statements/s", "100.0 % of the statements in the log", "watched for 23.0 s, 3 connections"}
	wholeSeconds := []string{"select_book: 66.7 % of all, 0.7/s, mean 3.00 ms", "update_book: 33.3 % of all, 0.3/s, latency not known, at least 8.00 ms", "1.0 transactions/s, 2.1 statements/s", "The log's times have whole seconds"}
	apart := []string{"transactions are not known", "Transactions are not known: the log does not say which connection sent a statement", "select_book: 75.0 % of all, 1.0/s, mean 2.67 ms", "The application sent COMMIT 8 times"}
	return []readCase{
		{"01-mysql80-slow.log", exitDone, whole, nil},
		{"02-mariadb-explain.log", exitDone, wholeSeconds, []string{"SIMPLE"}},
		{"04-percona-rate-limit.log", exitDone, []string{"it has one of 50 statements", "104.2 statements/s", "transactions are not known", "the log is a sample of single statements"}, []string{"transactions/s"}},
		{"05-slow.log.gz", exitDone, whole, nil},
		{"06-kubectl-timestamps.log", exitDone, whole, nil},
		{"08-ptqd-output-slowlog.log", exitDone, whole, nil},
		{"09-no-id.log", exitDone, apart, []string{"1 connection", "transactions/s"}},
		{"12-short-format.log", exitDone, apart, []string{"transactions/s"}},
		{"13-mixed-error-log.log", exitDone, whole, []string{"Aborted"}},
		// 30 transactions of four statements of 10 ms in 20.3 s; each lasts 70 ms.
		{"16-whole-seconds.log", exitDone, []string{"update_book: 100.0 % of all, 1.5/s, latency not known, at least 40.00 ms", "latency of a transaction of several statements"}, []string{"p95"}},
		// 20 transactions of three statements in 9.5 s.
		{"17-general-autocommit0.log", exitDone, []string{"1 kind of transaction, 2.1 transactions/s", "update_book: 100.0 % of all", "latency not known"}, []string{"autocommit: true", "ms,"}},
		{"20-general-log.tsv", exitDone, []string{"from the table mysql.general_log", "1.1 transactions/s", "select_book: 100.0 % of all"}, nil},
		{"24-digest-report.txt", exitInvalid, []string{"it is a report of pt-query-digest", "give the log itself"}, nil},
		{"28-hints.log", exitDone, []string{"/*+ NO_INDEX"}, nil},
		// 40 transactions in 2.36 s over a connection whose autocommit=0 was set before the log begins.
		{"73-slow-autocommit0.log", exitDone, []string{"1 kind of transaction, 16.9 transactions/s", "update_book: 100.0 % of all", "taken to work with autocommit=0"}, []string{"autocommit: true"}},
	}
}

func importCases() []readCase {
	whole := []string{"610.", "12,215 queries/s", "p95 7.70 ms", "(610.0 to 612.0)"}
	return []readCase{
		{"31-csv-cut.log", exitDone, []string{"615.0 (600.0 to 630.0)", "Logs of a have no final statistics"}, nil},
		{"33-failed-start.log", exitDone, whole, nil},
		{"36-stern.log", exitDone, whole, nil},
		{"40-grep-color.log", exitDone, whole, nil},
		{"41-fileio.log", exitInvalid, []string{"sysbench fileio tests files"}, []string{"transactions/s"}},
		{"44-p99-interval10.log", exitDone, []string{"609.9 (600.0 to 620.0)", "p99 12.3 ms", "slowest to fastest interval of 10 s"}, []string{"p95", "no response times"}},
		{"55-decimal-comma.log", exitInvalid, []string{"decimal comma"}, nil},
		{"60-hammerdb.txt", exitDone, []string{"24,680 ", "new orders/min"}, []string{"transactions/s", "56,789"}},
		{"61-benchbase.csv", exitDone, []string{"requests/s", "300.0"}, []string{"transactions/s"}},
		{"64-go-tpc.log", exitDone, []string{"20.0", "mean latency 30.0 ms"}, nil},
	}
}

// said runs a command in a test, and returns what it prints.
func said(t *testing.T, want int, args ...string) string {
	t.Helper()
	t.Setenv("TARE_STATE", t.TempDir())
	var out, conversation bytes.Buffer
	if code := run(args, &terminal{in: os.Stdin, out: &out, err: &conversation}); code != want {
		t.Fatalf("%q: exit code %d, want %d\n%s%s", args, code, want, out.String(), conversation.String())
	}
	return out.String() + conversation.String()
}

func (c readCase) holds(t *testing.T, text string) {
	t.Helper()
	flat := strings.Join(strings.Fields(text), " ")
	for _, want := range c.want {
		if !strings.Contains(flat, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
	for _, never := range c.never {
		if strings.Contains(flat, never) {
			t.Errorf("%q is in\n%s", never, text)
		}
	}
}

// TestReadCases: each input has its right figures, or the word for what it does not have.
func TestReadCases(t *testing.T) {
	for _, c := range captureCases() {
		t.Run(c.file, func(t *testing.T) {
			out := filepath.Join(t.TempDir(), "x.yaml")
			text := said(t, c.code, "capture", "--log", filepath.Join("testdata", "read", c.file), "--out", out)
			written, err := os.ReadFile(out)
			if err != nil && c.code == exitDone {
				t.Fatal(err)
			}
			c.holds(t, text+string(written))
		})
	}
	for _, c := range importCases() {
		t.Run(c.file, func(t *testing.T) {
			c.holds(t, said(t, c.code, "import", "--out", filepath.Join(t.TempDir(), "run"), "a="+filepath.Join("testdata", "read", c.file)))
		})
	}
	t.Run("47, threads that differ", func(t *testing.T) {
		few, many := filepath.Join("testdata", "read", "47-few.log"), filepath.Join("testdata", "read", "47-many.log")
		text := said(t, exitDone, "import", "--out", filepath.Join(t.TempDir(), "run"), "few="+few, "many="+many)
		readCase{want: []string{"INVALID many at 48 threads compared with few", "measured with 48 threads, and few with 4 threads"}, never: []string{"NOT MEASURED"}}.holds(t, text)
	})
	t.Run("78, a snaplen of 96 bytes", func(t *testing.T) {
		none := said(t, exitFailed, "capture", "--packets", shortened(t, "testdata/shop.pcap.gz", 96), "--port", "42437", "--out", "x.yaml")
		readCase{want: []string{"no statement that reads or writes rows is in it", "statements have no end in the file", "capture whole packets"}}.holds(t, none)
		out := filepath.Join(t.TempDir(), "x.yaml")
		text := said(t, exitDone, "capture", "--packets", shortened(t, "testdata/shop.pcap.gz", 128), "--port", "42437", "--out", out)
		readCase{want: []string{"statements have no end in the file", "packets were captured in part"}, never: []string{"100.0 % of the statements"}}.holds(t, text)
	})
}

// shortened has the first bytes of each packet of a capture, as tcpdump -s writes them.
func shortened(t *testing.T, path string, snap int) string {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	unpacked, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	in, err := pcapgo.NewReader(unpacked)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	w := pcapgo.NewWriter(&b)
	if err := w.WriteFileHeader(uint32(snap), in.LinkType()); err != nil {
		t.Fatal(err)
	}
	for {
		data, info, err := in.ReadPacketData()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		info.CaptureLength = min(len(data), snap)
		if err := w.WritePacket(info, data[:info.CaptureLength]); err != nil {
			t.Fatal(err)
		}
	}
	short := filepath.Join(t.TempDir(), "short.pcap")
	if err := os.WriteFile(short, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	return short
}
