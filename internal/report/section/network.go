package section

import (
	"slices"

	"github.com/tarebench/tare/internal/compare"
	"github.com/tarebench/tare/internal/report"
	"github.com/tarebench/tare/internal/report/language"
)

// linksSentence says which arms can be limited by bandwidth, and of none which is nearest.
func linksSentence(doc *report.Document) string {
	var busy []string
	var most *report.LinkUse
	unsure := false
	for i := range doc.Network.Links {
		u := &doc.Network.Links[i]
		unsure = unsure || u.Limited == string(compare.NotSure)
		if u.Limited == string(compare.Yes) || u.Share > compare.BusyLink {
			busy = append(busy, doc.Label(u.Arm, u.Threads)+" "+shareOf(doc, u))
		}
		if most == nil || u.Share > most.Share {
			most = u
		}
	}
	switch {
	case most == nil:
		return ""
	case len(busy) > 0:
		return doc.Say("network.busy", "limit", language.Decimal(100*compare.BusyLink, 0), "arms", doc.Language().List("list", busy))
	}
	if unsure {
		return doc.Say("network.unsure", "arm", doc.Label(most.Arm, most.Threads), "share", shareOf(doc, most))
	}
	return doc.Say("network.idle", "arm", doc.Label(most.Arm, most.Threads), "share", shareOf(doc, most))
}

// LinksMatter says whether a link limits an arm, or may.
func LinksMatter(doc *report.Document) bool {
	return slices.ContainsFunc(doc.Network.Links, func(u report.LinkUse) bool {
		return u.Limited != string(compare.No) || u.Share > compare.BusyLink
	})
}

// shareOf is in %, with its interval.
func shareOf(doc *report.Document, u *report.LinkUse) string {
	if u.Interval == nil {
		return doc.Say("network.share.bare", "share", language.Decimal(100*float64(u.Share), 1))
	}
	return doc.Say("network.share", "share", language.Decimal(100*float64(u.Share), 1), "lo", language.Decimal(100*max(0, float64(u.Interval[0])), 1), "hi", language.Decimal(100*float64(u.Interval[1]), 1))
}

// predictorHead is the head of a column of its values.
func predictorHead(doc *report.Document, name string) string {
	return map[string]string{
		compare.ByBandwidth: doc.Say("head.bandwidth"), compare.ByExchanges: doc.Say("head.request-response"), compare.ByNetworkTime: doc.Say("head.network-time"),
	}[name]
}

func capacityName(doc *report.Document, source string) string {
	return map[string]string{"configured": doc.Say("capacity.configured"), "link": doc.Say("capacity.link"), "measured": doc.Say("capacity.measured")}[source]
}

func answerName(doc *report.Document, answer string) string {
	return map[string]string{string(compare.Yes): doc.Say("limited.yes"), string(compare.No): doc.Say("limited.no"), string(compare.NotSure): doc.Say("limited.unknown")}[answer]
}

func networkSection() Section {
	return Section{
		ID:       "network",
		Shown:    func(d *report.Document) bool { return d.Network != nil },
		Sentence: NetworkSentence,
		Tables: func(d *report.Document) []Table {
			var all []Table
			for _, p := range d.Network.Predictions {
				all = append(all, predictionTable(d, p))
			}
			if len(d.Network.Links) > 0 {
				all = append(all, linkTable(d))
			}
			return all
		},
	}
}

// NetworkSentence says what predicts throughput, and whether a link is the limit.
func NetworkSentence(d *report.Document) string {
	var all []string
	for _, p := range d.Network.Predictions {
		all = append(all, p.Sentence)
	}
	if s := linksSentence(d); s != "" {
		all = append(all, s)
	}
	return d.Language().List("sentences", all)
}

// predictionTable has every arm's network and the errors of its predictions.
func predictionTable(d *report.Document, p report.NetworkPrediction) Table {
	t := Table{Open: true, Caption: d.Say("caption.predictions"), Head: []string{d.Say("head.arm")}}
	for _, one := range p.Predictors {
		t.Head = append(t.Head, predictorHead(d, one.Name))
	}
	for _, one := range p.Predictors {
		t.Head = append(t.Head, d.Say("head.error-of", "predictor", d.PredictorName(one.Name)))
	}
	for i := range d.Arms {
		a := &d.Arms[i]
		if _, known := p.Predictors[0].Values[a.Name]; !known || a.Threads != p.Threads {
			continue
		}
		row := []Cell{words(d.Label(a.Name, a.Threads))}
		for _, one := range p.Predictors {
			row = append(row, number(networkValue(one.Name, one.Values[a.Name])))
		}
		for _, one := range p.Predictors {
			said := dash(one.Errors[a.Name], 1)
			if _, outlying := one.Outliers[a.Name]; outlying {
				said += " *"
			}
			row = append(row, number(said))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// networkValue is a bandwidth in Mbit/s, a rate, or a time in ms.
func networkValue(predictor string, v report.Number) string {
	switch predictor {
	case compare.ByBandwidth:
		return dash(v*8/1e6, 0)
	case compare.ByNetworkTime:
		return dash(v*1e3, 2)
	}
	return dash(v, 0)
}

func linkTable(d *report.Document) Table {
	t := Table{Open: true, Caption: d.Say("caption.links"), Head: d.Heads("arm", "sent", "received", "capacity", "capacity-from", "link-share", "limited", "irq-byte")}
	for i := range d.Network.Links {
		u := &d.Network.Links[i]
		t.Rows = append(t.Rows, []Cell{
			words(d.Label(u.Arm, u.Threads)), number(dash(u.Sent*8/1e6, 1)), number(dash(u.Received*8/1e6, 1)), number(dash(u.Capacity*8/1e6, 0)),
			words(capacityName(d, u.Source)), number(shareOf(d, u)), words(answerName(d, u.Limited)), number(dash(u.IRQ, 2)),
		})
	}
	return t
}
