package loop

import "github.com/tarebench/tare/internal/workload"

// ledger is what was acknowledged to one connection of a workload with numbered
// transactions: every attempt has the next number, and few are not acknowledged.
type ledger struct {
	last    uint32   // that was acknowledged
	missing []uint32 // attempts before it that were not
}

// acknowledge notes that the attempt of a number was committed. It allocates only after an
// attempt that was not.
func (g *ledger) acknowledge(number uint32) {
	for n := g.last + 1; n < number; n++ {
		g.missing = append(g.missing, n)
	}
	g.last = number
}

// accounts are those of the loop's connections.
func (l *Loop) accounts() (all []workload.Account) {
	for _, c := range l.conns {
		if c.ledger == nil {
			continue
		}
		attempts := c.draws.Counted()
		for n := c.ledger.last + 1; n <= attempts; n++ {
			c.ledger.missing = append(c.ledger.missing, n)
		}
		all = append(all, workload.Account{Client: int64(c.of) + 1, Attempts: attempts, Unanswered: c.ledger.missing})
	}
	return all
}
