package language

import (
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/tarebench/tare/internal/compare"
	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/report/safe"
)

// Between is two bounds in words.
func (l *Language) Between(lo, hi string) string { return l.Say("number.between", "lo", lo, "hi", hi) }

// Verdict is a verdict's name within a text or a table.
func (l *Language) Verdict(v string) string {
	if w := l.Say("word." + v); w != "" {
		return w
	}
	return safe.Name(v)
}

// Word is a verdict's name, as it stands before its sentence.
func (l *Language) Word(verdict string) string {
	if w := l.Say("verdict." + verdict); w != "" {
		return w
	}
	return strings.ToUpper(verdict)
}

// Span is a duration with its two largest units.
func (l *Language) Span(d time.Duration) string {
	d = d.Round(time.Minute)
	h, m := int(d.Hours()), int(d.Minutes())%60
	switch {
	case h >= 48:
		return l.Count((h+12)/24, "day")
	case h > 0:
		return l.Say("time.hours", "h", fmt.Sprint(h), "m", fmt.Sprint(m))
	case m > 0:
		return l.Say("time.minutes", "m", fmt.Sprint(m))
	}
	return l.Say("time.minute")
}

// Duration is a duration to its last unit, where Span would round it.
func (l *Language) Duration(d time.Duration) string { return l.duration(d.String()) }

// durationPart is a part of what time.Duration writes: 27m43s has two.
var durationPart = regexp.MustCompile(`([0-9.]+)(h|ms|m|s|µs|ns)`)

// duration is what time.Duration wrote, with its units in this language.
func (l *Language) duration(written string) string {
	units := map[string]string{
		"h": "duration.hours", "m": "duration.minutes", "s": "duration.seconds",
		"ms": "duration.milliseconds", "µs": "duration.microseconds", "ns": "duration.nanoseconds",
	}
	return strings.TrimSpace(durationPart.ReplaceAllStringFunc(written, func(part string) string {
		m := durationPart.FindStringSubmatch(part)
		return l.Say(units[m[2]], "n", m[1])
	}))
}

// asDuration is [Language.duration] of what time.Duration wrote, and anything else as it is.
func (l *Language) asDuration(written string) string {
	if _, err := time.ParseDuration(written); err != nil {
		return written
	}
	return l.duration(written)
}

// Gate is what a gate is called, or its own name where a later version has made it.
func (l *Language) Gate(name string) string {
	if w := l.Say("gate." + name); w != "" {
		return w
	}
	return name
}

// Place is a place where a transaction spends time, in this language; a statement keeps
// its own name.
func (l *Language) Place(name string) string {
	if key, ok := places()[name]; ok {
		return l.Say(key)
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
		compare.SpentLogRest: "spent.log-rest", compare.SpentRestNetwork: "spent.rest-network",
		record.SpentClient: "spent.client", record.SpentQueued: "spent.queued", record.SpentLate: "spent.late", record.SpentFailed: "spent.failed",
	}
}

// Why is the sentence of why a protocol was taken; "" of a later version's reason. The
// memory of a layer is a code, whose name and source the language has; a duration stands as
// time.Duration writes it.
func (l *Language) Why(r experiment.Reason) string {
	var slots []string
	for name, value := range r.Arguments {
		value = safe.Name(value)
		switch name {
		case "memory":
			slots = append(slots, "layer", l.Say("memory."+value), "source", l.Say("memory."+value+".source"))
			continue
		case "time", "most", "frozen": // of "aio", most is a number
			value = l.asDuration(value)
		}
		slots = append(slots, name, value)
	}
	return l.Say("protocol.why."+r.Code, slots...)
}
