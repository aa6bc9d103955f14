package file

import (
	"strings"

	"github.com/tarebench/tare/internal/experiment"
)

// Value is how a parameter, a column or a value of a transaction is drawn. Exactly one
// field is set; the zero Value is NULL.
type Value struct {
	Constant *Scalar
	Uniform  *Uniform
	Zipf     *Zipf
	Sequence *Sequence
	Choice   []Weighted
	Text     *Text
	Time     *Time
	Query    *Query
	From     *From
}

// Scalar is a constant: a number or text.
type Scalar struct {
	Number *Number // nil for text
	Text   string
}

// Uniform draws every number from From to To with the same probability.
type Uniform struct {
	From Number `yaml:"from"`
	To   Number `yaml:"to"`
}

// Zipf draws number k of From to To, counted from 1, with a probability proportional to
// k^-Exponent. Scrambled spreads the frequent numbers over the range.
type Zipf struct {
	From      Number  `yaml:"from"`
	To        Number  `yaml:"to"`
	Exponent  float64 `yaml:"exponent"`
	Scrambled bool    `yaml:"scrambled"`
}

// Sequence counts from From. The connections of a load take turns, so that no two have
// the same number; a column counts its rows. After To, if given, it starts again.
type Sequence struct {
	From Number  `yaml:"from"`
	To   *Number `yaml:"to"`
}

// Weighted is one of several values.
type Weighted struct {
	// Value is nil for NULL.
	Value  *Scalar
	Weight Number
}

// Text draws letters and digits. With Number it is Prefix and that number, with zeros
// before it up to Length: the same number gives the same text, in a column and in a
// parameter.
type Text struct {
	Length int    `yaml:"length"`
	Min    int    `yaml:"min"`
	Max    int    `yaml:"max"`
	Prefix string `yaml:"prefix"`
	Number *Value `yaml:"number"`
}

// Time draws a time from From to To with the same probability, in whole seconds unless one
// has a fraction; with Step it counts from From, as Sequence does.
type Time struct {
	From Moment              `yaml:"from"`
	To   Moment              `yaml:"to"`
	Step experiment.Duration `yaml:"step"`
}

// Query draws from the first column of an answer: all rows with the same probability, or
// row k, counted from 1, in proportion to k^-Exponent. The query is run once, when the
// load starts.
type Query struct {
	SQL      string  `yaml:"sql"`
	Exponent float64 `yaml:"exponent"`
}

// From is a value that the transaction has already: drawn at its beginning, or taken from
// an answer. Plus is added to it.
type From struct {
	Name string
	Plus *Number
}

// kinds are the forms of a value, by their keys.
func (v *Value) kinds() map[string]func(experiment.Node) {
	return map[string]func(experiment.Node){
		"constant": func(n experiment.Node) { v.Constant = new(Scalar); n.Decode(v.Constant) },
		"uniform":  func(n experiment.Node) { v.Uniform = new(Uniform); n.Decode(v.Uniform) },
		"zipf":     func(n experiment.Node) { v.Zipf = &Zipf{Exponent: DefaultExponent}; n.Decode(v.Zipf) },
		"sequence": func(n experiment.Node) { v.Sequence = &Sequence{From: Number{Value: 1}}; n.Decode(v.Sequence) },
		"choice":   v.readChoice,
		"text":     func(n experiment.Node) { v.Text = new(Text); n.Decode(v.Text) },
		"time":     func(n experiment.Node) { v.Time = new(Time); n.Decode(v.Time) },
		"query":    func(n experiment.Node) { v.Query = new(Query); n.Decode(v.Query) },
		"from":     func(n experiment.Node) { v.from(); n.Decode(&v.From.Name) },
		"plus":     func(n experiment.Node) { v.from(); v.From.Plus = new(Number); n.Decode(v.From.Plus) },
	}
}

func (v *Value) from() {
	if v.From == nil {
		v.From = new(From)
	}
}

// DefaultExponent is that of a Zipf distribution without one: sysbench's.
const DefaultExponent = 0.8

// kindNames are the keys of a value in the order of the documentation.
func kindNames() []string {
	return []string{"uniform", "zipf", "sequence", "choice", "text", "time", "query", "from", "plus", "constant"}
}

// ReadNode reads a constant, or a mapping with one kind.
func (v *Value) ReadNode(n experiment.Node) {
	entries, ok := n.Entries()
	if !ok {
		if n.IsList() {
			n.Fail("expected a constant or one of %s, not a list; a choice is {choice: [a, b]}", strings.Join(kindNames(), ", "))
			return
		}
		v.Constant = new(Scalar)
		v.Constant.ReadNode(n)
		return
	}
	kinds, given := v.kinds(), []string{}
	for _, e := range entries {
		read, known := kinds[e.Key]
		if !known {
			e.At.Fail("unknown field; %s", experiment.Suggest(e.Key, kindNames()))
			continue
		}
		if e.Key != "plus" {
			given = append(given, e.Key)
		}
		read(e.Value)
	}
	switch {
	case len(entries) == 0:
		n.Fail("expected one of %s", strings.Join(kindNames(), ", "))
	case len(given) > 1:
		n.Fail("a value has one generator, but %s are given; keep one", strings.Join(given, " and "))
	case v.From != nil && v.From.Plus != nil && (len(given) != 1 || given[0] != "from"):
		n.Fail("plus is added to a value: {from: NAME, plus: 1}")
	}
}

// ReadNode reads a number, text, true or false.
func (s *Scalar) ReadNode(n experiment.Node) {
	text, quoted, _, ok := n.Scalar()
	if !ok {
		n.Fail("expected one value, not %s", n.Kind())
		return
	}
	if !quoted {
		switch text {
		case "true":
			text = "1"
		case "false":
			text = "0"
		}
		var number Number
		if number.UnmarshalText([]byte(text)) == nil {
			s.Number = &number
			return
		}
	}
	s.Text = text
}

// readChoice reads a list of values, each alone or as {value: 1, weight: 3}.
func (v *Value) readChoice(n experiment.Node) {
	v.Choice = []Weighted{}
	if !n.IsList() {
		n.Fail("expected a list, such as [new, paid, {value: shipped, weight: 3}], not %s", n.Kind())
		return
	}
	for _, item := range n.Items() {
		v.Choice = append(v.Choice, readWeighted(item))
	}
}

func readWeighted(n experiment.Node) Weighted {
	w := Weighted{Weight: Number{Value: 1}}
	value := n
	if entries, ok := n.Entries(); ok {
		found := false
		for _, e := range entries {
			switch e.Key {
			case "value":
				value, found = e.Value, true
			case "weight":
				e.Value.Decode(&w.Weight)
			default:
				e.At.Fail("unknown field; %s", experiment.Suggest(e.Key, []string{"value", "weight"}))
			}
		}
		if !found {
			n.Fail("expected a value: {value: shipped, weight: 3}")
			return w
		}
	}
	if _, _, null, ok := value.Scalar(); !ok || !null {
		w.Value = new(Scalar)
		w.Value.ReadNode(value)
	}
	return w
}

// ReadNode reads a query with its fields, or the SQL alone.
func (q *Query) ReadNode(n experiment.Node) {
	if _, ok := n.Entries(); ok {
		n.Fields(q)
		return
	}
	n.Decode(&q.SQL)
}
