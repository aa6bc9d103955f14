package page

import "github.com/tarebench/tare/internal/report"

// quoted are the texts of a document that the charts show, in the language of said: by the
// text of the document that the page holds, which is the run's own. Names are not texts.
func quoted(doc, said *report.Document) map[string]string {
	all := map[string]string{}
	add := func(text, in string) {
		if text != "" && text != in {
			all[text] = in
		}
	}
	for i := range min(len(doc.Contrasts), len(said.Contrasts)) {
		add(doc.Contrasts[i].Reason, said.Contrasts[i].Reason)
	}
	for i := range doc.Trials {
		add(doc.Trials[i].Reason, said.Ended(doc.Trials[i].Reason))
	}
	for _, e := range doc.Explained {
		for _, f := range e.Findings {
			add(f.Title, said.RuleName(f))
		}
	}
	for _, s := range doc.Probes.Series {
		add(s.Help, said.Language().Metric(s.Metric, s.Help))
	}
	return all
}
