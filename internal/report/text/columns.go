package text

import (
	"fmt"
	"io"
	"strings"

	"github.com/mattn/go-runewidth"
)

// Columns writes rows whose cells end below each other, two columns of the terminal apart. A character of Chinese is
// two columns wide, of which text/tabwriter knows nothing: it counts characters.
func Columns(w io.Writer, rows [][]string) error {
	var widths []int
	for _, row := range rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], runewidth.StringWidth(cell))
		}
	}
	for _, row := range rows {
		var line strings.Builder
		for i, cell := range row {
			if widths[i] > 0 {
				line.WriteString(runewidth.FillLeft(cell, widths[i]+2))
			}
		}
		if _, err := fmt.Fprintln(w, line.String()); err != nil {
			return err
		}
	}
	return nil
}
