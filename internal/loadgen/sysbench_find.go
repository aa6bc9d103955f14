package loadgen

import (
	"regexp"
	"strings"

	"github.com/tarebench/tare/internal/logtext"
)

// This file finds what sysbench printed in a line in which other programs wrote before it and
// behind it: log collectors, CI servers, configuration management, grep.

// splitLine splits a line at the line ends that it quotes: JSON (docker's json-file, Ansible's
// stdout) writes them as two characters, HTML as <br>, and a terminal's log has carriage returns. What was
// copied from a page has blanks that do not break.
func splitLine(line string) []string {
	line = strings.NewReplacer(`\r\n`, "\n", `\n`, "\n", "\r", "\n", "\u00a0", " ", "<br>", "\n", "<br/>", "\n").Replace(logtext.WithoutColours(strings.TrimPrefix(line, "\ufeff")))
	return strings.Split(line, "\n")
}

// stripPrefix takes off what others put before the line.
func stripPrefix(line string) string {
	return strings.TrimSpace(logtext.WithoutPrefix(line))
}

// embedded are the lines of sysbench that are found in the middle of others: each begins after
// something that is no part of a word and ends where its own form ends. Interval lines and messages
// are found anywhere as they are.
var embedded = regexp.MustCompile(`(?:^|[\s"'|>:)\]},;])(` + strings.Join(unanchored(
	runLine, threadsLine, everyLine, histogramBegin, histogramLine, checkpoint, totalsBegin,
	queriesLine, perSecondLine, elapsedLine, eventsLine, latencySumLine, latencyLine, percentileLine, unfinishedLine, fairnessLine,
	csvLine, jsonLine, otherTests[0].line, otherTests[1].line,
), `|`) + `)(?:["',}\]\s<]|$)`)

// unanchored are the expressions without their ends.
func unanchored(lines ...*regexp.Regexp) []string {
	var all []string
	for _, l := range lines {
		all = append(all, `(?:`+strings.TrimSuffix(strings.TrimPrefix(l.String(), `^`), `$`)+`)`)
	}
	return all
}

// findLine is where in the line one of sysbench stands; -1 where none does.
func findLine(line string) (start, end int) {
	m := embedded.FindStringSubmatchIndex(line)
	if m == nil {
		return -1, -1
	}
	return m[2], m[3]
}
