package main

import (
	"io"
	"os"
	"strings"

	"golang.org/x/term"
)

// What goes where: results to standard output, progress and warnings to
// standard error. Each is judged by itself whether it is a terminal. Colour
// follows --color, then NO_COLOR (non-empty, no-color.org), then CLICOLOR_FORCE
// and FORCE_COLOR, then the terminal.

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

func (t *terminal) colored(w io.Writer) bool {
	switch t.color {
	case "always":
		return true
	case "never":
		return false
	}
	if os.Getenv("NO_COLOR") != "" {
		return false
	}
	for _, name := range []string{"CLICOLOR_FORCE", "FORCE_COLOR"} {
		if v := os.Getenv(name); v != "" && v != "0" {
			return true
		}
	}
	return isTerminal(w) && os.Getenv("TERM") != "dumb"
}

// unicode follows the locale.
func (t *terminal) unicode() bool {
	if t.ascii {
		return false
	}
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if v := os.Getenv(name); v != "" {
			v = strings.ToUpper(v)
			return strings.Contains(v, "UTF-8") || strings.Contains(v, "UTF8")
		}
	}
	return false
}
