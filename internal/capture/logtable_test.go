package capture

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// TestOpenFieldOfLines: read line by line, a field is open where the lines together have one open. Rows of many lines are
// not split again for each of them.
func TestOpenFieldOfLines(t *testing.T) {
	const letters = "\"\"\\,;\n\na"
	random := rand.New(rand.NewPCG(1, 2))
	opened := 0
	for range 20_000 {
		table := &logTable{separator: []byte{',', ';', '\t'}[random.IntN(3)], escapes: random.IntN(2) == 0}
		text := make([]byte, random.IntN(24))
		for i := range text {
			text[i] = letters[random.IntN(len(letters))]
		}
		open := false
		for line := range strings.SplitSeq(string(text), "\n") {
			open = table.open(open, line)
		}
		_, whole := table.split(string(text))
		if open == whole {
			t.Fatalf("%q with %+v: open %v, whole %v", text, table, open, whole)
		}
		if open {
			opened++
		}
	}
	if opened == 0 {
		t.Error("no text had an open field")
	}
}
