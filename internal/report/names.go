package report

import (
	"fmt"
	"strings"
	"time"

	"github.com/tarebench/tare/internal/compare"
	"github.com/tarebench/tare/internal/record"
)

// between is two bounds in words.
func (l *Language) between(lo, hi string) string { return l.say("number.between", "lo", lo, "hi", hi) }

// verdict is a verdict's name within a text or a table.
func (l *Language) verdict(v string) string {
	if w := l.say("word." + v); w != "" {
		return w
	}
	return inert(v)
}

// word is a verdict's name, as it stands before its sentence.
func (l *Language) word(verdict string) string {
	if w := l.say("verdict." + verdict); w != "" {
		return w
	}
	return strings.ToUpper(verdict)
}

// span is a duration with its two largest units.
func (l *Language) span(d time.Duration) string {
	d = d.Round(time.Minute)
	h, m := int(d.Hours()), int(d.Minutes())%60
	switch {
	case h >= 48:
		return l.count((h+12)/24, "day")
	case h > 0:
		return l.say("time.hours", "h", fmt.Sprint(h), "m", fmt.Sprint(m))
	case m > 0:
		return l.say("time.minutes", "m", fmt.Sprint(m))
	}
	return l.say("time.minute")
}

// gate is what a gate is called, or its own name where a later version has made it.
func (l *Language) gate(name string) string {
	if w := l.say("gate." + name); w != "" {
		return w
	}
	return name
}

// place is a place where a transaction spends time, in this language; a statement keeps
// its own name.
func (l *Language) place(name string) string {
	if key, ok := places()[name]; ok {
		return l.say(key)
	}
	return name
}

// places are the keys of the names that compare and the load engine give to parts of a
// transaction's time.
func places() map[string]string {
	return map[string]string{
		compare.SpentWhole: "budget.whole", compare.SpentCPU: "spent.cpu", compare.SpentThrottled: "spent.throttled",
		compare.SpentWaiting: "spent.waiting", compare.SpentLock: "spent.lock", compare.SpentRead: "spent.read",
		compare.SpentLog: "spent.log", compare.SpentRest: "spent.rest", compare.SpentNetwork: "spent.network",
		compare.SpentRestNetwork: "spent.rest-network",
		record.SpentClient:       "spent.client", record.SpentQueued: "spent.queued", record.SpentLate: "spent.late", record.SpentFailed: "spent.failed",
	}
}
