// Package capture records the workload of a running server as a workload file, without literals.
//
// A source (performance_schema, a log, or captured packets) is read into [Seen]: normalised statements with
// their counts and times, and a sample of whole transactions as sequences of statements.
// [Describe] makes the file of it.
package capture

import (
	"math"
	"slices"
)

// Seen is what a source showed in a span of time.
type Seen struct {
	// Source is what was read: "performance_schema", or "the general log".
	Source  string
	Version string // of the server, "" where it is not known
	Schema  string // the schema that the statements work in
	Seconds float64
	// Connections that were open at the end, without the reader's own; 0 if not known.
	Connections int
	Statements  []Statement
	// Transactions are whole ones, in any order.
	Transactions []Transaction
	// Elsewhere are statements of other schemas.
	Elsewhere Total
	// Uncounted is the number of statements that the source could not assign to a digest;
	// UncountedReason continues "N statements": which they are.
	Uncounted       float64
	UncountedReason string
	// Notes are sentences about what the source does not show.
	Notes []string
	// Took is the share of the time that the server worked on the reader's queries; NaN if
	// not known.
	Took float64
}

// Total is a number of statements and their time in the server.
type Total struct{ Count, Milliseconds float64 }

// Statement is a normalised statement with what it came to.
type Statement struct {
	Text string // normalised: it has no literal
	Total
	RowsSent, RowsExamined, RowsAffected float64
	// Lists is the number of values in the longest IN list of each execution, added up; 0 of a
	// digest, which does not have it.
	Lists float64
	// Parameters are those of its text in their order, of a log; a digest has none.
	Parameters []Parameter
}

// Transaction is one transaction that was seen from its beginning to its end, or a statement
// outside of one.
type Transaction struct {
	// Statements are the places of its statements in Seen.Statements, without those that
	// begin and end it.
	Statements []int
	Explicit   bool // it was begun and ended; else it is one statement with autocommit
	RolledBack bool
	// Milliseconds is the time from the begin of its first to the end of its last statement; NaN
	// if not known.
	Milliseconds float64
	// Pause is the time since the transaction before it on the same connection, in
	// milliseconds; NaN if not known.
	Pause float64
}

// each is a total for one execution.
func (s Statement) each(total float64) float64 {
	if s.Count <= 0 {
		return 0
	}
	return total / s.Count
}

// parameter is what was seen of the values of a parameter; no value of one without a source.
func (s Statement) parameter(p slot) Parameter {
	if p.source < 1 || p.source > len(s.Parameters) {
		return Parameter{Repeat: unknown(), Mean: unknown()}
	}
	return s.Parameters[p.source-1]
}

// verb is what a statement is to a workload.
type verb uint8

const (
	work     verb = iota // it reads or writes tables
	begins               // a transaction
	commits              // a transaction
	rollback             // of a transaction
	session              // it changes or asks the session, or does what no workload file can say
)

// verbOfText tells by the first words of a normalised statement.
func verbOfText(text string) verb {
	in, err := lex(text)
	if err != nil && len(in) == 0 {
		in, _ = lex(text[:min(len(text), firstWords)] + " ")
	}
	var words []string
	for _, l := range in {
		if l.part == word {
			words = append(words, l.text)
		}
		if len(words) == 3 {
			break
		}
	}
	words = append(words, "", "", "")
	switch {
	case words[0] == "BEGIN", words[0] == "START" && words[1] == "TRANSACTION":
		return begins
	case words[0] == "COMMIT":
		return commits
	case words[0] == "ROLLBACK" && words[1] != "TO" && words[2] != "TO":
		return rollback
	case slices.Contains([]string{"SELECT", "INSERT", "UPDATE", "DELETE", "REPLACE", "WITH"}, words[0]):
		return work
	}
	return session
}

const firstWords = 12

// quantile is the q-th quantile of values, which it sorts, by the nearest rank: the least value that
// at least the share q is not above. It is NaN of none.
func quantile(values []float64, q float64) float64 {
	values = slices.DeleteFunc(values, math.IsNaN)
	if len(values) == 0 {
		return math.NaN()
	}
	slices.Sort(values)
	rank := int(math.Ceil(q*float64(len(values)) - 1e-9)) // the product may be a little above a whole number
	return values[min(max(rank, 1), len(values))-1]
}

func mean(values []float64) float64 {
	sum, n := 0.0, 0
	for _, v := range values {
		if !math.IsNaN(v) {
			sum, n = sum+v, n+1
		}
	}
	if n == 0 {
		return math.NaN()
	}
	return sum / float64(n)
}
