package logtext_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"
	"golang.org/x/text/encoding/unicode"

	"github.com/tarebench/tare/internal/logtext"
)

const sample = "# Time: 2026-03-04\nSELECT 'é';\n"

func gzipped(t *testing.T, text string) string {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := io.WriteString(w, text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func encoded(t *testing.T, text string, order unicode.Endianness, mark unicode.BOMPolicy) string {
	t.Helper()
	s, err := unicode.UTF16(order, mark).NewEncoder().String(text)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestDecode(t *testing.T) {
	z, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"plain": sample, "byte order mark": "\xef\xbb\xbf" + sample, "gzip": gzipped(t, sample), "two gzip members": gzipped(t, sample[:20]) + gzipped(t, sample[20:]),
		"zstd": string(z.EncodeAll([]byte(sample), nil)), "bzip2": sampleBzip2,
		"UTF-16LE": encoded(t, sample, unicode.LittleEndian, unicode.UseBOM), "UTF-16BE": encoded(t, sample, unicode.BigEndian, unicode.UseBOM),
		"UTF-16LE without mark": encoded(t, sample, unicode.LittleEndian, unicode.IgnoreBOM), "UTF-16BE without mark": encoded(t, sample, unicode.BigEndian, unicode.IgnoreBOM),
		"gzip of UTF-16": gzipped(t, encoded(t, sample, unicode.LittleEndian, unicode.UseBOM)),
	} {
		r, err := logtext.Decode(strings.NewReader(text))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got, err := io.ReadAll(r); err != nil || string(got) != sample {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	tar := strings.Repeat("x", 257) + "ustar" + strings.Repeat("x", 250)
	for text, want := range map[string]error{"\xfd7zXZ\x00\x00": logtext.ErrXZ, "PK\x03\x04\x14": logtext.ErrZip, tar: logtext.ErrTar, gzipped(t, tar): logtext.ErrTar} {
		if _, err := logtext.Decode(strings.NewReader(text)); !errors.Is(err, want) {
			t.Errorf("%.10q: %v", text, err)
		}
	}
	cut := gzipped(t, strings.Repeat(sample, 100))
	r, err := logtext.Decode(strings.NewReader(cut[:len(cut)-12]))
	if err == nil {
		_, err = io.ReadAll(r)
	}
	if !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("archive that is cut off: %v", err)
	}
}

// sampleBzip2 is the sample, compressed by bzip2 -9.
const sampleBzip2 = "\x42\x5a\x68\x39\x31\x41\x59\x26\x53\x59\xa8\x4c\xfe\x1a\x00\x00\x02\xdf\x14\x00\x10\x48\x82\x5d\x18\x0a\x04\x0c\x00\x02\x22\x00\x20\x08\x00\x20\x00\x31\x46\x8c\x81\xa3\x4c\x8d\x0a\x00\x0d\xa8\xc4\xd1\xac\x19\x56\x8d\x60\x01\x3a\x61\xf2\x5d\x9a\x2c\x49\x70\xc8\xde\xcf\xc5\xdc\x91\x4e\x14\x24\x2a\x13\x3f\x86\x80"

func TestOpen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.log")
	if err := os.WriteFile(path, []byte("file"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ path, want, name string }{{path, "file", path}, {"-", "standard", "standard input"}} {
		f, err := logtext.Open(c.path, strings.NewReader("standard"))
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(f)
		if err != nil || string(got) != c.want || logtext.Name(c.path) != c.name {
			t.Errorf("%s: %q, %v, %q", c.path, got, err, logtext.Name(c.path))
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
	if _, err := logtext.Open(path+".missing", nil); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("missing file: %v", err)
	}
}

func TestLines(t *testing.T) {
	type line struct {
		Text       string
		Number     int
		Whole, Cut bool
	}
	l := logtext.NewLines(strings.NewReader("one\r\n\n"+strings.Repeat("x", 12)+"\n"+strings.Repeat("y", 200_000)+"\nend"), 12)
	var got []line
	for {
		text, err := l.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, line{text, l.Number, l.Whole, l.Cut})
	}
	want := []line{{"one", 1, true, false}, {"", 2, true, false}, {strings.Repeat("x", 12), 3, true, false}, {strings.Repeat("y", 12), 4, true, true}, {"end", 5, false, false}}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	l = logtext.NewLines(io.MultiReader(strings.NewReader("one\n"), broken{}), 100)
	if text, err := l.Next(); text != "one" || err != nil {
		t.Errorf("%q, %v", text, err)
	}
	if _, err := l.Next(); !errors.Is(err, io.ErrClosedPipe) || !strings.Contains(err.Error(), "line 2") {
		t.Errorf("broken reader: %v", err)
	}
}

type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, io.ErrClosedPipe }

func TestWithoutPrefix(t *testing.T) {
	const own = "[ 1s ] thds: 8"
	for _, prefix := range []string{"", "2026-03-04T10:01:00.000000001Z ", "2026-03-04T10:01:00.1+01:00 stdout F ", "[pod/mysql-0/mysql] ", "[pod/a/b] 2026-03-04T10:01:00Z ", "mysql-1  | ", "Mar 04 10:00:00 ",
		"Mar  4 10:00:00 db-1 mysqld[77]: ", "[2026-03-04 10:00:00] ", "\x1b[32mmysql-1  |\x1b[0m "} {
		if got := logtext.WithoutPrefix(prefix + own); got != own {
			t.Errorf("%q: %q", prefix, got)
		}
	}
	if got := logtext.WithoutPrefix(`{"log":"a \"b\" ` + "\\u003e" + `\n","stream":"stdout","time":"2026-03-04T10:01:00Z"}`); got != `a "b" >` {
		t.Errorf("json-file: %q", got)
	}
	if got := logtext.WithoutPrefix(`{"log":"broken`); got != `{"log":"broken` {
		t.Errorf("broken json-file: %q", got)
	}
	if got := logtext.WithoutColours("a \x1b[01;31m\x1b[Ktps\x1b[m\x1b[K b"); got != "a tps b" {
		t.Errorf("colours: %q", got)
	}
}

func TestLearn(t *testing.T) {
	for _, c := range []struct{ example, other string }{
		{"mysql-0 mysql ", "mysql-0 mysql "},
		{"2026-03-04T10:01:00.5Z ", "2026-03-05T23:59:59.000000001Z "},
		{"2026-03-04T10:01:00+00:00 slowquery/db-1 ", "2027-03-04T10:01:00+00:00 slowquery/db-1 "},
		{"00:12:33   12.5s | ", "01:00:00 1000.25s | "},
		{"Mar  4 10:00:00 db mysqld[9]: ", "Apr 14 10:00:00 db mysqld[1234]: "},
		{"", ""},
	} {
		p := logtext.Learn(c.example)
		for _, own := range []string{"# Time: 1", "  indented", ""} {
			if got, ok := p.Cut(c.other + own); got != own || !ok {
				t.Errorf("%q: %q, %v", c.example, got, ok)
			}
		}
	}
	p := logtext.Learn("mysql-0 mysql ")
	if got, ok := p.Cut("mysql-0 mysql"); got != "" || !ok {
		t.Errorf("empty line without its blank: %q, %v", got, ok)
	}
	if got, ok := p.Cut("SELECT 1"); got != "SELECT 1" || ok {
		t.Errorf("line without a prefix: %q, %v", got, ok)
	}
}

func TestSource(t *testing.T) {
	for prefix, want := range map[string]string{
		"": "", "2026-03-04T10:01:00.5Z ": "", "2026-03-04T10:01:00Z stdout F ": "", "2026-03-04T10:01:00Z stderr P ": "",
		"mysql-0 mysql ": "mysql-0 mysql", "2026-03-04T10:01:00+00:00 slowquery/db-1 ": "slowquery/db-1", "[pod/mysql-0/mysql] ": "[pod/mysql-0/mysql]",
		"mysql-1  | ": "mysql-1", "Mar  4 10:00:00 db mysqld[9]: ": "db mysqld", "00:12:33   12.5s | ": "",
	} {
		if got := logtext.Source(prefix); got != want {
			t.Errorf("%q: %q", prefix, got)
		}
		if got, want := logtext.Partial(prefix), strings.HasSuffix(prefix, "P "); got != want {
			t.Errorf("%q: partial %v", prefix, got)
		}
	}
	p := logtext.Learn("2026-03-04T10:01:00Z stdout F ")
	if before, own, ok := p.Split("2026-03-04T10:01:01Z stderr P part"); !logtext.Partial(before) || own != "part" || !ok {
		t.Errorf("%q, %q, %v", before, own, ok)
	}
	piece := strings.Repeat("a", 16<<10)
	for line, want := range map[string]struct {
		text             string
		partial, wrapped bool
	}{
		`{"log":"` + piece + `","stream":"stdout"}`:                     {piece, true, true},
		`{"log":"` + piece + `\n","stream":"stdout"}`:                   {piece, false, true},
		`{"stream":"stderr","time":"2026-03-04T10:01:00Z","log":"a"}`:   {"a", false, true},
		`{"_PID":"7","MESSAGE":"a\nb"}`:                                 {"a\nb", false, true},
		`{"labels":{"pod":"db-0"},"line":"a","timestamp":"2026-03-04"}`: {"a", false, true},
		`{"insertId":"x","textPayload":"a"}`:                            {"a", false, true},
		`{"_PID":"7","MESSAGE":[97,98]}`:                                {`{"_PID":"7","MESSAGE":[97,98]}`, false, false},
		`{"tps": 4}`:                                                    {`{"tps": 4}`, false, false},
		`{"log":"a"`:                                                    {`{"log":"a"`, false, false},
	} {
		if text, partial, wrapped := logtext.Unwrap(line); text != want.text || partial != want.partial || wrapped != want.wrapped {
			t.Errorf("%.60q: %.60q, %v, %v", line, text, partial, wrapped)
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(sample))
	f.Add([]byte("\xff\xfea\x00\n\x00"))
	f.Add([]byte{0x1f, 0x8b, 8, 0, 0})
	f.Add([]byte{0x28, 0xb5, 0x2f, 0xfd, 0})
	f.Fuzz(func(t *testing.T, in []byte) {
		r, err := logtext.Decode(bytes.NewReader(in))
		if err != nil {
			return
		}
		l := logtext.NewLines(io.LimitReader(r, 1<<20), 64)
		for {
			text, err := l.Next()
			if err != nil {
				return
			}
			if len(text) > 64 || strings.Contains(text, "\n") {
				t.Fatalf("line %q", text)
			}
			logtext.WithoutPrefix(text)
		}
	})
}

func FuzzLearn(f *testing.F) {
	f.Add("2026-03-04T10:01:00Z ", "SELECT 1")
	f.Add("pod/a (b) [12] ", "")
	f.Add("\x80\xff", "")
	f.Add("\xf3\xaa\xaa", "\x80")
	f.Fuzz(func(t *testing.T, example, own string) {
		if own != "" && !utf8.RuneStart(own[0]) {
			return // the example would end within a character, which no prefix of a collector does
		}
		got, ok := logtext.Learn(example).Cut(example + own)
		if !ok || !strings.HasSuffix(own, got) { // numbers and blanks at the end of the prefix can go on
			t.Fatalf("%q + %q: %q, %v", example, own, got, ok)
		}
	})
}
