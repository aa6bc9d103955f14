package text

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

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

// TestWrap: Latin words and numbers stay whole beside Chinese, and no line begins with a closing mark or ends with an
// opening one.
func TestWrap(t *testing.T) {
	for _, c := range []struct {
		text  string
		width int
		want  []string
	}{
		{"in a BestEffort pod", 12, []string{"in a", "BestEffort", "pod"}},
		{"比较 BestEffort 与 Guaranteed 的吞吐量", 20, []string{"比较 BestEffort 与", "Guaranteed 的吞吐量"}},
		{"请写innodb_buffer_pool_size并重启", 30, []string{"请写innodb_buffer_pool_size并", "重启"}},
		{"慢 10.5%（95% 置信区间 9 至 12）。请看", 24, []string{"慢 10.5%（95% 置信区间 9", "至 12）。请看"}},
		{"配置甲，配置乙", 6, []string{"配置", "甲，配", "置乙"}},
		{"参见（配置）", 6, []string{"参见", "（配", "置）"}},
		{"abcdefghij", 4, []string{"abcd", "efgh", "ij"}},
		{"a 10 % b", 6, []string{"a 10 %", "b"}},
	} {
		if d := cmp.Diff(c.want, wrap(c.text, c.width)); d != "" {
			t.Errorf("%q at %d: %s", c.text, c.width, d)
		}
	}
}
