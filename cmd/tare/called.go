package main

// This file names the program in hints as it was called: `tare`, or `kubectl tare` as a plugin of kubectl.

import (
	"os"
	"path/filepath"
	"regexp"
)

// kubectlPlugin is the name under which kubectl finds the program.
const kubectlPlugin = "kubectl-tare"

// calledByKubectl: the program runs as `kubectl tare`.
func calledByKubectl() bool { return filepath.Base(os.Args[0]) == kubectlPlugin }

// lineOfTare is a command line of tare in a text: the name, with or without kubectl, and a verb.
var lineOfTare = regexp.MustCompile(`(?:\bkubectl )?\btare (init|check|render|run|versus|fetch|demo|load|capture|probe|calibrate|report|explain|compare|combine|history|serve|export|import|list|lint|remedy|tune|clean|image|version|completion|help|--help)\b`)

// asCalled is a text whose command lines begin as the one did that is being carried out.
func asCalled(text string) string { return calledAs(calledByKubectl(), text) }

func calledAs(kubectl bool, text string) string {
	name := "tare"
	if kubectl {
		name = "kubectl tare"
	}
	return lineOfTare.ReplaceAllString(text, name+" $1")
}
