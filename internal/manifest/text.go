package manifest

import "fmt"

// Text is a sentence about the files with its arguments, so that views in other languages can have it as
// well. Format has %s in the place of each argument. The zero Text says nothing.
type Text struct {
	Format    string
	Arguments []string
}

// said is a Text; a test of package diagnose finds each format by this call.
func said(format string, arguments ...string) Text { return Text{format, arguments} }

// String is the sentence in English.
func (t Text) String() string {
	all := make([]any, len(t.Arguments))
	for i, a := range t.Arguments {
		all[i] = a
	}
	return fmt.Sprintf(t.Format, all...)
}
