package safe

import (
	"strings"
	"testing"
)

// A name of any length is cut without being gone through.
func TestInertOfAMegabyte(t *testing.T) {
	for _, letter := range []string{"A", "文", "\x1b", "\xff"} {
		s := "first" + strings.Repeat(letter, 1<<20) + "last"
		for n, short := range map[int]func(string) string{longest: Name, 1200: Sentence} {
			got := short(s)
			if r := []rune(got); len(r) > n+3 || !strings.HasPrefix(got, "first") || !strings.HasSuffix(got, "last") {
				t.Errorf("%q repeated: %d of %d runes, %.20q", letter, len(r), n, got)
			}
			if allocated := testing.AllocsPerRun(1, func() { short(s) }); allocated > 20_000 {
				t.Errorf("%q repeated: %v allocations", letter, allocated)
			}
		}
	}
}
