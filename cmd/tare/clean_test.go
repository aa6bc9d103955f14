package main

import (
	"errors"
	"testing"
)

// TestRemovedLine: where there was nothing to remove, clean says so; where something could not be removed it does not.
func TestRemovedLine(t *testing.T) {
	for _, c := range []struct {
		n    int
		err  error
		want string
	}{
		{0, nil, "0 removed: killed runs have left nothing here"},
		{0, errors.New("busy"), "0 removed"},
		{2, nil, "2 removed"},
	} {
		if got := removedLine(c.n, c.err); got != c.want {
			t.Errorf("%d, %v: %q, want %q", c.n, c.err, got, c.want)
		}
	}
}
