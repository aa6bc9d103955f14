package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
)

// TestAsEnded: what could not be removed after a signal is said beside the signal, and the end itself is not.
func TestAsEnded(t *testing.T) {
	ends := interrupted{os.Interrupt}
	canceled := fmt.Errorf("trial 3 (pod): %w", context.Canceled)
	left := errors.New("remove tare-60413cb4 from namespace shop: x509: unknown authority")
	for name, c := range map[string]struct {
		err  error
		want string
	}{
		"the end alone":        {canceled, "ended by SIGINT"},
		"with what is left":    {hinted{errors.Join(canceled, left), "continue with: tare run --resume runs/x"}, "ended by SIGINT: remove tare-60413cb4 from namespace shop: x509: unknown authority"},
		"left of two targets":  {errors.Join(canceled, errors.Join(left, left)), "ended by SIGINT: remove tare-60413cb4"},
		"an error of its own":  {left, "ended by SIGINT: remove tare-60413cb4"},
		"the signal's own":     {ends, "ended by SIGINT"},
		"a wrapped cancelling": {fmt.Errorf("%w: %w", left, context.Canceled), "ended by SIGINT"},
	} {
		got := asEnded(ends, c.err).Error()
		if !strings.HasPrefix(got, c.want) || strings.Contains(got, "context canceled") {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	var h hinted
	if err := asEnded(ends, hinted{errors.Join(canceled, left), "continue"}); !errors.As(err, &h) || h.hint != "continue" {
		t.Errorf("the hint is lost: %v", err)
	}
}
