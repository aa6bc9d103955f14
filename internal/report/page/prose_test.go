package page

import "testing"

// TestProse: a page shows commands as code, and nothing of a name is markup.
func TestProse(t *testing.T) {
	for text, want := range map[string]string{
		"unknown (`tare explain DIR` says why)": "unknown (<code>tare explain DIR</code> says why)",
		"`echo <b>` of <b>":                     "<code>echo &lt;b&gt;</code> of &lt;b&gt;",
		"an `identifier` and a `":               "an `identifier` and a `",
	} {
		if got := string(Prose(text)); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
