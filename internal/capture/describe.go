package capture

// This file makes the workload file of what was seen.

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/workload/file"
)

// Options say what the file is like.
type Options struct {
	// Name is metadata.name.
	Name string
	// HashNames replaces the names of schemas, tables and columns.
	HashNames bool
}

// Described is a workload file with what it leaves out.
type Described struct {
	File *file.Workload
	// Kinds are the kinds of transactions, the most frequent first.
	Kinds []Kind
	// Covered is the share of the statements, of their time in the server, and of their bytes, that the file
	// has. Time and bytes are NaN where the source has none.
	CoveredCount, CoveredTime, CoveredBytes float64
	// Within says what the coverage is of, see Seen.Within.
	Within string
	// Apart says that each kind is a statement, because it is not known which belong to one transaction.
	Apart bool
	// Transactions and Statements are numbers a second; NaN if not known.
	Transactions, Statements float64
	// Notes are sentences about what the file has otherwise than it was sent.
	Notes []string
}

// Kind is one kind of transaction as it was seen.
type Kind struct {
	Name  string
	Share float64 // of all transactions
	Rate  float64 // a second
	Mean  float64 // milliseconds, NaN if none was timed
	P95   float64
	// AtLeast is the mean time that the server worked on its statements, where the latency is not known; NaN if that is
	// not known either.
	AtLeast float64
	Pause   float64 // between two transactions of a connection, in milliseconds; NaN if not known
	Parts   int     // transactions of the file
	Sample  int     // transactions that were timed
}

// missing is a statement that is not in the file.
type missing struct {
	text, why string
	Total
}

// builder makes the file.
type builder struct {
	// patterns is the share of the transactions in which LIKE compares with anyPattern.
	patterns float64
	seen     *Seen
	server   dictionary
	shape    shape
	expanded []expanded // of each statement that is usable
	missing  []missing
	dropped  float64 // executions of statements in transactions left out because of the limit
	assumed  map[string]bool
	names    *hasher
	choose   *chooser
	keys     *keys
	// unasked says that values are 1 or NULL because no server was asked for the columns.
	unasked bool
	// shortened are notes of statements that have fewer values than those that were sent.
	shortened []string
}

// Describe makes the file. With a server, the statements are prepared there, without being
// executed, and the schema is asked for types and ranges. A file that would be too long has shorter lists.
func Describe(ctx context.Context, seen *Seen, server Dictionary, o Options) (*Described, error) {
	for most := mostParams; ; most /= 2 {
		d, err := describe(ctx, seen, server, o, most)
		if most <= leastParams || !errors.Is(err, errSize) {
			return d, err
		}
	}
}

// Bounds of the parameters of a statement: MySQL prepares none with more than 65,535.
const (
	mostParams  = 65_535
	leastParams = 100
)

var errSize = fmt.Errorf("the file would have more than %d bytes", file.MaxSize)

func describe(ctx context.Context, seen *Seen, server Dictionary, o Options, most int) (*Described, error) {
	b := &builder{seen: seen, assumed: map[string]bool{}}
	if o.HashNames {
		b.names = newHasher()
	}
	var err error
	if b.server, err = server.open(ctx, seen); err != nil {
		return nil, err
	}
	b.server.most = most
	b.expand(ctx)
	b.shape.find(seen.Transactions)
	b.shape.fit()
	if seen.Apart == "" && b.shape.covered() < enough {
		b.shape.compose(b.commits())
	}
	if b.dropped = b.shape.bound(); b.dropped > 0 {
		b.assumed[fmt.Sprintf("the rarest transactions are left out: the file has at most %d statements", mostStatements)] = true
	}
	b.shape.name()
	return b.build(o)
}

// unaskedNote says what is missing in a file, and what gives it.
const unaskedNote = "No server was asked for the columns: texts, dates and other values that are no whole numbers are 1 or NULL in the file. Name a server with the same schema: tare capture ADDRESS --log FILE, or --packets FILE."

// commits is the number of transactions that were ended.
func (b *builder) commits() (n float64) {
	for _, s := range b.seen.Statements {
		if v := verbOfText(s.Text); v == commits || v == rollback {
			n += s.Count
		}
	}
	return n
}

