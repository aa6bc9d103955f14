package workload

// A workload file compiled into a program: data that the event loops execute as they
// execute a built-in workload's.

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/tarebench/tare/internal/workload/file"
)

// FromFile makes the program of a workload file.
func FromFile(w *file.Workload, o Options) (*Program, error) {
	if err := o.Check(); err != nil {
		return nil, err
	}
	weights, ok := file.Shares(w.Transactions)
	if !ok {
		return nil, fmt.Errorf("workload %s: the sum of the weights is too large", w.Metadata.Name)
	}
	c := &compiler{p: &Program{Name: w.Metadata.Name, Options: o, first: map[int]Slot{}, Slots: []SlotType{},
		draw: newDraw(o.Rand, uint32(o.TableSize)), tables: func(seed uint64) []Table { return ownTables(w, seed) }}}
	for i, t := range w.Transactions {
		c.transaction(t, i, weights[i])
	}
	return c.p, nil
}

// compiler collects the program of a file.
type compiler struct {
	p *Program
	// names are the slots of the transaction's values so far.
	names map[string]int
}

func (c *compiler) transaction(t file.Transaction, number int, weight uint32) {
	c.names = map[string]int{}
	c.p.Kinds = append(c.p.Kinds, t.Name)
	c.p.weights += weight
	choice := Choice{Weight: weight, Kind: number, Think: t.Think.Std()}
	var drawn assignments
	for _, v := range t.Values {
		c.names[v.Name] = c.value(v.Value, &drawn)
	}
	if t.Autocommit && slices.ContainsFunc(t.Statements, func(s file.Statement) bool { return begins(s.SQL) }) {
		c.p.Explicit = true // after an error the transaction that it began has to be rolled back
	}
	if !t.Autocommit {
		c.p.Explicit = true
		choice.Steps = append(choice.Steps, c.control(t.Name+"_begin", begin))
	}
	for i, s := range t.Statements {
		choice.Steps = append(choice.Steps, c.statement(t, i, s, &drawn))
		drawn = nil
	}
	left := len(choice.Steps)
	switch {
	case t.Rollback:
		choice.Steps = append(choice.Steps, c.control(t.Name+"_rollback", Statement{SQL: "ROLLBACK", Class: Other, Text: true}))
	case !t.Autocommit:
		choice.Steps = append(choice.Steps, c.control(t.Name+"_commit", commit))
	}
	expectNoRow(choice.Steps[:left], t)
	c.p.Choices = append(c.p.Choices, choice)
}

// control is a statement that begins or ends the transaction.
func (c *compiler) control(name string, s Statement) Step {
	s.Name = name
	c.p.Statements = append(c.p.Statements, s)
	return Step{Statement: len(c.p.Statements) - 1}
}

// statement is one statement of the file; drawn are values that its step has to draw first.
func (c *compiler) statement(t file.Transaction, i int, s file.Statement, drawn *assignments) Step {
	out := Statement{Name: t.StatementName(i), SQL: s.SQL, Class: classOf(s), Text: file.Unprepared(s.SQL)}
	for _, v := range s.Params {
		out.Params = append(out.Params, Param{Source: Slotted, Plus: int32(c.value(v, drawn))})
	}
	for _, take := range s.Take {
		for len(out.Take) < take.Column {
			out.Take = append(out.Take, Take{Source: Skipped})
		}
		slot := c.slot(SlotType{Varies: true, size: takenSize})
		out.Take[take.Column-1] = Take{Source: Slotted, Into: slot}
		c.names[take.Name] = slot
	}
	c.p.Statements = append(c.p.Statements, out)
	step := Step{Statement: len(c.p.Statements) - 1, Think: s.Think.Std()}
	if len(*drawn) > 0 {
		step.Before = drawn.make
	}
	return step
}

func classOf(s file.Statement) Class {
	switch s.Classified() {
	case file.ClassRead:
		return Read
	case file.ClassWrite:
		return Write
	}
	return Other
}

