package record

// SlowPercentile is the percentile of response times from which on a transaction
// is one of the slowest.
const SlowPercentile = 99

// EnoughSlow is how many of the slowest transactions it takes to say where they spend
// their time: below, it depends on single ones.
const EnoughSlow = 100

// The places of a transaction's time that are none of its statements.
const (
	// SpentClient is between an answer and the next statement: the generator's own.
	SpentClient = "client, between statements"
	// SpentQueued is from when a transaction was due to its first statement, because
	// no connection was free or one had to be made.
	SpentQueued = "waiting for a connection"
	// SpentLate is the same although a connection was free: the generator's own.
	SpentLate = "sent late"
	// SpentFailed are attempts that an error ended, with the pauses and the new
	// connections after them.
	SpentFailed = "failed attempts"
)

// Slowest is where the transactions of a window spent their time: all of them,
// beside the slowest of them, which took as long as the 99th percentile of the
// transactions before them or longer. Slow / All is therefore near 0.01, and no more
// than near. It adds up exactly over generators, and over trials.
type Slowest struct {
	// All are the transactions that ended while that percentile was known: not those
	// before the first thousand, where there is no warm-up.
	All  int64 `json:"all"`
	Slow int64 `json:"slow"`
	// Parts add up to what the transactions took.
	Parts []SlowestPart `json:"parts"`
}

// SlowestPart is the time spent in one place, in nanoseconds of all transactions and
// of the slow ones: a statement by its name, as in Window.Statements, or one of the
// Spent places.
type SlowestPart struct {
	Name   string `json:"name"`
	AllNS  int64  `json:"all_ns"`
	SlowNS int64  `json:"slow_ns"`
}

// Enough says that so many transactions are slow that something can be said of them.
func (s *Slowest) Enough() bool { return s != nil && s.Slow >= EnoughSlow }

// Took is what all transactions took, and what the slow ones did, in nanoseconds.
func (s *Slowest) Took() (all, slow int64) {
	for _, p := range s.Parts {
		all += p.AllNS
		slow += p.SlowNS
	}
	return all, slow
}

// Merge is the sums of both, place by place; either may be nil.
func (s *Slowest) Merge(other *Slowest) *Slowest {
	if s == nil {
		s, other = other, nil
	}
	if s == nil {
		return nil
	}
	sum := &Slowest{All: s.All, Slow: s.Slow, Parts: append([]SlowestPart(nil), s.Parts...)}
	if other == nil {
		return sum
	}
	sum.All += other.All
	sum.Slow += other.Slow
	for _, p := range other.Parts {
		sum.add(p)
	}
	return sum
}

func (s *Slowest) add(p SlowestPart) {
	for i := range s.Parts {
		if q := &s.Parts[i]; q.Name == p.Name {
			q.AllNS += p.AllNS
			q.SlowNS += p.SlowNS
			return
		}
	}
	s.Parts = append(s.Parts, p)
}
