package capture

// This file makes the workload file of what was seen.

import (
	"context"
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
	// Covered is the share of the statements, and of their time in the server, that the file
	// has. The time is NaN where the source has none.
	CoveredCount, CoveredTime float64
	Transactions              float64 // a second
}

// Kind is one kind of transaction as it was seen.
type Kind struct {
	Name   string
	Share  float64 // of all transactions
	Rate   float64 // a second
	Mean   float64 // milliseconds, NaN if none was timed
	P95    float64
	Pause  float64 // between two transactions of a connection, in milliseconds; NaN if not known
	Parts  int     // transactions of the file
	Sample int     // transactions that were timed
}

// missing is a statement that is not in the file.
type missing struct {
	text, why string
	Total
}

// builder makes the file.
type builder struct {
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
}

// Describe makes the file. With a server, the statements are prepared there, without being
// executed, and the schema is asked for types and ranges.
func Describe(ctx context.Context, seen *Seen, server Dictionary, o Options) (*Described, error) {
	b := &builder{seen: seen, assumed: map[string]bool{}}
	if o.HashNames {
		b.names = newHasher()
	}
	var err error
	if b.server, err = server.open(ctx, seen); err != nil {
		return nil, err
	}
	b.expand(ctx)
	b.shape.find(seen.Transactions)
	b.shape.fit()
	if b.shape.covered() < enough {
		b.shape.compose(b.commits())
	}
	if b.dropped = b.shape.bound(); b.dropped > 0 {
		b.assumed[fmt.Sprintf("the rarest transactions are left out: the file has at most %d statements", mostStatements)] = true
	}
	b.shape.name()
	return b.build(o)
}

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
		case session:
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
	}
}

// coverage is the share of the statements in the file, by count and by time.
func (b *builder) coverage() (count, spent float64) {
	var all, left Total
	for _, s := range b.seen.Statements {
		all.Count += s.Count
		all.Milliseconds += s.Milliseconds
	}
	for _, m := range b.missing {
		left.Count += m.Count
		left.Milliseconds += m.Milliseconds
	}
	left.Count += b.dropped
	all.Count += b.seen.Elsewhere.Count + b.seen.Uncounted
	left.Count += b.seen.Elsewhere.Count + b.seen.Uncounted
	all.Milliseconds += b.seen.Elsewhere.Milliseconds
	left.Milliseconds += b.seen.Elsewhere.Milliseconds
	if all.Milliseconds <= 0 { // a general log
		return 1 - left.Count/math.Max(all.Count, 1), math.NaN()
	}
	return 1 - left.Count/math.Max(all.Count, 1), 1 - left.Milliseconds/all.Milliseconds
}

func (b *builder) build(o Options) (*Described, error) {
	if len(b.shape.kinds) == 0 {
		return nil, fmt.Errorf("describe workload: %w", errNothing)
	}
	w := &file.Workload{APIVersion: file.APIVersion, Kind: file.Kind, Metadata: experiment.Metadata{Name: o.Name}}
	d := &Described{File: w}
	total := 0.0
	for _, k := range b.shape.kinds {
		total += k.count()
	}
	d.Transactions = total / b.seen.Seconds
	b.choose = newChooser(&b.shape)
	copies := b.copies()
	b.keys = &keys{parts: int64(copies * b.newKeys()), used: map[string]int64{}}
	for _, k := range b.shape.kinds {
		summary := b.summary(k, total)
		first := len(w.Transactions)
		for n, c := range k.courses {
			for i := range copies {
				name := k.name
				if n > 0 || i > 0 {
					name = fmt.Sprintf("%s-%d", k.name, len(w.Transactions)-first+1)
				}
				w.Transactions = append(w.Transactions, b.transaction(name, c, c.count/float64(copies)/total, summary.Pause))
			}
		}
		summary.Parts = len(w.Transactions) - first
		if b.names != nil { // the name has that of a table
			b.rename(&summary, w.Transactions[first:], len(d.Kinds))
		}
		d.Kinds = append(d.Kinds, summary)
	}
	w.Data.Own = w.Writes()
	d.CoveredCount, d.CoveredTime = b.coverage()
	w.Comments = b.header(d)
	if b.names != nil {
		b.names.apply(w)
	}
	if _, err := file.Parse("captured workload", w.Marshal()); err != nil {
		return nil, fmt.Errorf("describe workload: %w", err)
	}
	return d, nil
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

func (b *builder) transaction(name string, c course, share, pause float64) file.Transaction {
	t := file.Transaction{Name: name, Weight: weight(share), Autocommit: !c.explicit, Rollback: c.rolledBack}
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
		t.Statements = append(t.Statements, file.Statement{SQL: e.sql, Params: d.params(e, b.seen.Statements[i])})
	}
	t.Values = d.values
	if share > 0 {
		t.Comments = []string{fmt.Sprintf("%.2f %% of all transactions", 100*share)}
	}
	return t
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
	var durations, pauses []float64
	for _, c := range k.courses {
		durations, pauses = append(durations, c.durations...), append(pauses, c.pauses...)
	}
	durations = slices.DeleteFunc(durations, math.IsNaN)
	return Kind{
		Name: k.name, Share: k.count() / total, Rate: k.count() / b.seen.Seconds,
		Mean: mean(durations), P95: quantile(slices.Clone(durations), 0.95), Pause: mean(pauses), Sample: len(durations),
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
