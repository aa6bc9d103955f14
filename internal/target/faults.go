package target

import (
	"time"

	"github.com/tarebench/tare/internal/mysqld"
)

// EventSpan is when an event of an arm's settings takes place.
type EventSpan struct {
	Block string // the arm's field that lists it: "events", in older files "faults"
	Field string // "events[0]"
	// At counts from the beginning of the measured window; an event For 0 has no length of its own.
	At, For time.Duration
}

// Member is one of the servers that have the same data.
type Member struct {
	Number  int // from 1
	Address mysqld.Address
	// Left says why the server no longer belongs to the database, and what it holds
	// does not count; "" for a member.
	Left string
}

// MemberOf is a server that is alone.
func MemberOf(s Server) []Member { return []Member{{Number: 1, Address: s.Address()}} }

// DiskLimit bounds operations a second on the disk of a server's data; 0 is not a bound.
type DiskLimit struct{ ReadIOPS, WriteIOPS uint64 }

// Throttler changes the limit of the disk of a server that runs.
type Throttler func(DiskLimit) error
