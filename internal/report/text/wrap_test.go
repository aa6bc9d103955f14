package text

import (
	"strings"
	"testing"

	"github.com/tarebench/tare/internal/report/safe"
)

// No line of a wrapped text holds what drives a terminal.
func FuzzWrap(f *testing.F) {
	for _, s := range []string{"a\u202Egnp.exe", "nul\x00", "\x1b[2J", "\xff\xfe", "a\nb\r\n# c", strings.Repeat("A", 400), "文文文 文文"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if wrapped := strings.Join(wrap(safe.Name(strings.ToValidUTF8(s, "\uFFFD")), 40), ""); strings.ContainsAny(wrapped, "\x1b\r\n") {
			t.Errorf("%q", wrapped)
		}
	})
}
