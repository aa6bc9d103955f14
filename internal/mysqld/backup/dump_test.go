package backup

import (
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestDump: a dump that makes nothing is refused before a server is started; one of which that is not certain is not.
func TestDump(t *testing.T) {
	const header = "-- MySQL dump 10.13\n/*!40101 SET @OLD_CHARACTER_SET_CLIENT=@@CHARACTER_SET_CLIENT */;\n-- Dump completed\n"
	packed := func(text string) string {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		if _, err := z.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	for text, want := range map[string]string{
		"":                                    "is empty (0 bytes)",
		header:                                "makes no table",
		packed(header):                        "makes no table",
		packed(""):                            "makes no table",
		header + "CREATE TABLE t (id INT);\n": "",
		packed(header + "insert into t values (1);\n"):                                    "",
		header + strings.Repeat("-- nothing\n", mostRead/10) + "CREATE TABLE t (id INT);": "",
		"\x1f\x8bno gzip": "",
	} {
		path := filepath.Join(t.TempDir(), "shop.sql")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Dump(path); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%.40q: %v, want %q", text, err, want)
		}
	}
}
