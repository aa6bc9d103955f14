package main

import (
	"testing"
	"time"
)

// TestUnanswered: the warning says how many transactions had no answer.
func TestUnanswered(t *testing.T) {
	for n, want := range map[int]string{
		1: "1 transaction has had no answer within 10s after the end",
		8: "8 transactions have had no answer within 10s after the end",
	} {
		if got := unanswered(n, 10*time.Second); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
