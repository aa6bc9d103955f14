package file

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// same compares two workloads by what they say.
func same(a, b *Workload) string {
	return cmp.Diff(a, b, cmpopts.IgnoreFields(Workload{}, "Source", "Comments"), cmpopts.IgnoreFields(Table{}, "Comments"),
		cmpopts.IgnoreFields(Transaction{}, "Comments"), cmpopts.IgnoreFields(Statement{}, "Comments"),
		cmpopts.IgnoreUnexported(Workload{}), cmpopts.EquateEmpty())
}

// FuzzParse: no text makes the parser fail in another way than with problems, and what it
// reads is written so that it reads the same again.
func FuzzParse(f *testing.F) {
	files, err := filepath.Glob("testdata/*/*.yaml")
	if err != nil || len(files) == 0 {
		f.Fatal("no testdata/*/*.yaml", err)
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		w, err := Parse("w.yaml", text)
		if err != nil {
			return
		}
		again, err := Parse("w.yaml", w.Marshal())
		if err != nil {
			t.Fatalf("what was written does not parse: %v\n%s", err, w.Marshal())
		}
		if diff := same(w, again); diff != "" {
			t.Fatalf("%s\n%s", diff, w.Marshal())
		}
	})
}
