package record

import (
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
	files, err := filepath.Glob("ended*.go")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`(\w+) +Sentence = (".+")\n`).FindAllStringSubmatch(string(source), -1) {
			text, err := strconv.Unquote(m[2])
			if err != nil {
				t.Fatal(err)
			}
			if n++; !listed[Sentence(text)] {
				t.Errorf("%s is in no list of sentences", m[1])
			}
		}
	}
	if n != len(listed) {
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
