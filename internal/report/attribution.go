package report

import (
	"fmt"
	"math"

	"github.com/tarebench/tare/internal/compare"
	"github.com/tarebench/tare/internal/report/language"
)

// Attribution is which layer owns how much of the change of throughput from From
// to To, at one level of the load. Sizes are points: % of From, negative =
// slower; layers and unexplained add up to total.
type Attribution struct {
	From string `json:"from"`
	To   string `json:"to"`
	// Stack is the arm with all layers, from which one is removed where GivesBack is measured. It is To
	// unless the experiment names another arm that the layers should add up to.
	Stack   string `json:"stack"`
	Threads int    `json:"threads"`
	Rounds  int    `json:"rounds"`
	// Ladder says that chains of layers were measured, not all combinations;
	// Orders is in how many orders the layers could be switched on.
	Ladder bool        `json:"ladder"`
	Orders Number      `json:"orders"`
	Total  *Part       `json:"total"`
	Layers []LayerPart `json:"layers"`
	// Unexplained is null where To is the stack of the layers itself.
	Unexplained  *Part         `json:"unexplained"`
	Interactions []Interaction `json:"interactions"`
	// Serial is the dependence on the round before of the part, or the total, in which it is clearest; it is
	// left out where none is found.
	Serial *Serial `json:"serial,omitempty"`
	// Verdict and Reason, the sentence of Reasons, say why there are no figures; "" when there are.
	Verdict  string           `json:"verdict"`
	Reason   string           `json:"reason"`
	Reasons  []compare.Reason `json:"reasons"`
	Sentence string           `json:"sentence"`
}

// Part is a size in points with its 95 % interval.
type Part struct {
	Points   Number    `json:"points"`
	Interval [2]Number `json:"interval"`
}

// LayerPart is one layer's part.
type LayerPart struct {
	Layer string `json:"layer"`
	Part
	// Share of the total, 1 for all of it; its interval is null where the total is
	// not known well enough to divide by.
	Share         Number     `json:"share"`
	ShareInterval *[2]Number `json:"share_interval"`
	// OrderRange is the least and the most that adding the layer changes in any
	// order, in points.
	OrderRange [2]Number `json:"order_range"`
	// GivesBack is what taking this layer alone off the full stack returns.
	GivesBack *Part `json:"gives_back"`
}

// Interaction is by how much two layers together cost more than they do one after the other.
type Interaction struct {
	Layers [2]string `json:"layers"`
	Part
	P Number `json:"p"` // two-sided, Holm over all pairs of layers
}

func attribution(a compare.Attribution) Attribution {
	out := Attribution{
		From: text(a.From), To: text(a.To), Stack: text(a.Stack), Threads: a.Threads, Rounds: a.Rounds, Ladder: a.Ladder, Orders: Number(a.Orders),
		Layers: []LayerPart{}, Interactions: []Interaction{}, Verdict: string(a.Verdict), Reasons: reasonsOf(a.Reasons),
	}
	if len(a.Reasons) > 0 {
		return out
	}
	total := part(a.Total)
	out.Total, out.Serial = &total, serial(a.Serial)
	for _, l := range a.Layers {
		p := LayerPart{
			Layer: text(l.Name), Part: part(l.Part), Share: Number(l.Share), ShareInterval: intervalOf(l.ShareInterval),
			OrderRange: [2]Number{Number(l.OrderLo), Number(l.OrderHi)},
		}
		if l.GivesBack != nil {
			back := part(*l.GivesBack)
			p.GivesBack = &back
		}
		out.Layers = append(out.Layers, p)
	}
	if a.Unexplained != nil {
		rest := part(*a.Unexplained)
		out.Unexplained = &rest
	}
	for _, x := range a.Interactions {
		out.Interactions = append(out.Interactions, Interaction{[2]string{text(x.Layers[0]), text(x.Layers[1])}, part(x.Part), Number(x.HolmP)})
	}
	return out
}

func part(p compare.Part) Part {
	return Part{Number(p.Points), [2]Number{Number(p.Interval.Lo), Number(p.Interval.Hi)}}
}

// Cost is a part with its sign turned: positive = slower.
func (p Part) Cost() Cost { return turn(p.Points, p.Interval) }

// words is a part as a cost with its interval.
func (p Part) words(digits int) string {
	c := p.Cost()
	return sized(c.Mid, c.Lo, c.Hi, digits)
}

// Returned is a part as what its removal returns, which is not a cost: its sign stays.
func (p Part) Returned(digits int) string {
	return sized(float64(p.Points), float64(p.Interval[0]), float64(p.Interval[1]), digits)
}

// sized is a size with its interval.
func sized(mid, lo, hi float64, digits int) string {
	return fmt.Sprintf("%s [%s, %s]", language.Decimal(mid, digits), language.Decimal(lo, digits), language.Decimal(hi, digits))
}

