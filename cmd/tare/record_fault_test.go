package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tarebench/tare/internal/record"
)

// TestExitCodesOfTheRecord: 2 is for what the user named wrongly, 3 for a record whose
// files are at fault, whichever verb reads it.
func TestExitCodesOfTheRecord(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	source := filepath.Join("..", "..", "internal", "report", "testdata", "runs", "demo")
	changed := filepath.Join(folder, "changed")
	copyWithoutVerdict(t, source, changed)
	if err := os.Truncate(filepath.Join(changed, record.PlanFile), 100); err != nil {
		t.Fatal(err)
	}
	unreadable := filepath.Join(folder, "unreadable")
	copyWithoutVerdict(t, source, unreadable)
	if err := os.Remove(filepath.Join(unreadable, record.PlanFile)); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(unreadable, record.PlanFile), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		dir  string
		code int
	}{
		{filepath.Join(folder, "no-such"), exitInvalid},
		{t.TempDir(), exitInvalid},
		{changed, exitFailed},
		{unreadable, exitFailed},
	} {
		for _, verb := range [][]string{{"report", c.dir}, {"compare", c.dir, c.dir}, {"explain", c.dir}, {"export", "benchfmt", c.dir}, {"run", "--resume", c.dir}} {
			var out, errs bytes.Buffer
			if code := run(verb, &terminal{out: &out, err: &errs, stateDir: t.TempDir()}); code != c.code || !strings.HasPrefix(errs.String(), "tare: ") {
				t.Errorf("tare %s: exit %d, want %d: %s", strings.Join(verb, " "), code, c.code, errs.String())
			}
		}
	}
}

// TestFullDisk: a result that cannot be written is a failure of the machine, not of the
// command line, and is not silent.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("there is no /dev/full")
	}
	defer full.Close()
	source := filepath.Join("..", "..", "internal", "report", "testdata", "runs", "demo")
	for _, format := range []string{"text", "md", "json", "html"} {
		var errs bytes.Buffer
		if code := run([]string{"report", "--format", format, source}, &terminal{out: full, err: &errs}); code != exitFailed || !strings.Contains(errs.String(), "no space left") {
			t.Errorf("report --format %s to a full disk: exit %d: %s", format, code, errs.String())
		}
	}
}

// TestImportEnds: what has no end, and is not text, is refused at its beginning.
func TestImportEnds(t *testing.T) {
	t.Parallel()
	for _, file := range []string{"/dev/urandom", "/dev/zero"} {
		var out, errs bytes.Buffer
		dir := filepath.Join(t.TempDir(), "run")
		code := run([]string{"import", "sysbench", "--out", dir, "a=" + file}, &terminal{out: &out, err: &errs})
		if code != exitInvalid || !strings.Contains(errs.String(), "it is not text") {
			t.Errorf("%s: exit %d: %s", file, code, errs.String())
		}
	}
}
