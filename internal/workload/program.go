package workload

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Class is what a statement counts as in a report.
type Class uint8

// The classes of sysbench's statistics: everything that is neither a SELECT nor a
// change of rows is Other (BEGIN, COMMIT).
const (
	Read Class = iota
	Write
	Other
)

// Source says where the value of a parameter comes from.
type Source uint8

// Sources of parameter values.
const (
	// DrawID draws a row number by the chosen distribution and remembers it.
	DrawID Source = iota
	// LastID is the remembered row number plus Plus.
	LastID
	// DrawKey draws like DrawID but is not remembered.
	DrawKey
	// Segment draws from this connection's own part of the rows, remembered.
	Segment
	// RandomC and RandomPad are strings of digits.
	RandomC
	RandomPad
	// Constant is Plus itself.
	Constant
	// Unique is a number that no other draw of the load returns, of any of its
	// connections, also where they belong to several generators with one seed.
	Unique
	// Sequence counts from 1 on each connection and is remembered.
	Sequence
	// Whole, Money and Text are remembered values, Plus says which: a whole number,
	// an amount in cents, a string.
	Whole
	Money
	Text
	// Slotted are the values of a workload file; Plus is the number of the slot.
	Slotted
	// Skipped is a column of an answer that nothing needs.
	Skipped
	// Client is the number of the connection among all of the load, from 1.
	Client
)

// Param is one parameter of a statement.
type Param struct {
	Source Source
	Plus   int32
}

// Text reports whether the value is a string.
func (p Param) Text() bool {
	return p.Source == RandomC || p.Source == RandomPad || p.Source == Text
}

// Statement is one statement of a workload.
type Statement struct {
	// Name is what it is called in reports.
	Name string
	// SQL holds a question mark for every parameter, and %d for the number of the
	// table where PerTable is set.
	SQL      string
	PerTable bool
	Class    Class
	Params   []Param
	// Text asks for the text protocol although others are prepared: sysbench does
	// so where it formats the statement itself.
	Text bool
	// Take are the leading columns of the answer's first row that later statements
	// need; of another row where Row is set, which is the place in Values of its
	// number from 0. An answer without that row is an error unless the step has a
	// Then.
	Take []Take
	Row  int
	// Versions, where not 0, is how many SQL texts there are in place of one per
	// table; %02d then stands for the number.
	Versions int
}

// For returns the SQL for a table, from 1.
func (s Statement) For(table int) string {
	if !s.PerTable {
		return s.SQL
	}
	if s.Versions > 0 {
		return strings.Replace(s.SQL, "%02d", fmt.Sprintf("%02d", table), 1)
	}
	return strings.Replace(s.SQL, "%d", fmt.Sprint(table), 1)
}

// Step is one statement of a transaction.
type Step struct {
	Statement int
	// NewTable draws another table first; the others use the one drawn last.
	NewTable bool
	// Before draws or computes values that the statement needs; nil for none.
	Before func(*Draws)
	// Then looks at the values taken from the answer and says how many of the
	// following steps to leave out; nil for none.
	Then func(*Values) (skip int)
	// Think is how long the connection waits after the answer before the next step.
	Think time.Duration
}

// Choice is one kind of transaction. Its share is Weight of the sum of weights.
type Choice struct {
	Weight uint32
	Steps  []Step
	// Kind is the index in Program.Kinds of what it counts as.
	Kind int
	// Think is how long a connection waits after the transaction before it begins another.
	Think time.Duration
}

// Program is a workload with its options filled in: data that an engine executes,
// so that a workload needs no code in the hot path.
type Program struct {
	Name       string
	Options    Options
	Statements []Statement
	Choices    []Choice
	// Kinds name the transactions whose latencies are kept apart; nil keeps none.
	Kinds []string
	// Conditions hold for the data at every moment.
	Conditions []Condition
	// Numbered says that every attempt at a transaction has the next number of its
	// connection (Sequence), so that a ledger can be kept of those that were acknowledged.
	Numbered bool
	// Explicit says that transactions are opened and committed by statements.
	Explicit bool
	// OwnTable gives each connection the table of its own number.
	OwnTable bool
	// EventRows, above 1, counts each statement as that many transactions:
	// sysbench's bulk_insert counts rows.
	EventRows int
	// Slots are the values that a connection has for its transactions, of a workload file;
	// Lookups are queries whose answers some of them are drawn from (see Bind).
	Slots   []SlotType
	Lookups []Lookup

	tables    func(seed uint64) []Table // of a workload file
	first     map[int]Slot              // values that slots begin with
	remembers bool                      // values between statements
	counts    bool                      // a value of a workload file is a sequence without an end
	weights   uint32
	draw      draw
}

// Counts says whether the transactions have numbers that are given once (Sequence, Unique, a
// workload file's sequence without an end). A second load that begins on the same tables gives
// them again.
func (p *Program) Counts() bool {
	once := func(q Param) bool { return q.Source == Sequence || q.Source == Unique }
	return p.counts || slices.ContainsFunc(p.Statements, func(s Statement) bool { return slices.ContainsFunc(s.Params, once) })
}

// Condition is what must hold for the data whatever transactions have run.
type Condition struct {
	// Name says it in words, with where it comes from.
	Name string
	// SQL returns one row: for how many places the condition does not hold, and
	// one of them with the figures that contradict each other, or NULL.
	SQL string
}

