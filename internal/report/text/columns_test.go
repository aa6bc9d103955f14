package text

import (
	"strings"
	"testing"

	"github.com/mattn/go-runewidth"
)

// TestColumns: cells end below each other on a terminal, whatever their language, and an empty column takes no room.
func TestColumns(t *testing.T) {
	var out strings.Builder
	if err := Columns(&out, [][]string{{"a", "1.250 ms", ""}, {"等待 CPU", "12.500 ms", ""}, {"transaction", "0.001 ms", ""}}); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(out.String()) {
		if got := runewidth.StringWidth(strings.TrimSuffix(line, "\n")); got != 24 {
			t.Errorf("%d columns: %q", got, line)
		}
	}
	if !strings.HasPrefix(out.String(), "            a   1.250 ms\n") {
		t.Errorf("%q", out.String())
	}
}
