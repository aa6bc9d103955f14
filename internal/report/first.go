package report

import (
	"html/template"
	"math"
	"strings"
)

// answer is a verdict with its sentence.
type answer struct {
	Glyph, Word, Token, Sentence string
}

// answers are the verdicts in words and whatever else the headline says.
func answers(doc *Document) []answer { return append(verdicts(doc), asides(doc)...) }

// verdicts are what the page opens with.
func verdicts(doc *Document) []answer {
	if doc.sealed() {
		m := markOf("sealed")
		return []answer{{m.glyph, doc.words().word("sealed"), m.token, doc.sealedSentence()}}
	}
	var all []answer
	for _, c := range doc.Contrasts {
		m := markOf(c.Verdict)
		all = append(all, answer{m.glyph, doc.words().word(c.Verdict), m.token, long(c.Sentence)})
	}
	return all
}

// asides are the sentences after the verdicts: the instrument's own check, where
// the cost comes from, levels.
func asides(doc *Document) []answer {
	if doc.sealed() {
		return nil
	}
	var all []answer
	for _, h := range doc.Headline[min(len(doc.Contrasts), len(doc.Headline)):] {
		all = append(all, answer{"", "", "neutral", long(h)})
	}
	return all
}

// opening is the first screen: the verdicts, what else a reader must know before
// quoting them, where the cost goes, and what to do.
type opening struct {
	Verdicts []answer
	Asides   []answer
	Goes     []goes
	Next     []Step
}

func openingOf(doc *Document) opening {
	o := opening{Verdicts: verdicts(doc), Next: doc.Next}
	told := map[string]bool{}
	for _, a := range doc.divided() {
		told[long(a.Sentence)] = true // drawn beside the steps
		o.Goes = append(o.Goes, whereItGoes(doc, a))
	}
	for _, a := range asides(doc) {
		if !told[a.Sentence] {
			o.Asides = append(o.Asides, a)
		}
	}
	return o
}

// goes is a waterfall in the fewest words.
type goes struct {
	Title string
	Parts []goesPart
}

// goesPart is a layer, what is unexplained, or the total.
type goesPart struct {
	Name, Size, Interval string
	Bar                  template.HTML
	Total                bool
}

func whereItGoes(doc *Document, a *Attribution) goes {
	n := a.digits()
	g := goes{Title: doc.say("goes.title", "points", decimal(a.Total.cost().mid, n), "arm", doc.called(a.To, a.Threads))}
	steps := a.steps(doc.words())
	scale := waterScale(steps)
	for _, s := range steps {
		g.Parts = append(g.Parts, goesPart{
			Name: inert(s.Name), Size: decimal(s.mid, n), Interval: doc.words().between(decimal(s.lo, n), decimal(s.hi, n)),
			Bar: miniBar(scale, s), Total: s.Total,
		})
	}
	return g
}

// miniBar is one step of the waterfall on a line of its own.
func miniBar(s scale, w waterStep) template.HTML {
	const width, height = 200.0, 16.0
	x := func(v float64) float64 { return math.Min(1, math.Max(0, s.at(v))) * width }
	c := newCanvas(width, height, "mini", "")
	c.line(x(0), 0, x(0), height, "zero")
	token, _ := w.colour()
	class := "bar f-" + token
	if w.Unexplained {
		class = "bar hatched s-" + token
	}
	from, to := x(math.Min(w.From, w.To)), x(math.Max(w.From, w.To))
	c.rect(from, 3, math.Max(1.5, to-from), height-6, class)
	return template.HTML(strings.Replace(string(c.done()), ` role="img"`, ` aria-hidden="true" preserveAspectRatio="none"`, 1))
}