// expand makes statements of the digests, and notes those that cannot be in the file.
func (b *builder) expand(ctx context.Context) {
	b.shape.statements = b.seen.Statements
	b.shape.families = familiesOf(b.seen.Statements)
	b.shape.what = make([]described, len(b.seen.Statements))
	b.expanded = make([]expanded, len(b.seen.Statements))
	for i, s := range b.seen.Statements {
		switch verbOfText(s.Text) {
		case begins, commits, rollback:
			continue
		case session, implicit:
			if setsAutocommit.MatchString(s.Text) { // it begins and ends transactions
				continue
			}
			b.missing = append(b.missing, missing{s.Text, "it is not a statement that reads or writes rows", s.Total})
			continue
		}
		e, err := b.server.expand(ctx, s)
		if err != nil {
			b.missing = append(b.missing, missing{s.Text, err.Error(), s.Total})
			continue
		}
		b.expanded[i] = e
		b.shape.what[i] = described{verb: e.verb, tables: e.tables, usable: true}
		for _, a := range e.assumed {
			b.assumed[a] = true
		}
		if e.shortened != "" {
			b.assumed[e.shortened] = true
			b.shortened = append(b.shortened, e.shortened)
		}
	}
}

// coverage is the share of the statements in the file, by count, by time and by bytes. It is NaN by what the source
// does not have.
func (b *builder) coverage() (count, spent, bytes float64) {
	var all, left Total
	for _, s := range b.seen.Statements {
		all.add(s.Total)
	}
	for _, m := range b.missing {
		left.add(m.Total)
	}
	for _, t := range []Total{b.seen.Elsewhere, b.seen.Uncounted} {
		all.add(t)
		left.add(t)
	}
	left.Count += b.dropped
	count, spent, bytes = 1-left.Count/math.Max(all.Count, 1), unknown(), unknown()
	unread := b.seen.Uncounted
	if all.Milliseconds > 0 && !(unread.Count > 0 && unread.Milliseconds == 0) { // a general log has none
		spent = 1 - left.Milliseconds/all.Milliseconds
	}
	if all.Bytes > 0 {
		bytes = 1 - left.Bytes/all.Bytes
	}
	return count, spent, bytes
}

func (b *builder) build(o Options) (*Described, error) {
	if len(b.shape.kinds) == 0 {
		return nil, fmt.Errorf("describe workload: %w", b.nothing())
	}
	w := &file.Workload{APIVersion: file.APIVersion, Kind: file.Kind, Metadata: experiment.Metadata{Name: o.Name}}
	d := &Described{File: w}
	total := 0.0
	for _, k := range b.shape.kinds {
		total += k.count()
	}
	d.Transactions = total / b.seen.Seconds
	b.choose = newChooser(&b.shape)
	used := map[string]bool{}
	copies := b.copies()
	b.keys = &keys{parts: int64(copies * b.newKeys()), used: map[string]int64{}}
	for _, k := range b.shape.kinds {
		summary := b.summary(k, total)
		first := len(w.Transactions)
		for n, c := range k.courses {
			for range copies {
				t, chosen := b.transaction(c, c.count/float64(copies)/total, summary.Pause)
				t.Name = k.name
				if b.names == nil {
					t.Name = b.shape.partName(k, n, chosen, copies)
				}
				t.Name = unused(used, t.Name, "-")
				w.Transactions = append(w.Transactions, t)
			}
		}
		summary.Parts = len(w.Transactions) - first
		if b.names != nil { // the name has that of a table
			b.rename(&summary, w.Transactions[first:], len(d.Kinds))
		}
		d.Kinds = append(d.Kinds, summary)
	}
	w.Data.Own = w.Writes()
	d.CoveredCount, d.CoveredTime, d.CoveredBytes = b.coverage()
	d.Within, d.Apart, d.Statements, d.Notes = b.seen.Within, b.seen.Apart != "", b.rate(), b.shortened
	if b.unasked {
		d.Notes = append(d.Notes, unaskedNote)
	}
	if b.patterns > 0 {
		d.Notes = append(d.Notes, b.patternNote(d.Apart))
	}
	w.Comments = b.header(d)
	if b.names != nil {
		b.names.apply(w)
	}
	if len(w.Marshal()) > file.MaxSize {
		return nil, fmt.Errorf("describe workload: %w", errSize)
	}
	if _, err := file.Parse("captured workload", w.Marshal()); err != nil {
		return nil, fmt.Errorf("describe workload: %w", err)
	}
	return d, nil
}

// patternNote says how much of the load compares by LIKE with a pattern that may select no row.
func (b *builder) patternNote(apart bool) string {
	of := "transactions"
	if apart {
		of = "statements"
	}
	return fmt.Sprintf("LIKE compares with %q in %.1f %% of the %s: what the application compares with is not known. Where no value begins"+
		" with that letter, such a statement selects no row and costs less than the application's; write a pattern of yours into the file", anyPattern, 100*b.patterns, of)
}

