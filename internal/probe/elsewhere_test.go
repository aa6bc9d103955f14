package probe

import (
	"strings"
	"testing"
)

// TestNoAdviceOfAFlagThatIsNotThere: a run cannot be told the server's process, so its report does not advise it.
func TestNoAdviceOfAFlagThatIsNotThere(t *testing.T) {
	for takes, place := range map[bool]Place{false: {}, true: {TakesPID: true}} {
		if _, _, err := place.groups("cpu"); err == nil || strings.Contains(err.Error(), "--pid") != takes {
			t.Errorf("%v: %v", takes, err)
		}
	}
}
