package report

import (
	"encoding/json"
	"fmt"
	"io"
)

// JSON writes the document, indented, with a newline at its end. Go's encoder
// leaves HTML escaping on, so the text may stand in a page unchanged.
func JSON(w io.Writer, doc *Document) error { return indented(w, "result", doc.Original()) }

func indented(w io.Writer, what string, doc any) error {
	b, err := json.MarshalIndent(doc, "", " ")
	if err != nil {
		return fmt.Errorf("encode %s: %w", what, err)
	}
	if _, err := w.Write(append(b, '\n')); err != nil {
		return fmt.Errorf("write %s: %w", what, err)
	}
	return nil
}
