package diagnose

// This file is what `tare lint` prints beside the findings, in the languages of findings: how many there are, what
// --fix does and leaves.

// Ending is how many findings count, and where more is to be read.
func Ending(findings int) Phrase {
	if findings == 1 {
		return term("1 finding; `tare explain RULE` says more")
	}
	return phrase("%d findings; `tare explain RULE` says more", findings)
}

// NotChanged is why --fix leaves a finding.
func NotChanged(f Finding) Phrase { return phrase("not changed: %s", f.NotMade) }

// Added is a line that --fix adds.
func Added(text string) Phrase { return phrase("added: %s", text) }

// Fixed is a file that --fix has written.
func Fixed(file string) Phrase { return phrase("fixed %s", file) }

// NoDatabase is said of files in which no database was found.
func NoDatabase() Phrase { return term("no database in these files") }

// NothingCertain is said where --diff has nothing to show.
func NothingCertain() Phrase {
	return term("nothing to change with certainty; print the findings without --diff, or measure their changes with: tare remedy --spec SPEC FILE")
}

// NotReadStrict is how many documents --strict counts.
func NotReadStrict(documents int) Phrase {
	return phrase("documents that were not read: %d; --strict counts them as findings", documents)
}
