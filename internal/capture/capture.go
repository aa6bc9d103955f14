// Package capture records the workload of a running server as a workload file, without literals.
//
// A source (performance_schema, a log, or captured packets) is read into [Seen]: normalised statements with
// their counts and times, and a sample of whole transactions as sequences of statements.
// [Describe] makes the file of it.
package capture

import (
	"math"
	"slices"
	"strings"
)

// Seen is what a source showed in a span of time.
type Seen struct {
	// Source is what was read: "performance_schema", or "the general log".
	Source  string
	Version string // of the server, "" where it is not known
	Schema  string // the schema that the statements work in
	// Seconds is NaN if it is not known; NoSeconds then says why, "" if all statements have one time.
	Seconds   float64
	NoSeconds string
	// Connections that were open at the end, without the reader's own; 0 if not known.
	Connections int
	Statements  []Statement
	// Transactions are whole ones, in any order.
	Transactions []Transaction
	// Elsewhere are statements of other schemas.
	Elsewhere Total
	// Uncounted are the statements that the source could not assign to a digest;
	// UncountedReason continues "N statements": which they are.
	Uncounted       Total
	UncountedReason string
	// Apart says why it is not known which statements belong to one transaction; "" if it is known. Transactions then
	// has each statement as one of its own.
	Apart string
	// Within says what the statements are a part of, for "100 % of the statements": "in the log"; "" for all
	// statements of the server.
	Within string
	// Notes are sentences about what the source does not show.
	Notes []string
	// Took is the share of the time that the server worked on the reader's queries; NaN if
	// not known.
	Took float64
}

// Total is a number of statements, their time in the server, and their length as they were sent; 0 bytes where a
// source does not have it.
type Total struct{ Count, Milliseconds, Bytes float64 }

func (t *Total) add(o Total) {
	t.Count, t.Milliseconds, t.Bytes = t.Count+o.Count, t.Milliseconds+o.Milliseconds, t.Bytes+o.Bytes
}

// Statement is a normalised statement with what it came to.
type Statement struct {
	Text string // normalised: it has no literal
	Total
	RowsSent, RowsExamined, RowsAffected float64
	// Within and Alone are how many executions of the sample were part of a transaction, and how many were sent with
	// autocommit.
	Within, Alone float64
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
	// AtLeast is the time that the server worked on its statements; NaN if not known.
	AtLeast float64
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
	implicit             // it commits the open transaction, as DDL does
	session              // it changes or asks the session, or does what no workload file can say
)

// verbOfText tells by the first words of a normalised statement.
func verbOfText(text string) verb {
	in, err := lex(text)
	if err != nil && len(in) == 0 {
		in, _ = lex(text[:min(len(text), firstWords)] + " ")
	}
	var words []string
	for i, l := range in {
		if l.part == word || i == 0 {
			words = append(words, strings.ToUpper(l.text))
		}
		if len(words) == 3 {
			break
		}
	}
	words = append(words, "", "", "")
	switch {
	case words[0] == "BEGIN", words[0] == "START" && words[1] == "TRANSACTION", words[0] == "XA" && (words[1] == "START" || words[1] == "BEGIN"):
		return begins
	case words[0] == "COMMIT", words[0] == "XA" && words[1] == "COMMIT":
		return commits
	case words[0] == "ROLLBACK" && words[1] != "TO" && words[2] != "TO", words[0] == "XA" && words[1] == "ROLLBACK":
		return rollback
	case words[0] == "SELECT" && asksSession(in):
		return session
	case slices.Contains([]string{"SELECT", "INSERT", "UPDATE", "DELETE", "REPLACE", "WITH"}, words[0]):
		return work
	case slices.Contains(implicitCommit, words[0]) && words[1] != "TEMPORARY" && words[1] != "PREPARE":
		return implicit
	}
	return session
}

// implicitCommit are the first words of statements that commit the open transaction (MySQL Reference
// Manual, "Statements That Cause an Implicit Commit").
var implicitCommit = []string{"ALTER", "CREATE", "DROP", "RENAME", "TRUNCATE", "GRANT", "REVOKE", "LOCK", "ANALYZE", "OPTIMIZE", "REPAIR", "CACHE", "FLUSH", "RESET", "INSTALL", "UNINSTALL"}

// asksSession says that a SELECT reads variables or the state of the session and no table, as drivers do when they
// connect: SELECT @@version_comment, SELECT DATABASE().
func asksSession(in []lexeme) bool {
	asks := false
	for i, l := range in {
		if l.is("FROM") {
			return false
		}
		called := i+1 < len(in) && in[i+1].is("(")
		asks = asks || l.is("@@") || called && slices.Contains(ofSession, strings.ToUpper(l.text))
	}
	return asks
}

// ofSession are functions of the state of a session.
var ofSession = []string{"DATABASE", "SCHEMA", "USER", "CURRENT_USER", "SESSION_USER", "SYSTEM_USER", "CURRENT_ROLE", "VERSION", "CONNECTION_ID"}

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
