package record

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// TestSentencesAreListed: a sentence that is not in the list would not be found again in a record,
// and stay English in every report.
func TestSentencesAreListed(t *testing.T) {
	listed := map[Sentence]bool{OfNode: true}
	for _, s := range Sentences() {
		listed[s.Sentence] = true
	}
	said := sources(t, ".", `(\w+) +Sentence = (".+")\n`)
	for name, quoted := range said {
		text, err := strconv.Unquote(quoted)
		if err != nil {
			t.Fatal(err)
		}
		if !listed[Sentence(text)] {
			t.Errorf("%s is in no list of sentences", name)
		}
	}
	if n := len(said); n != len(listed) {
		t.Errorf("%d sentences in the files, and %d in the lists", n, len(listed))
	}
}

// TestSentencesBeginningWithArguments: such a sentence would be found in the text of another one
// that comes after it, whose beginning would be an argument.
func TestSentencesBeginningWithArguments(t *testing.T) {
	last := false
	for _, s := range Sentences()[1:] { // the first is AndUncleaned, which ends every text that it is in
		begins := strings.HasPrefix(string(s.Sentence), "{") && s.Sentence != AccountsDiffer && s.Sentence != TimePassed // which begin with numbers
		if last && !begins {
			t.Errorf("%s comes after a sentence that begins with an argument", s.Code)
		}
		last = last || begins
	}
}

// TestWrap: the error's text takes the place of {why}, {text} or {first}, wherever that is, and the sentence is
// the error. Every sentence that wraps an error has such a place.
func TestWrap(t *testing.T) {
	cause := errors.New("boom")
	for want, err := range map[string]error{
		"start: boom":    AtStart.Wrap(cause),
		"member 2: boom": MemberLost.Wrap(cause, "2"),
		"mount overlayfs over a: boom (its upper directory b must not lie on an overlayfs itself)": MountOverlay.Wrap(cause, "a", "b"),
		"boom; docs/kubernetes-rbac.yaml has the permissions that tare needs":                      NoPermission.Wrap(cause),
	} {
		if err.Error() != want || !errors.Is(err, cause) {
			t.Errorf("%q, want %q", err, want)
		}
	}
	texts, wrapping := sources(t, ".", `(\w+) +Sentence = (".+")\n`), sources(t, "..", `record\.(\w+)\.(Wrap)\(`)
	for name := range wrapping {
		if !regexp.MustCompile(`{(why|text|first)}`).MatchString(texts[name]) {
			t.Errorf("%s has no place for an error: %s", name, texts[name])
		}
	}
	if len(wrapping) < 40 {
		t.Errorf("%d sentences wrap errors", len(wrapping))
	}
}

// sources are the second groups of a pattern in the Go files below a directory, by the first.
func sources(t *testing.T, dir, pattern string) map[string]string {
	t.Helper()
	found, p := map[string]string{}, regexp.MustCompile(pattern)
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		source, err := os.ReadFile(path)
		for _, m := range p.FindAllStringSubmatch(string(source), -1) {
			found[m[1]] = m[2]
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}