// takenSize is the largest text that can be taken from an answer: a row that is kept is no
// longer (package wire).
const takenSize = 544

// expectNoRow lets statements that find no row end their transaction where the file says so:
// what is left out are the statements after them, up to the file's own COMMIT or ROLLBACK.
func expectNoRow(steps []Step, t file.Transaction) {
	before := len(steps) - len(t.Statements)
	for i, s := range t.Statements {
		if s.OnNoRow != file.OnNoRowCommit {
			continue
		}
		rest := len(t.Statements) - 1 - i
		if end := slices.IndexFunc(t.Statements[i+1:], func(s file.Statement) bool { return ends(s.SQL) }); end >= 0 {
			rest = end
		}
		steps[before+i].Then = func(v *Values) int {
			if v.Found {
				return 0
			}
			return rest
		}
	}
}

// begins says whether a statement begins a transaction, ends whether it ends one.
func begins(sql string) bool { return leads(sql, "BEGIN") || leads(sql, "START") }
func ends(sql string) bool   { return leads(sql, "COMMIT") || leads(sql, "ROLLBACK") }

func leads(sql, word string) bool {
	first, _, _ := strings.Cut(strings.TrimSpace(sql), " ")
	return strings.EqualFold(strings.TrimRight(first, ";"), word)
}

// assignments are values to be drawn before a statement is sent.
type assignments []assignment

type assignment struct {
	slot int
	generator
}

func (as assignments) make(d *Draws) {
	for i := range as {
		as[i].draw(d, &d.Values.Slots[as[i].slot])
	}
}

func (c *compiler) slot(t SlotType) int {
	c.p.Slots = append(c.p.Slots, t)
	return len(c.p.Slots) - 1
}

// value is the slot of a value; what has to be drawn for it joins the assignments. A
// constant is there from the beginning, and a value that the transaction has already needs
// no slot of its own.
func (c *compiler) value(v file.Value, drawn *assignments) int {
	if v.From != nil && v.From.Plus == nil {
		return c.names[v.From.Name]
	}
	g, t := c.generator(v)
	slot := c.slot(t)
	if g == nil {
		c.p.first[slot] = constant(v)
		return slot
	}
	*drawn = append(*drawn, assignment{slot, g})
	return slot
}

func constant(v file.Value) Slot {
	if v.Constant == nil {
		return Slot{}
	}
	return scalar(*v.Constant)
}

func scalar(v file.Scalar) (s Slot) {
	if v.Number == nil {
		return Slot{Kind: SlotText, Text: []byte(v.Text)}
	}
	s.set(v.Number.Value, uint8(v.Number.Decimals))
	return s
}

// typeOf is the type of a value that does not change.
func (s *Slot) typeOf() SlotType {
	return SlotType{Kind: s.Kind, Decimals: s.Decimals, size: len(s.Text)}
}

// generator is how a value is drawn, and its type; nil for a constant.
func (c *compiler) generator(v file.Value) (generator, SlotType) {
	switch {
	case v.Uniform != nil:
		from, n, t := numbers(v.Uniform.From, v.Uniform.To)
		return &uniform{from, uint64(n), t.Decimals}, t
	case v.Zipf != nil:
		from, n, t := numbers(v.Zipf.From, v.Zipf.To)
		return &zipf{from, uint32(n), t.Decimals, v.Zipf.Scrambled, zipfRanks(v.Zipf.Exponent, uint32(n))}, t
	case v.Sequence != nil:
		g := &sequence{from: v.Sequence.From.Value}
		if to := v.Sequence.To; to != nil {
			g.n = to.Value - g.from + 1
		} else {
			c.p.counts = true
		}
		return g, SlotType{Kind: SlotWhole}
	case v.Choice != nil:
		return newChoice(v.Choice)
	case v.Text != nil:
		return c.text(v.Text)
	case v.Time != nil:
		return newMoment(v.Time), SlotType{Kind: SlotText, size: len(timeText)}
	case v.Query != nil:
		return c.lookup(v.Query)
	case v.From != nil:
		source := c.names[v.From.Name]
		t := c.p.Slots[source]
		t.Varies = t.Varies || t.Kind == SlotText || t.Kind == SlotNull
		if t.Kind == SlotWhole || t.Kind == SlotDecimal {
			t.Decimals = max(t.Decimals, uint8(v.From.Plus.Decimals))
			if t.Decimals > 0 {
				t.Kind = SlotDecimal
			}
		}
		return &known{source, v.From.Plus}, t
	}
	s := constant(v)
	return nil, s.typeOf()
}