// nothing says why no statement is in the file.
func (b *builder) nothing() error {
	switch {
	case len(b.missing) > 0:
		return fmt.Errorf("none of the statements can be in the file, of the first: %s", b.missing[0].why)
	case b.seen.Within != "":
		return errNoStatement
	}
	return errNothing
}

// copies is how many transactions of the file each course needs, so that a statement on one
// of several tables of a family is on each of them in its share.
func (b *builder) copies() int {
	occurs, statements := make([]int, len(b.shape.families.members)), 0
	for _, k := range b.shape.kinds {
		for _, c := range k.courses {
			for _, f := range c.families {
				occurs[f]++
			}
			statements += len(c.families)
		}
	}
	n := 1
	for f, members := range b.shape.families.members {
		if occurs[f] > 0 {
			n = max(n, (len(members)+occurs[f]-1)/occurs[f])
		}
	}
	return max(1, min(n, mostStatements/max(1, statements)))
}

// newKeys is how many parameters of the courses make keys of new rows.
func (b *builder) newKeys() (n int) {
	for _, k := range b.shape.kinds {
		for _, c := range k.courses {
			for _, f := range c.families {
				for _, p := range b.expanded[b.choose.members[f][0]].slots { // a course has families with a usable member only
					if p.role == inserted && b.server.tables[p.table].unique(b.server.tables.column(p.table, p.column)) {
						n++
					}
				}
			}
		}
	}
	return n
}

// shortest is the least pause that is written as think time: below it are the network and
// the client's own work.
const shortest = time.Millisecond

// transaction is one of the file, without its name; chosen are its statements.
func (b *builder) transaction(c course, share, pause float64) (t file.Transaction, chosen []int) {
	t = file.Transaction{Weight: weight(share), Autocommit: !c.explicit, Rollback: c.rolledBack}
	if think := time.Duration(pause * float64(time.Millisecond)); !math.IsNaN(pause) && think >= shortest {
		t.Think = experiment.Duration(think.Round(100 * time.Microsecond))
	}
	d := &drawer{schema: b.server.tables, assumed: b.assumed, keys: b.keys, deleted: map[string]string{}}
	var cleared []string // tables of which rows have been deleted
	for _, f := range c.families {
		i := b.choose.back(f, c.count, func(i int) bool {
			e := b.expanded[i]
			return e.verb == "INSERT" && len(e.tables) > 0 && slices.Contains(cleared, e.tables[0])
		})
		e := b.expanded[i]
		if e.verb == "DELETE" {
			cleared = append(cleared, e.tables...)
		}
		chosen = append(chosen, i)
		t.Statements = append(t.Statements, file.Statement{SQL: e.sql, Params: d.params(e, b.seen.Statements[i])})
	}
	t.Values = d.values
	b.unasked = b.unasked || d.unasked
	if d.patterns {
		b.patterns += share
	}
	if share > 0 {
		t.Comments = []string{fmt.Sprintf("%.2f %% of all transactions", 100*share)}
	}
	return t, chosen
}

// weight is a share in percent, with as many decimals as it needs.
func weight(share float64) file.Number {
	n := file.Number{Value: max(1, int64(math.Round(share*1e6))), Decimals: 4}
	for n.Decimals > 0 && n.Value%10 == 0 {
		n.Value, n.Decimals = n.Value/10, n.Decimals-1
	}
	return n
}

func (b *builder) summary(k kind, total float64) Kind {
	var durations, pauses, spent []float64
	for _, c := range k.courses {
		durations, pauses, spent = append(durations, c.durations...), append(pauses, c.pauses...), append(spent, c.spent...)
	}
	durations = slices.DeleteFunc(durations, math.IsNaN)
	return Kind{
		Name: k.name, Share: k.count() / total, Rate: k.count() / b.seen.Seconds,
		Mean: mean(durations), P95: quantile(slices.Clone(durations), 0.95), Pause: mean(pauses), Sample: len(durations), AtLeast: mean(spent),
	}
}

// rename gives a kind and its transactions a name without a table's.
func (b *builder) rename(k *Kind, ts []file.Transaction, number int) {
	name := fmt.Sprintf("kind_%d", number+1)
	for i := range ts {
		ts[i].Name = strings.Replace(ts[i].Name, k.Name, name, 1)
	}
	k.Name = name
}
