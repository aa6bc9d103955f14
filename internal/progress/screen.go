// Lines at the end of a terminal that are kept up to date.

package progress

import (
	"io"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// screen keeps the last lines of a terminal. There is no alternate screen: what
// was said before stays in the scroll-back, which is the log. Nothing is asked of
// the terminal, so nothing it answers can end up in the user's shell, and only
// lines that changed are written.
type screen struct {
	out   io.Writer
	lines []string // as they stand there, the cursor below the last
	width int
}

// show brings the terminal to lines. After a change of its width the old lines
// may have been folded, and all are written again.
func (s *screen) show(lines []string, width int) {
	var b strings.Builder
	b.WriteString(ansi.SetModeSynchronizedOutput)
	if width != s.width || len(lines) < len(s.lines) {
		s.wipe(&b)
	}
	s.width = width
	b.WriteString(up(len(s.lines)))
	for i, line := range lines {
		if i >= len(s.lines) || line != s.lines[i] {
			b.WriteString(line + ansi.EraseLineRight)
		}
		b.WriteString("\r\n")
	}
	b.WriteString(ansi.ResetModeSynchronizedOutput)
	s.lines = lines
	_, _ = io.WriteString(s.out, b.String()) // a terminal that is gone ends no run
}

// say writes a line that stays, above those that are kept.
func (s *screen) say(line string) {
	lines := s.lines
	var b strings.Builder
	s.wipe(&b)
	b.WriteString(line + "\r\n")
	_, _ = io.WriteString(s.out, b.String())
	if len(lines) > 0 {
		s.show(lines, s.width)
	}
}

// clear takes the lines away and leaves the cursor where they began.
func (s *screen) clear() {
	var b strings.Builder
	s.wipe(&b)
	_, _ = io.WriteString(s.out, b.String())
}

func (s *screen) wipe(b *strings.Builder) {
	b.WriteString(up(len(s.lines)) + "\r" + ansi.EraseScreenBelow)
	s.lines = nil
}

// up is nothing for no lines: terminals take CSI 0 A for one line.
func up(n int) string {
	if n == 0 {
		return ""
	}
	return ansi.CursorUp(n)
}
