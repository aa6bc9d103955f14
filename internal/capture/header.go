package capture

// This file writes the comment at the head of the workload file: what was seen, and what was
// not.

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// mostMissing is how many statements that the file does not have are named in it.
const mostMissing = 20

func (b *builder) header(d *Described) []string {
	seen := b.seen
	lines := []string{
		"Captured by `tare capture` from " + seen.Source + ": normalised statements without literals.",
		fmt.Sprintf("Server %s, watched for %s%s.", cmp.Or(seen.Version, "of unknown version"), seen.span(), b.connections()),
		"Load: " + d.Load() + ".",
	}
	if hint := d.Replay(); hint != "" {
		lines = append(lines, hint)
	}
	lines = append(lines, "Coverage: "+d.Coverage()+".")
	if !math.IsNaN(seen.Took) {
		lines = append(lines, fmt.Sprintf("The server worked on tare's queries for %.2f %% of the time.", 100*seen.Took))
	}
	if seen.Apart != "" {
		lines = append(lines, "", "Transactions are not known: "+seen.Apart+". Each statement is sent with autocommit.",
			b.ended(), "", "Kinds of statements:")
	} else {
		lines = append(lines, "", "Kinds of transactions:")
	}
	for _, k := range d.Kinds {
		lines = append(lines, "  "+k.String())
	}
	switch {
	case seen.Apart != "":
	case b.shape.composed:
		lines = append(lines, "These transactions are estimated from counts: each has a statement as often as it was counted for each",
			"COMMIT. Which statements belong together is not known.")
		if b.shape.alongside {
			lines = append(lines, "Statements that were sent with autocommit are kinds of their own, in the share in which they were seen.")
		}
	default:
		lines = append(lines, fmt.Sprintf("Their statements are from a sample of %d whole transactions. Their shares agree with the counts of all statements.", b.shape.sampled))
	}
	lines = append(lines, b.section("Not seen:", seen.Notes)...)
	lines = append(lines, b.section("Assumed, because it was not seen:", sortedNames(b.assumed))...)
	return append(lines, b.section("Not covered:", b.left())...)
}

// ended says how many transactions were ended, where it is not known which.
func (b *builder) ended() string {
	n := 0.0
	for _, s := range b.seen.Statements {
		if verbOfText(s.Text) == commits {
			n += s.Count
		}
	}
	return fmt.Sprintf("The application sent COMMIT %.0f times; the file sends none.", n)
}

// span is how long was watched.
func (seen *Seen) span() string {
	if math.IsNaN(seen.Seconds) {
		return "a time that is not known, because " + cmp.Or(seen.NoSeconds, "all statements have the same time")
	}
	return fmt.Sprintf("%.1f s", seen.Seconds)
}

// Load says how much was sent in a second.
func (d *Described) Load() string {
	switch {
	case math.IsNaN(d.Statements):
		return "rates are not known"
	case d.Apart:
		return fmt.Sprintf("%.1f statements/s; transactions are not known", d.Statements)
	}
	return fmt.Sprintf("%.1f transactions/s, %.1f statements/s", d.Transactions, d.Statements)
}

// Replay says how a load has the rate of the capture; "" where that is not known, or less than one in 100 s.
func (d *Described) Replay() string {
	rate := math.Round(d.Transactions*100) / 100
	if math.IsNaN(rate) || rate <= 0 {
		return ""
	}
	text := strconv.FormatFloat(rate, 'f', -1, 64)
	return fmt.Sprintf("To replay it at this rate: load: {rate: %s/s} in an experiment, or tare load --rate=%s.", text, text)
}

// Coverage says how much of the statements the file has.
func (d *Described) Coverage() string {
	s := fmt.Sprintf("%.1f %% of the statements", 100*d.CoveredCount)
	if d.Within != "" {
		s += " " + d.Within
	}
	if !math.IsNaN(d.CoveredTime) {
		s += fmt.Sprintf(", %.1f %% of their time in the server", 100*d.CoveredTime)
	}
	if !math.IsNaN(d.CoveredBytes) {
		s += fmt.Sprintf(", %.1f %% of their bytes", 100*d.CoveredBytes)
	}
	return s
}

func (b *builder) connections() string {
	if b.seen.Connections == 0 {
		return ""
	}
	if b.seen.Connections == 1 {
		return ", 1 connection"
	}
	return fmt.Sprintf(", %d connections", b.seen.Connections)
}

func (b *builder) rate() float64 {
	n := 0.0
	for _, s := range b.seen.Statements {
		n += s.Count
	}
	return n / b.seen.Seconds
}

// String is a kind on one line.
func (k Kind) String() string {
	s := fmt.Sprintf("%s: %.1f %% of all", k.Name, 100*k.Share)
	if !math.IsNaN(k.Rate) {
		s += fmt.Sprintf(", %.1f/s", k.Rate)
	}
	if k.Sample > 0 && !math.IsNaN(k.Mean) {
		s += fmt.Sprintf(", mean %.2f ms, p95 %.2f ms (%d timed)", k.Mean, k.P95, k.Sample)
	} else {
		s += ", latency not known"
		if k.AtLeast > 0 {
			s += fmt.Sprintf(", at least %.2f ms", k.AtLeast)
		}
	}
	if k.Pause >= 0.01 {
		s += fmt.Sprintf(", %.2f ms between two transactions of a connection", k.Pause)
	}
	return s
}

func (b *builder) section(title string, all []string) []string {
	if len(all) == 0 {
		return nil
	}
	lines := []string{"", title}
	for _, l := range all {
		lines = append(lines, "  - "+l)
	}
	return lines
}

// left are the statements that the file does not have, the most frequent first.
func (b *builder) left() []string {
	slices.SortStableFunc(b.missing, func(x, y missing) int { return -cmp.Compare(x.Count, y.Count) })
	var lines []string
	for i, m := range b.missing {
		if i == mostMissing {
			lines = append(lines, fmt.Sprintf("%d others", len(b.missing)-i))
			break
		}
		text := m.text
		if b.names != nil {
			text = b.names.sql(b.server.quoted(text))
		}
		if len(text) > 100 {
			text = strings.ToValidUTF8(text[:100], "") + " (shortened)"
		}
		lines = append(lines, fmt.Sprintf("%.0f times: %s: %s", m.Count, text, m.why))
	}
	if n := b.seen.Elsewhere.Count; n > 0 {
		lines = append(lines, countOf(n)+" of other schemas")
	}
	if n := b.seen.Uncounted.Count; n > 0 {
		lines = append(lines, countOf(n)+" "+b.seen.UncountedReason)
	}
	return lines
}

// countOf is a number of statements.
func countOf(n float64) string {
	if n == 1 {
		return "1 statement"
	}
	return fmt.Sprintf("%.0f statements", n)
}