// Build makes the program of a workload.
func Build(name string, o Options) (*Program, error) {
	if err := o.Check(); err != nil {
		return nil, err
	}
	p, err := assemble(name, o)
	if err != nil {
		return nil, err
	}
	if name != tpccName && o.Scale != 0 {
		return nil, fmt.Errorf("--scale belongs to tpcc; the size of %s is --tables and --table-size", name)
	}
	p.Name, p.Options, p.draw = name, o, newDraw(o.Rand, uint32(o.TableSize))
	for _, c := range p.Choices {
		if len(c.Steps) == 0 {
			return nil, fmt.Errorf("workload %s: nothing to do with these options", name)
		}
		p.weights += c.Weight
	}
	return p, nil
}

func assemble(name string, o Options) (*Program, error) {
	if p := mixOf(name); p != nil {
		return p, nil
	}
	for _, b := range builders() {
		if b.name == name {
			return b.build(o)
		}
	}
	return nil, fmt.Errorf("unknown workload %q: the built-in engine has %s", name, strings.Join(ProgramNames(), ", "))
}

// builders is the table of the built-in workloads.
func builders() []struct {
	name  string
	build func(Options) (*Program, error)
} {
	type row = struct {
		name  string
		build func(Options) (*Program, error)
	}
	return []row{
		{"oltp_read_only", oltpReadOnly},
		{"oltp_read_write", oltpReadWrite},
		{"oltp_read_write_pct", oltpReadWritePct},
		{"oltp_point_select", oltpPointSelect},
		{"oltp_write_only", oltpWriteOnly},
		{"oltp_insert", oltpInsert},
		{"oltp_delete", oltpDelete},
		{"oltp_update_index", oltpUpdateIndex},
		{"oltp_update_non_index", oltpUpdateNonIndex},
		{"select_random_points", selectRandomPoints},
		{"select_random_ranges", selectRandomRanges},
		{bulkInsertName, bulkInsert},
		{tpccName, tpcc},
		{ledgerName, ledger},
	}
}

// ProgramNames lists the workloads of the built-in engine, of mixes the three of
// the published study.
func ProgramNames() []string {
	var names []string
	for _, b := range builders() {
		names = append(names, b.name)
	}
	return append(names, "mix_80_20", "mix_50_50", "mix_20_80")
}

// Draws is the state of one connection's draws.
type Draws struct {
	Random Random
	Table  int // the table drawn last, from 1
	// Values is nil where the workload remembers none.
	Values *Values
	last   uint32
	count  uint32
	unique uint32 // the next number that is Unique, before it is scattered
	low    uint32 // the connection's segment
	high   uint32
	// connection is the number among the connections of all loads, of a row that among the rows.
	connection, connections int64
}

// NewDraws returns the draws of a connection, numbered from 0.
func (p *Program) NewDraws(seed uint64, connection int) Draws {
	among, all := p.Options.Earlier+connection, p.Options.AllConnections()
	table := connection%p.Options.Tables + 1
	if p.OwnTable {
		table = among + 1
	}
	part := float64(p.Options.TableSize) / float64(p.Options.Threads)
	low := part * float64(connection%p.Options.Threads)
	d := Draws{
		Random: NewRandom(seed, uint64(among)), Table: table,
		low: uint32(low), high: uint32(low + part),
		// Another seed begins elsewhere: a second run rarely meets the first one's.
		unique: uint32(mix(seed)) + uint32(among), connection: int64(among), connections: int64(all),
	}
	switch {
	case p.remembers:
		d.Values = newValues()
	case p.Slots != nil:
		d.Values = &Values{Slots: newSlots(p.Slots, p.first)}
	}
	return d
}

// Counted is the last number of the connection's sequence, 0 before the first.
func (d *Draws) Counted() uint32 { return d.count }

// Choose draws the kind of the next transaction.
func (p *Program) Choose(d *Draws) int {
	if len(p.Choices) == 1 {
		return 0
	}
	at := d.Random.Below(p.weights)
	for i, c := range p.Choices {
		if at < c.Weight {
			return i
		}
		at -= c.Weight
	}
	return 0
}

// PickTable draws a table, evenly as sysbench does.
func (p *Program) PickTable(d *Draws) {
	if n := p.Options.Tables; n > 1 && !p.OwnTable {
		d.Table = int(d.Random.Below(uint32(n))) + 1
	}
}

// Number draws the value of a parameter that is a number.
func (p *Program) Number(d *Draws, q Param) int32 {
	switch q.Source {
	case DrawID:
		d.last = p.draw.between(&d.Random, 1, uint32(p.Options.TableSize))
		return int32(d.last) + q.Plus
	case LastID:
		return int32(d.last) + q.Plus
	case DrawKey:
		return int32(p.draw.between(&d.Random, 1, uint32(p.Options.TableSize)))
	case Segment:
		d.last = p.draw.between(&d.Random, d.low, d.high)
		return int32(d.last)
	case Sequence:
		d.count++
		d.last = d.count
		return int32(d.last)
	case Client:
		return int32(d.connection) + 1
	case Unique:
		n := d.unique
		d.unique += uint32(p.Options.AllConnections())
		return int32(scatter(n) ^ 1<<31)
	}
	return q.Plus
}

// scatter maps the 32-bit numbers onto themselves one to one and without visible
// order (the odd multiplier and the shifts are invertible; Stafford's variant of
// MurmurHash3's finalizer).
func scatter(x uint32) uint32 {
	x = (x ^ x>>16) * 0x7feb352d
	x = (x ^ x>>15) * 0x846ca68b
	return x ^ x>>16
}
