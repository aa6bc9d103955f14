package workload

// A ledger: every transaction adds one numbered entry and one to the balance of its client's
// account. What was acknowledged to the clients can then be compared with what a server has.

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
)

const ledgerName = "ledger"

// Account is what was acknowledged to one client, a connection of the load. Its attempts have
// the numbers from 1. An attempt that was not answered may have been committed or not.
type Account struct {
	Client     int64 // from 1
	Attempts   uint32
	Unanswered []uint32 // numbers, rising
}

// Ledger is what a server must hold after a load: entries that the preparation made, of
// client 0, and those that were acknowledged.
type Ledger struct {
	Prepared int64
	Accounts []Account // by client
}

// Acknowledged is the number of entries that were acknowledged to clients.
func (g *Ledger) Acknowledged() (n int64) {
	for _, a := range g.Accounts {
		n += int64(a.Attempts) - int64(len(a.Unanswered))
	}
	return n
}

// ledger is one kind of transaction. A client that tries again after an error has another
// number, so that an entry is never sent twice: one that is there twice was doubled on the
// way or by a server.
func ledger(o Options) (*Program, error) {
	if o.Tables > 1 {
		return nil, errors.New("ledger has one table of entries; write data: {tables: 1}, with the number of its entries as rows")
	}
	entry := Statement{Name: "entries", SQL: "INSERT INTO ledger_entry (client, number) VALUES (?, ?)", Class: Write, Params: []Param{{Source: Client}, {Source: Sequence}}}
	account := Statement{Name: "accounts", SQL: "INSERT INTO ledger_account (client, balance) VALUES (?, 1) ON DUPLICATE KEY UPDATE balance = balance + 1", Class: Write, Params: []Param{{Source: Client}}}
	p := transaction(true, group{1, []Statement{entry, account}})
	p.Numbered = true
	p.Conditions = []Condition{condition("the balance of an account is the number of its entries",
		"SELECT CONCAT('client ', COALESCE(a.client, e.client), ': ', COALESCE(balance, 'none'), ' and ', COALESCE(n, 0)) AS what"+
			" FROM (SELECT client, COUNT(*) AS n FROM ledger_entry GROUP BY client) e LEFT JOIN ledger_account a ON a.client = e.client WHERE NOT balance <=> n"+
			" UNION ALL SELECT CONCAT('client ', client, ': ', balance, ' and 0') FROM ledger_account WHERE balance <> 0 AND client NOT IN (SELECT client FROM ledger_entry)")}
	return p, nil
}

// ledgerTables are the entries, of which client 0 has as many as the table has rows, and
// the accounts. The index is not unique: it must not keep a doubled entry out.
func (o Options) ledgerTables() []Table {
	create := func(name, columns string) string {
		return strings.TrimSpace(fmt.Sprintf("CREATE TABLE %s (%s) /*! ENGINE = %s */ %s", name, columns, o.StorageEngine, o.TableOptions))
	}
	return []Table{
		{Name: "ledger_entry", Create: create("ledger_entry", "id BIGINT NOT NULL AUTO_INCREMENT, client INT NOT NULL, number INT NOT NULL, PRIMARY KEY (id), KEY client_number (client, number)"),
			Columns: []string{"id", "client", "number"}, Units: int64(o.TableSize), UnitRows: 1, Key: func(n int64) string { return fmt.Sprintf("id=%d", n) },
			Make: func(r *Row, n int64, _ int) bool { r.whole(n, 0, n); return false }},
		{Name: "ledger_account", Create: create("ledger_account", "client INT NOT NULL, balance BIGINT NOT NULL, PRIMARY KEY (client)"),
			Columns: []string{"client", "balance"}, Units: 1, UnitRows: 1, Key: func(int64) string { return "client=0" },
			Make: func(r *Row, _ int64, _ int) bool { r.whole(0, int64(o.TableSize)); return false }},
	}
}

// Ledger is what the program's tables hold for certain after a load with these accounts; nil
// where the program has no numbered transactions.
func (p *Program) Ledger(accounts []Account) *Ledger {
	if !p.Numbered {
		return nil
	}
	slices.SortFunc(accounts, func(a, b Account) int { return cmp.Compare(a.Client, b.Client) })
	return &Ledger{Prepared: int64(p.Options.TableSize), Accounts: accounts}
}
