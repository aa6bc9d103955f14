package report

func attributionSection() Section {
	return Section{
		ID:       "attribution",
		Shown:    func(d *Document) bool { return len(d.Attributions) > 0 },
		Sentence: whereFrom,
		Figures: []Figure{{
			ID: "fig-attribution", Chart: "attribution",
			Shown: func(d *Document) bool { return len(d.divided()) > 0 },
		}},
		Tables: attributionTables,
	}
}

// divided are the attributions with figures.
func (doc *Document) divided() []*Attribution {
	var all []*Attribution
	for i := range doc.Attributions {
		if doc.Attributions[i].Total != nil {
			all = append(all, &doc.Attributions[i])
		}
	}
	return all
}

func whereFrom(d *Document) string {
	var parts []string
	for i := range d.Attributions {
		a := &d.Attributions[i]
		s := a.Sentence
		if a.Total != nil {
			s += d.givesBack(a)
		}
		if a.Ladder {
			s += d.say("attribution.ladder")
		}
		parts = append(parts, s)
	}
	return d.words().list("sentences", parts)
}

// givesBack names what to take off first.
func (doc *Document) givesBack(a *Attribution) string {
	l := a.mostReturned()
	if l == nil {
		return ""
	}
	return doc.say("attribution.returns", "layer", l.Layer, "points", l.GivesBack.returned(a.digits()))
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

func attributionTables(d *Document) []Table {
	var all []Table
	for _, a := range d.divided() {
		all = append(all, layerTable(d, a))
		if len(a.Interactions) > 0 {
			all = append(all, interactionTable(d, a))
		}
	}
	return all
}

func layerTable(d *Document, a *Attribution) Table {
	t := Table{
		Caption: d.say("caption.layers", "from", inert(a.From), "to", inert(d.called(a.To, a.Threads)), "rounds", d.count(a.Rounds, "round")), Open: true,
		Head: d.heads("layer", "points", "in95", "share", "share-in", "any-order", "returns"),
	}
	n := a.digits()
	row := func(name string, p Part, share, shareIn, order, back string) {
		c := p.cost()
		t.Rows = append(t.Rows, []Cell{
			words(name), number(decimal(c.mid, n)), number(d.words().between(decimal(c.lo, n), decimal(c.hi, n))),
			number(share), number(shareIn), number(order), number(back),
		})
	}
	for _, l := range a.Layers {
		refused := d.say("cell.refused")
		share, in, back := refused, refused, d.say("cell.not-measured")
		if l.ShareInterval != nil {
			share = decimal(100*float64(l.Share), 0)
			in = d.words().between(decimal(100*float64(l.ShareInterval[0]), 0), decimal(100*float64(l.ShareInterval[1]), 0))
		}
		if l.GivesBack != nil {
			back = l.GivesBack.returned(n)
		}
		order := d.words().between(decimal(-float64(l.OrderRange[1]), n), decimal(-float64(l.OrderRange[0]), n))
		row(l.Layer, l.Part, share, in, order, back)
	}
	if a.Unexplained != nil {
		row(d.say("part.unexplained"), *a.Unexplained, "-", "-", "-", "-")
	}
	row(d.say("part.total"), *a.Total, "100", "-", "-", "-")
	return t
}

func interactionTable(d *Document, a *Attribution) Table {
	t := Table{
		Caption: d.say("caption.interactions", "arm", inert(d.called(a.To, a.Threads)), "rounds", d.count(a.Rounds, "round")),
		Head:    d.heads("layers", "points", "in95", "holm"),
	}
	n := a.digits()
	for _, x := range a.Interactions {
		c := x.cost()
		t.Rows = append(t.Rows, []Cell{
			words(d.words().list("and", x.Layers[:])), number(decimal(c.mid, n)),
			number(d.words().between(decimal(c.lo, n), decimal(c.hi, n))), number(decimal(float64(x.P), 4)),
		})
	}
	return t
}

func stepNumbers(s waterStep, digits int, all bool) string {
	if !all {
		return decimal(s.mid, digits)
	}
	return sized(s.mid, s.lo, s.hi, digits)
}
