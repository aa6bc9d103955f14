package diagnose

// This file is what `tare lint` prints beside the findings, in the languages of findings: how many there are, what
// --fix does and leaves.

import (
	"slices"
	"strings"
)

// Ending is how many findings count, and where more is to be read.
func Ending(findings int) Phrase {
	if findings == 1 {
		return term("1 finding; `tare explain RULE` says more")
	}
	return phrase("%d findings; `tare explain RULE` says more", findings)
}

// CausesPresent is how many causes a running server has, and where more is to be read.
func CausesPresent(causes int) Phrase {
	return phrase("causes present: %d; `tare explain RULE` describes each", causes)
}

// NotChanged is why --fix leaves a finding.
func NotChanged(f Finding) Phrase { return phrase("not changed: %s", f.NotMade) }

// Added is what --fix adds, on one line.
func Added(text string) Phrase {
	var keys []string
	for line := range strings.Lines(text) {
		keys = append(keys, strings.Trim(line, ", \n"))
	}
	return phrase("added: %s", strings.Join(slices.DeleteFunc(keys, func(k string) bool { return k == "" }), ", "))
}

// Removed is a line that --fix deletes.
func Removed(line string) Phrase { return phrase("deleted: %s", line) }

// Fixed is a file that --fix has written.
func Fixed(file string) Phrase { return phrase("fixed %s", file) }

// StillErrors is said where --fix leaves errors: the server may not start, or end, with them.
func StillErrors(n int) Phrase {
	return phrase("errors that remain: %d; --fix changes only what is certain, and a server may not start with the others", n)
}

// NoDatabase is said of files in which no database was found.
func NoDatabase() Phrase { return term("no database in these files") }

// NothingCertain is said where --diff has nothing to show.
func NothingCertain() Phrase {
	return term("nothing to change with certainty; print the findings without --diff, or measure their changes with: tare remedy --spec SPEC FILE")
}

// NothingFixed is said where --fix writes nothing.
func NothingFixed() Phrase {
	return term("no file is changed: no change is certain; make them as the findings say, or measure them with: tare remedy --spec SPEC FILE")
}

// NotReadStrict is how many documents --strict counts.
func NotReadStrict(documents int) Phrase {
	return phrase("documents that were not read: %d; --strict counts them as findings", documents)
}