// numbers are a span's first number and how many there are, in units of its last digit.
func numbers(from, to file.Number) (first, n int64, t SlotType) {
	decimals := max(from.Decimals, to.Decimals)
	first, _ = from.Scaled(decimals)
	n, _ = file.Span(from, to)
	t = SlotType{Kind: SlotWhole, Decimals: uint8(decimals)}
	if decimals > 0 {
		t.Kind = SlotDecimal
	}
	return first, n, t
}

func zipfRanks(exponent float64, n uint32) draw {
	d := DefaultDistribution()
	d.ZipfExp = exponent
	return newDraw(d, n)
}

func newChoice(ws []file.Weighted) (generator, SlotType) {
	weights, _ := file.ChoiceShares(ws)
	g, t := &choice{}, SlotType{Kind: SlotNull}
	sum := uint32(0)
	for i, w := range ws {
		var s Slot
		if w.Value != nil {
			s = scalar(*w.Value)
		}
		sum += weights[i]
		g.values, g.upTo = append(g.values, s), append(g.upTo, sum)
		t.Kind, t.Decimals = max(t.Kind, s.Kind), max(t.Decimals, s.Decimals)
	}
	for i := range g.values {
		s := &g.values[i]
		s.become(t)
		t.size = max(t.size, len(s.Text))
	}
	return g, t
}

// become writes a value as another type, so that all of a choice have one.
func (s *Slot) become(t SlotType) {
	switch {
	case s.Kind == SlotNull || s.Kind == SlotText:
	case t.Kind == SlotText:
		s.Kind, s.Text = SlotText, s.Append(nil)
	default:
		v, _ := file.Number{Value: s.Number, Decimals: int(s.Decimals)}.Scaled(int(t.Decimals))
		s.set(v, t.Decimals)
	}
}

func (c *compiler) text(t *file.Text) (generator, SlotType) {
	if t.Number == nil {
		g := &randomText{t.Length, t.Length}
		if t.Max > 0 {
			g = &randomText{t.Min, t.Max}
		}
		return g, SlotType{Kind: SlotText, size: g.longest}
	}
	const longestNumber = 21
	var own generator
	var inner SlotType
	from := t.Number.From
	if from != nil && from.Plus == nil {
		source := c.names[from.Name]
		own, inner = &known{slot: source}, c.p.Slots[source]
	} else {
		own, inner = c.generator(*t.Number)
	}
	size := max(len(t.Prefix)+longestNumber, t.Length+longestNumber, inner.size)
	return &numbered{t.Prefix, t.Length, own}, SlotType{Kind: SlotText, Varies: inner.Varies, size: size}
}

func newMoment(t *file.Time) generator {
	g := &moment{unit: 1e9}
	if t.From.Nanosecond() != 0 || t.To.Nanosecond() != 0 || t.Step.Std()%g.unit != 0 {
		g.unit = 1e3
	}
	in := func(m file.Moment) int64 { return m.UnixMicro() / g.unit.Microseconds() }
	g.from = in(t.From)
	if t.Step > 0 {
		g.step = int64(t.Step.Std() / g.unit)
		return g
	}
	g.span = uint64(min(in(t.To)-g.from, math.MaxInt64-1)) + 1
	return g
}