// Digits serve all parts of an attribution: those of its narrowest interval.
func (a *Attribution) Digits() int {
	n := a.Total.Cost().Digits()
	for _, l := range a.Layers {
		n = max(n, l.Cost().Digits())
	}
	return min(n, 2)
}

// attributionSentence is the answer to "where from"; shares and what a removal
// gives back stand in the section.
func (doc *Document) attributionSentence(a *Attribution) string {
	to := doc.Called(a.To, a.Threads)
	if a.Total == nil {
		return doc.Say("attribution.none", "arm", to, "reason", a.Reason)
	}
	n := a.Digits()
	var parts []string
	for _, l := range a.Layers {
		parts = append(parts, l.Layer+" "+l.words(n))
	}
	key, points := "attribution", a.Total.words(n)
	switch total := a.Total.Cost(); {
	case total.Lo <= 0 && total.Hi >= 0:
		key = "attribution.unclear"
	case total.Mid < 0:
		key, points = "attribution.faster", a.Total.Returned(n)
	}
	s := doc.Say(key, "arm", to, "base", a.From, "points", points, "parts", doc.Language().List("list", parts))
	if a.Unexplained != nil {
		s += doc.Say("attribution.unexplained", "points", a.Unexplained.words(n))
	}
	s += doc.Say("attribution.intervals", "rounds", doc.Count(a.Rounds, "round"))
	if d := a.Serial; d != nil {
		s += doc.Say("attribution.depend", "rho", language.Decimal(float64(d.Correlation), 2), "p", language.Decimal(float64(d.P), 3))
	}
	return s
}

// Steps are the bars of a waterfall in costs: each part from where the one before
// ended, then the total from zero.
func (a *Attribution) Steps(l *language.Language) []WaterStep {
	var all []WaterStep
	at := 0.0
	add := func(name string, p Part) {
		c := p.Cost()
		all = append(all, WaterStep{Name: name, From: at, To: at + c.Mid, Cost: c})
		at += c.Mid
	}
	for _, p := range a.Layers {
		add(p.Layer, p.Part)
	}
	if a.Unexplained != nil {
		add(l.Say("part.unexplained"), *a.Unexplained)
		all[len(all)-1].Unexplained = true
	}
	at = 0
	add(l.Say("part.total"), *a.Total)
	all[len(all)-1].Total = true
	return all
}

// WaterStep is one bar: from where to where, in points of cost.
type WaterStep struct {
	Name     string
	From, To float64
	Total    bool
	// Unexplained is what no layer owns.
	Unexplained bool
	Cost
}

// Colour of a bar: the page's token, and one of the terminal's own 16.
func (w WaterStep) Colour() (token, ansi string) {
	switch {
	case w.Total:
		return "neutral", "36"
	case w.Mid < 0:
		return "gain", "34"
	}
	return "cost", "33"
}

// WaterScale holds all bars, their intervals, and zero.
func WaterScale(steps []WaterStep) Scale {
	s := Scale{0, 0}
	for _, w := range steps {
		for _, v := range []float64{w.To, w.From + w.Lo, w.From + w.Hi} {
			s.Lo, s.Hi = math.Min(s.Lo, math.Max(v, -100)), math.Max(s.Hi, math.Min(v, 100))
		}
	}
	pad := math.Max((s.Hi-s.Lo)*0.05, 0.05)
	return Scale{s.Lo - pad, s.Hi + pad}
}

// Divided are the attributions with figures.
func (doc *Document) Divided() []*Attribution {
	var all []*Attribution
	for i := range doc.Attributions {
		if doc.Attributions[i].Total != nil {
			all = append(all, &doc.Attributions[i])
		}
	}
	return all
}

// GivesBack names what to take off first.
func (doc *Document) GivesBack(a *Attribution) string {
	l := a.mostReturned()
	if l == nil {
		return ""
	}
	key := "attribution.returns"
	if a.Stack != a.To {
		key = "attribution.returns.of"
	}
	return doc.Say(key, "layer", l.Layer, "arm", doc.Called(a.Stack, a.Threads), "points", l.GivesBack.Returned(a.Digits()))
}

// mostReturned is the layer whose removal alone surely returns something, and the
// most; nil where none does.
func (a *Attribution) mostReturned() *LayerPart {
	var best *LayerPart
	for i := range a.Layers {
		l := &a.Layers[i]
		if l.GivesBack == nil || float64(l.GivesBack.Interval[0]) <= 0 {
			continue
		}
		if best == nil || l.GivesBack.Points > best.GivesBack.Points {
			best = l
		}
	}
	return best
}

// StepNumbers is the size of a step, with its interval where all is shown.
func StepNumbers(s WaterStep, digits int, all bool) string {
	if !all {
		return language.Decimal(s.Mid, digits)
	}
	return sized(s.Mid, s.Lo, s.Hi, digits)
}
