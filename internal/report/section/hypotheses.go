package section

import (
	"github.com/tarebench/tare/internal/report"
)

func hypothesesSection() Section {
	return Section{
		ID:       "hypotheses",
		Shown:    func(d *report.Document) bool { return len(d.Hypotheses) > 0 },
		Sentence: hypothesesSentence,
		Tables:   func(d *report.Document) []Table { return []Table{hypothesisTable(d)} },
	}
}

func hypothesesSentence(d *report.Document) string {
	if d.Sealed() {
		return d.SealedSentence()
	}
	var all []string
	for _, h := range d.Hypotheses {
		all = append(all, h.Sentence)
	}
	return d.Language().List("sentences", all)
}

func hypothesisTable(d *report.Document) Table {
	t := Table{Caption: d.Say("caption.hypotheses"), Open: true, Head: d.Heads("claim", "arm", "expected", "support", "cost95")}
	for _, h := range d.Hypotheses {
		t.Rows = append(t.Rows, []Cell{words(h.Claim), words(h.Arm), words(d.Say("expect." + h.Expect)), words(d.Say("hypothesis." + h.Support)), words(d.CostsOf(h.Arm))})
	}
	return t
}
