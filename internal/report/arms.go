package report

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/tarebench/tare/internal/report/language"
	"github.com/tarebench/tare/internal/stats"
)

// Outcomes counts how the trials ended, in a fixed order.
func (doc *Document) Outcomes(a *Arm) string {
	var parts []string
	for _, o := range []string{"measured", "not-ready", "starved", "server-lost", "failed", "incomplete"} {
		if n := a.Outcomes[o]; n > 0 {
			parts = append(parts, doc.Say("outcomes."+o, "n", fmt.Sprint(n)))
		}
	}
	if len(parts) == 0 {
		return doc.Say("outcomes.none")
	}
	return doc.Language().List("list", parts)
}

// Outcome is how a trial ended, in words.
func (doc *Document) Outcome(o string) string {
	if w := doc.Say("outcome." + o); w != "" {
		return w
	}
	return strings.ReplaceAll(o, "-", " ")
}

// TrialsOf are the trials of an arm at its level of the load.
func (doc *Document) TrialsOf(a *Arm) []*Trial {
	var all []*Trial
	for i := range doc.Trials {
		if t := &doc.Trials[i]; t.Arm == a.Name && t.Threads == a.Threads {
			all = append(all, t)
		}
	}
	return all
}

// Highest is the fastest second of the run: every line has the same scale.
func Highest(doc *Document) float64 {
	top := 0.0
	for i := range doc.Trials {
		for _, v := range Window(&doc.Trials[i]) {
			top = math.Max(top, v)
		}
	}
	return top
}

// Window is the measured seconds of a trial.
func Window(t *Trial) []float64 {
	var all []float64
	for i, v := range t.TPS {
		if !t.Warmup[i] && v.Known() {
			all = append(all, float64(v))
		}
	}
	return all
}

// LevelsChecked is whether the test for two levels of throughput had a trial that is long enough.
func LevelsChecked(doc *Document) bool {
	return slices.ContainsFunc(doc.Trials, func(t Trial) bool { return t.Outcome == "measured" && len(Window(&t)) >= stats.TwoStatesMin })
}

// throttled says in how many scheduler periods the arm had used up its quota.
func (doc *Document) throttled(a *Arm) string {
	if a.Throttled == nil {
		return ""
	}
	percent := 100 * float64(a.Throttled.Share)
	digits := 0
	if percent > 0 && percent < 1 || percent > 99 && percent < 100 { // neither never nor always
		digits = 1
	}
	return doc.Say("arm.throttled", "share", language.Decimal(percent, digits), "periods", language.Decimal(float64(a.Throttled.Periods), 0))
}

// Held is what kept the server from running: its quota, and others on the CPU.
func (doc *Document) Held(a *Arm) []string {
	var parts []string
	if t := doc.throttled(a); t != "" {
		parts = append(parts, t)
	}
	if a.CPUWait.Known() {
		parts = append(parts, doc.Say("arm.waited", "s", language.Decimal(float64(a.CPUWait), 2)))
	}
	return parts
}

// Sealed says that the run is not finished, so that nothing is compared.
func (doc *Document) Sealed() bool {
	return len(doc.Contrasts) > 0 && doc.Contrasts[0].Verdict == "sealed"
}

// SealedSentence says why nothing is compared. A document that came as JSON may
// have no headline.
func (doc *Document) SealedSentence() string {
	if len(doc.Headline) == 0 {
		return doc.Say("sealed")
	}
	return doc.Headline[0]
}

// Baseline is the name of the arm that the others are compared with; "" without one.
func (doc *Document) Baseline() string {
	for _, a := range doc.Arms {
		if a.Baseline {
			return a.Name
		}
	}
	return ""
}

// Called tells the levels of an arm apart where the run has several.
func (doc *Document) Called(arm string, threads int) string {
	if len(doc.Levels()) < 2 {
		return arm
	}
	return doc.Say("arm.at", "arm", arm, "threads", doc.Count(threads, "thread"))
}

// Label is called in as few letters as a table or a picture has.
func (doc *Document) Label(arm string, threads int) string {
	if len(doc.Levels()) < 2 {
		return arm
	}
	return fmt.Sprintf("%s x%d", arm, threads)
}

// Levels are the numbers of threads that the arms were measured with: the same ones for all but in logs.
func (doc *Document) Levels() []int {
	var all []int
	for _, a := range doc.Arms {
		if !slices.Contains(all, a.Threads) {
			all = append(all, a.Threads)
		}
	}
	return all
}

// Quoted is the percentile that is quoted of all arms: "95" where one has it, else the highest that
// one has; "" where none has any.
func (doc *Document) Quoted() string {
	quoted, highest := "", 0.0
	for i := range doc.Arms {
		a := &doc.Arms[i]
		if p95 := doc.Percentile(a, "95"); p95.Known() && p95 > 0 {
			return "95"
		}
		if a.Latency == nil || doc.NoTail(a) != "" {
			continue
		}
		for name, v := range a.Latency.Percentiles {
			if p, err := strconv.ParseFloat(name, 64); err == nil && p > highest && v.Known() && v > 0 {
				quoted, highest = name, p
			}
		}
	}
	return quoted
}

// Arm is an arm at a level of the load; nil where the run has none.
func (doc *Document) Arm(name string, threads int) *Arm {
	for i := range doc.Arms {
		if a := &doc.Arms[i]; a.Name == name && a.Threads == threads {
			return a
		}
	}
	return nil
}
