package safe

import "testing"

func TestQuoted(t *testing.T) {
	for text, want := range map[string]string{
		"":                                    "",
		"no command":                          "no command",
		"`tare explain DIR` says why":         `"tare explain DIR" says why`,
		"`kubectl get a` and `kubectl get b`": `"kubectl get a" and "kubectl get b"`,
		"a ` alone":                           "a ` alone",
		"INSERT INTO `a` VALUES in `b`":       "INSERT INTO `a` VALUES in `b`",
	} {
		if got := Quoted(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
