package loadgen

// Servers of a load: connections to one of several, and what they hold after it.

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"iter"
	"strconv"
	"strings"

	"github.com/tarebench/tare/internal/loadgen/wire"
	"github.com/tarebench/tare/internal/mysqld"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/workload"
)

// dialTo connects to a server of the routes; nil without routes.
func (j Job) dialTo() (func(context.Context, int) (*wire.Session, error), error) {
	if j.Routes == nil {
		return nil, nil
	}
	var dialers []*wire.Dialer
	for _, a := range j.Routes.Addresses() {
		a.Schema = j.Server.Schema
		d, err := wire.NewDialer(a)
		if err != nil {
			return nil, err
		}
		d.Inside = j.inside
		dialers = append(dialers, d)
	}
	return func(ctx context.Context, server int) (*wire.Session, error) { return dialers[server].Dial(ctx) }, nil
}

// Numbered says that a workload keeps a ledger: what was acknowledged to the clients can be
// compared with what a server has.
func Numbered(name string) bool {
	if workload.IsFile(name) || workload.IsScript(name) {
		return false
	}
	p, err := workload.Build(name, workload.Defaults())
	return err == nil && p.Numbered
}

// Counts says whether a job's transactions have numbers that are given once: a second load on the
// same tables would give them again.
func Counts(j Job) bool {
	p, err := builtIn{}.program(j)
	return err == nil && p.Counts()
}

// Ledgered is how a server compares with a ledger.
type Ledgered struct {
	// Lost entries were acknowledged and are not there. Doubled ones are there more than
	// once. Unknown ones were never sent.
	Lost, Doubled, Unknown int64
	// Unanswered entries are there, and their clients had no answer: what a client has to
	// find out by itself.
	Unanswered int64
	// Balances says which accounts do not have the balance of their entries, "" for none.
	Balances string
	// Examples are the first entries of each kind, as CLIENT#NUMBER.
	Examples []string
}

// Whole says that every acknowledged entry is there once, and nothing else but entries
// whose clients had no answer.
func (v Ledgered) Whole() bool {
	return v.Lost == 0 && v.Doubled == 0 && v.Unknown == 0 && v.Balances == ""
}

// mostExamples bounds the examples of each kind.
const mostExamples = 3

func (v *Ledgered) note(n *int64, kind record.Sentence, client, number int64) {
	if *n++; *n <= mostExamples {
		v.Examples = append(v.Examples, kind.Say(fmt.Sprintf("%d#%d", client, number)))
	}
}

// CheckLedger compares a server with a ledger, in one snapshot. Its entries are read in the
// order of clients and numbers, so that nothing but the ledger is kept in memory.
func CheckLedger(ctx context.Context, at mysqld.Address, g *workload.Ledger) (v Ledgered, err error) {
	db, err := mysqld.Open(at)
	if err != nil {
		return v, record.CheckLedger.Wrap(err)
	}
	defer db.Close()
	tx, err := db.BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelRepeatableRead, ReadOnly: true})
	if err != nil {
		return v, record.CheckLedger.Wrap(err)
	}
	defer func() { _ = tx.Rollback() }() // it only read
	rows, err := tx.QueryContext(ctx, "SELECT client, number FROM ledger_entry ORDER BY client, number")
	if err != nil {
		return v, record.CheckLedger.Wrap(err)
	}
	defer rows.Close()
	if err := v.compare(g, entries(rows)); err != nil {
		err = errors.Join(err, rows.Err())
		return v, record.CheckLedger.Wrap(err)
	}
	if err := errors.Join(rows.Err(), rows.Close()); err != nil {
		return v, record.CheckLedger.Wrap(err)
	}
	v.Balances, err = balances(ctx, tx)
	return v, err
}

// balances says which accounts contradict their entries.
func balances(ctx context.Context, tx *sql.Tx) (string, error) {
	p, err := workload.Build("ledger", workload.Defaults())
	if err != nil {
		return "", record.CheckLedger.Wrap(err)
	}
	var wrong []string
	for _, c := range p.Conditions {
		var n int64
		var what sql.NullString
		if err := tx.QueryRowContext(ctx, c.SQL).Scan(&n, &what); err != nil {
			return "", record.CheckLedger.Error(err, c.Name+": "+err.Error())
		}
		if n > 0 {
			wrong = append(wrong, record.AccountsDiffer.Say(strconv.FormatInt(n, 10), what.String))
		}
	}
	return strings.Join(wrong, "; "), nil
}

// entry is one of a server's.
type entry struct{ client, number int64 }

func entries(rows *sql.Rows) iter.Seq2[entry, error] {
	return func(yield func(entry, error) bool) {
		for rows.Next() {
			var e entry
			err := rows.Scan(&e.client, &e.number)
			if !yield(e, err) {
				return
			}
		}
	}
}

// compare counts what differs between a ledger and entries in the order of clients and
// numbers.
func (v *Ledgered) compare(g *workload.Ledger, all iter.Seq2[entry, error]) error {
	next, stop := iter.Pull2(all)
	defer stop()
	e, err, more := next()
	for _, a := range append([]workload.Account{{Attempts: uint32(g.Prepared)}}, g.Accounts...) {
		for ; more && err == nil && e.client < a.Client; e, err, more = next() {
			v.note(&v.Unknown, record.EntryUnsent, e.client, e.number)
		}
		unanswered := a.Unanswered
		for n := int64(1); n <= int64(a.Attempts); n++ {
			for ; more && err == nil && e.client == a.Client && e.number < n; e, err, more = next() {
				v.note(&v.Unknown, record.EntryUnsent, e.client, e.number)
			}
			there := int64(0)
			for ; more && err == nil && e == (entry{a.Client, n}); e, err, more = next() {
				there++
			}
			if err != nil {
				return err
			}
			answered := len(unanswered) == 0 || int64(unanswered[0]) != n
			if !answered {
				unanswered = unanswered[1:]
			}
			v.count(a.Client, n, there, answered)
		}
		for ; more && err == nil && e.client == a.Client; e, err, more = next() {
			v.note(&v.Unknown, record.EntryUnsent, e.client, e.number)
		}
	}
	for ; more && err == nil; e, err, more = next() {
		v.note(&v.Unknown, record.EntryUnsent, e.client, e.number)
	}
	return err
}

// count notes how often an entry that was sent is there.
func (v *Ledgered) count(client, number, there int64, answered bool) {
	switch {
	case there > 1:
		v.note(&v.Doubled, record.EntryDoubled, client, number)
	case there == 0 && answered:
		v.note(&v.Lost, record.EntryLost, client, number)
	case there == 1 && !answered:
		v.Unanswered++
	}
}
