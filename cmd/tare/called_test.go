package main

import (
	"strings"
	"testing"
)

// TestHintsNameTheProgramAsCalled: what a hint says can be typed as the command before it was.
func TestHintsNameTheProgramAsCalled(t *testing.T) {
	for text, want := range map[string][2]string{ // as tare, as kubectl tare
		"write one with: tare init x.yaml":             {"write one with: tare init x.yaml", "write one with: kubectl tare init x.yaml"},
		"`tare list targets` shows them":               {"`tare list targets` shows them", "`kubectl tare list targets` shows them"},
		"kubectl tare explain -n a b":                  {"tare explain -n a b", "kubectl tare explain -n a b"},
		"an image of tare (tare image builds it)":      {"an image of tare (tare image builds it)", "an image of tare (kubectl tare image builds it)"},
		"the load of tare loads a CPU; tare runs here": {"the load of tare loads a CPU; tare runs here", "the load of tare loads a CPU; tare runs here"},
		"/var/lib/tare run directory":                  {"/var/lib/tare run directory", ""},
	} {
		if got := calledAs(false, text); got != want[0] {
			t.Errorf("as tare: %q", got)
		}
		if got := calledAs(true, text); want[1] != "" && got != want[1] {
			t.Errorf("as kubectl tare: %q", got)
		}
	}
}

// TestEveryVerbIsNamedAsCalled: a verb that is added is one in hints as well.
func TestEveryVerbIsNamedAsCalled(t *testing.T) {
	for _, c := range rootCommand(&terminal{}).Commands() {
		if line := "tare " + c.Name(); !c.Hidden && !strings.HasPrefix(calledAs(true, line), "kubectl ") {
			t.Errorf("%q is not found in a hint", line)
		}
	}
}
