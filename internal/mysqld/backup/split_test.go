package backup

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"
)

// statementsOf are all statements of a text with their lines.
func statementsOf(t *testing.T, text string) (all []string, lines []int) {
	t.Helper()
	s := newSplitter(strings.NewReader(text))
	for {
		statement, line, err := s.next()
		if errors.Is(err, io.EOF) {
			return all, lines
		}
		if err != nil {
			t.Fatalf("line %d: %v", line, err)
		}
		all, lines = append(all, statement), append(lines, line)
	}
}

// TestSplit: statements end at the delimiter, outside of quotes and comments, as mysqldump
// writes them.
func TestSplit(t *testing.T) {
	text := "-- MySQL dump; not a statement\n\n/*!40101 SET NAMES utf8mb4 */;\n" +
		"CREATE TABLE `a;b` (c CHAR(1) DEFAULT ';'); # one; two\n" +
		"INSERT INTO t VALUES ('it''s \\'; \\\\'),(\"x;\");\n/* a comment; only */;\n" +
		"DELIMITER ;;\nCREATE TRIGGER x BEFORE INSERT ON t FOR EACH ROW BEGIN SET @a = 1; SET @b = 2; END ;;\ndelimiter ;\n" +
		"SELECT 1-- 2;\n;DROP TABLE d;\nSELECT 3"
	got, lines := statementsOf(t, text)
	want := []string{
		"-- MySQL dump; not a statement\n\n/*!40101 SET NAMES utf8mb4 */", "CREATE TABLE `a;b` (c CHAR(1) DEFAULT ';')",
		"# one; two\nINSERT INTO t VALUES ('it''s \\'; \\\\'),(\"x;\")",
		"CREATE TRIGGER x BEFORE INSERT ON t FOR EACH ROW BEGIN SET @a = 1; SET @b = 2; END",
		"SELECT 1-- 2;", "DROP TABLE d", "SELECT 3",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]int{3, 4, 5, 8, 10, 11, 12}, lines); d != "" {
		t.Error(d)
	}
	for _, open := range []string{"SELECT 'a;", "SELECT `a", "/* a", "/*! SELECT 1"} {
		if _, _, err := newSplitter(strings.NewReader(open)).next(); !errors.Is(err, errUnclosed) {
			t.Errorf("%s: %v", open, err)
		}
	}
}

func FuzzSplit(f *testing.F) {
	for _, s := range []string{"SELECT 1; SELECT 2", "DELIMITER $$\nSELECT 1$$", "/*!1 a */;'", "-- x\n#;y", "delimiter \n;", "\u00a0", "\x01;\u0085;"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, size := newSplitter(strings.NewReader(text)), 0
		for {
			statement, line, err := s.next()
			if err != nil {
				break
			}
			if size += len(statement); statement == "" || size > len(text) || line < 1 || line > 1+strings.Count(text, "\n") {
				t.Fatalf("statement %q on line %d of %q", statement, line, text)
			}
		}
	})
}

// TestDirectory: what no server can start on is refused with the reason.
func TestDirectory(t *testing.T) {
	dir := t.TempDir()
	expect := func(part string) {
		t.Helper()
		size, err := Directory(dir)
		if part == "" && err == nil && size.Files > 0 && size.Identity != "" {
			return
		}
		if part == "" || err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("%v, %+v; want %q", err, size, part)
		}
	}
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	expect("no file ibdata1")
	write("ibdata1", "12345")
	expect("no directory mysql")
	if err := os.Mkdir(filepath.Join(dir, "mysql"), 0o700); err != nil {
		t.Fatal(err)
	}
	expect("")
	write("xtrabackup_checkpoints", "backup_type = full-backuped\n")
	expect("not prepared")
	write("xtrabackup_checkpoints", "backup_type = full-prepared\n")
	expect("")
	before, _ := Directory(dir)
	write("ibdata1", "123456")
	if after, _ := Directory(dir); after.Identity == before.Identity || after.Bytes != before.Bytes+1 {
		t.Errorf("%+v, before the change %+v", after, before)
	}
	if err := os.Symlink("/elsewhere", filepath.Join(dir, "shop")); err != nil {
		t.Fatal(err)
	}
	expect("shop is a link")
	if _, err := Directory(filepath.Join(dir, "ibdata1")); err == nil || !strings.Contains(err.Error(), "not a directory") {
		t.Error(err)
	}
}

// TestUnpacked: gzip, zstd and plain text are told apart by their first bytes.
func TestUnpacked(t *testing.T) {
	const text = "SELECT 1;\n"
	var gzipped, zstandard bytes.Buffer
	z := gzip.NewWriter(&gzipped)
	w, err := zstd.NewWriter(&zstandard)
	if err != nil {
		t.Fatal(err)
	}
	for _, packer := range []io.WriteCloser{z, w} {
		if _, err := io.WriteString(packer, text); err != nil {
			t.Fatal(err)
		}
		if err := packer.Close(); err != nil {
			t.Fatal(err)
		}
	}
	for _, packed := range []string{text, gzipped.String(), zstandard.String(), ""} {
		r, err := unpacked(bufio.NewReader(strings.NewReader(packed)))
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(r)
		if want := text[:min(len(text), len(packed))]; err != nil || string(got) != want {
			t.Errorf("%q, %v", got, err)
		}
	}
}
