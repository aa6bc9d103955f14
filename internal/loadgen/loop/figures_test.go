package loop

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestFiguresAreOfThisLoop: docs/results/performance.md says of which sources its CPU times are. After a change of the
// loop they are another program's: measure again with `make bench CELLS='cpu/*'` on a machine without other work and
// write the new figures and the new number; or, where the change cannot concern what a statement costs, the number
// alone.
func TestFiguresAreOfThisLoop(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.New()
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasSuffix(name, "_test.go") {
			sum.Write(append([]byte(name+"\n"), text...))
		}
	}
	number := hex.EncodeToString(sum.Sum(nil))[:12]
	page, err := os.ReadFile("../../../docs/results/performance.md")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(page, []byte("sources of the loop: `"+number+"`")) {
		t.Errorf("docs/results/performance.md has CPU times of other sources than these, %s: see the comment of this test", number)
	}
}
