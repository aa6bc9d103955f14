package report

// This file is what others used of the machine, in figures and in words.

import (
	"fmt"
	"math"

	"github.com/tarebench/tare/internal/compare"
	"github.com/tarebench/tare/internal/report/language"
)

// OthersCPU is a share of the CPU time of the machine, from 0 to 1, over all trials; null where unknown.
type OthersCPU struct {
	// Machine is whose CPU time: "servers" where tare and the servers share it, "load" for that of tare and the load
	// generators alone, "node" for that of servers elsewhere.
	Machine string `json:"machine"`
	// Nodes are the servers' nodes of a cluster, where their machine is that; left out for servers in no cluster.
	Nodes     []string `json:"nodes,omitempty"`
	Processes Number   `json:"processes_share"` // that are neither tare nor of an arm
	Steal     Number   `json:"steal_share"`
	// Limit is the share from which on no contrast has a verdict, and Busy says that the two reach it together.
	Limit Number `json:"limit_share"`
	Busy  bool   `json:"busy"`
	// Busiest are the processes that used most; empty in records of older versions.
	Busiest []BusyProcess `json:"busiest"`
	// Arms are what the machine did while each arm was loaded; empty where no trial was watched.
	Arms []ArmOthers `json:"arms"`
}

// BusyProcess is what the processes of one name used.
type BusyProcess struct {
	Name  string `json:"name"`
	Share Number `json:"share"`
}

// ArmOthers is what the machine did while an arm at a level was loaded: shares of the CPU time and of the time,
// from 0 to 1; null where unknown.
type ArmOthers struct {
	Arm            string `json:"arm"`
	Threads        int    `json:"threads"`
	Processes      Number `json:"processes_share"`
	Most           Number `json:"most_share"` // of the sample, about a second, in which other processes used most
	Steal          Number `json:"steal_share"`
	CPUPressure    Number `json:"cpu_pressure"`
	MemoryPressure Number `json:"memory_pressure"`
	IOPressure     Number `json:"io_pressure"`
	DiskBusy       Number `json:"disk_busy"`
}

func othersCPU(o compare.Others) *OthersCPU {
	if math.IsNaN(o.Processes) && math.IsNaN(o.Steal) {
		return nil
	}
	machine := map[compare.CPUOf]string{compare.OfServers: "servers", compare.OfLoad: "load", compare.OfNode: "node"}[o.CPU]
	out := &OthersCPU{Machine: machine, Processes: Number(o.Processes), Steal: Number(o.Steal), Limit: Number(o.Limit), Busy: o.Busy(), Busiest: []BusyProcess{}, Arms: []ArmOthers{}}
	for _, name := range o.Nodes {
		out.Nodes = append(out.Nodes, text(name))
	}
	for _, b := range o.Busiest {
		out.Busiest = append(out.Busiest, BusyProcess{text(b.Name), Number(b.Share)})
	}
	for _, a := range o.ByArm {
		out.Arms = append(out.Arms, ArmOthers{
			Arm: text(a.Arm), Threads: a.Threads, Processes: Number(a.Processes), Most: Number(a.Most), Steal: Number(a.Steal),
			CPUPressure: Number(a.CPUPressure), MemoryPressure: Number(a.Memory), IOPressure: Number(a.IO), DiskBusy: Number(a.Disk),
		})
	}
	return out
}

// tellFrom is the share of the machine's CPU time from which on the reader is tellFrom what others used: less
// than a twentieth is what any system has (the journal, the monitoring).
const tellFrom = 0.05

// Told says that others used so much that a reader has to know it.
func (o *OthersCPU) Told() bool {
	return o != nil && (o.Processes.Known() && o.Processes >= tellFrom || o.Steal.Known() && o.Steal >= tellFrom)
}

// cpuTime are the words for the CPU time that the shares are of.
func (doc *Document) cpuTime() string {
	o := doc.Run.OthersCPU
	nodes := doc.Language().List("list", o.Nodes)
	switch named := len(o.Nodes) > 0; {
	case o.Machine == "load":
		return doc.Say("others.of.load")
	case o.Machine == "node" && named:
		return doc.Say("others.of.node.named", "nodes", nodes)
	case o.Machine == "node":
		return doc.Say("others.of.node")
	case named:
		return doc.Say("others.of.servers.named", "nodes", nodes)
	}
	return doc.Say("others.of.servers")
}

// Names are the processes that used most, with their shares: " (stress-ng 61 %, cc1 8 %)"; "" without any.
func (doc *Document) busiest() string {
	var all []string
	for _, b := range doc.Run.OthersCPU.Busiest {
		all = append(all, doc.Say("others.name", "name", b.Name, "share", percent(b.Share)))
	}
	if len(all) == 0 {
		return ""
	}
	return doc.Say("others.names", "names", doc.Language().List("list", all))
}

func percent(share Number) string { return fmt.Sprintf("%.0f", 100*float64(share)) }

// othersLines say how busy the machine was with something else.
func (doc *Document) othersLines() (lines []string) {
	o := doc.Run.OthersCPU
	if !o.Told() {
		return nil
	}
	processes, steal := "headline.others", "headline.steal"
	if o.Busy {
		processes, steal = doc.OfVersus("headline.others.busy", "headline.others.busy.versus"), "headline.steal.busy"
	}
	if o.Processes.Known() && o.Processes >= tellFrom {
		lines = append(lines, doc.Say(processes, "share", percent(o.Processes), "names", doc.busiest(), "of", doc.cpuTime()))
	}
	if o.Steal.Known() && o.Steal >= tellFrom {
		lines = append(lines, doc.Say(steal, "share", percent(o.Steal), "of", doc.cpuTime()))
	}
	return lines
}

// busySentence is that of a contrast without a verdict because others used the machine: what was observed is of
// both arms beside the same load.
func (doc *Document) busySentence(c *Contrast) string {
	again := ""
	if doc.toldBusy(c) {
		again = ".again"
	}
	if c.Interval == nil {
		l := doc.Language()
		var also []string
		for _, r := range c.Reasons[1:] {
			also = append(also, l.Reason(r))
		}
		return doc.Say("sentence.busy.none"+again, "arm", doc.Called(c.Arm, c.Threads), "base", c.Baseline, "why", l.Reason(c.Reasons[0]), "also", l.List("clauses", also))
	}
	cost := CostOf(c)
	slots := []string{"arm", doc.Called(c.Arm, c.Threads), "base", c.Baseline, "rounds", doc.rounds(c), "span", span(doc.Language(), cost),
		"hi", language.Decimal(cost.Hi, cost.Digits())}
	key := "sentence.busy"
	if cost.Lo < -language.Farthest {
		key += unbounded(cost)
		slots = append(slots, "least", language.Decimal(-cost.Hi, cost.Digits()))
	}
	s := doc.Say(key+again, append(slots, "why", doc.Language().Reason(c.Reasons[0]))...)
	for _, r := range c.Reasons[1:] {
		if r.Code == "yields" {
			s += " " + doc.Language().Reason(r)
		}
	}
	return s
}

// toldBusy says that the sentence of a contrast before c has what others used.
func (doc *Document) toldBusy(c *Contrast) bool {
	l := doc.Language()
	for i := range doc.Contrasts {
		before := &doc.Contrasts[i]
		if before == c {
			return false
		}
		if before.NoVerdict == NoVerdictBusy && len(before.Reasons) > 0 && l.Reason(before.Reasons[0]) == l.Reason(c.Reasons[0]) {
			return true
		}
	}
	return false
}

// span is an interval of a cost in words: a minus before a cost is read as a loss. A lower end of the cost that is not
// determined is not named.
func span(l *language.Language, c Cost) string {
	n := c.Digits()
	switch {
	case c.Lo < -language.Farthest && c.Hi <= 0:
		return l.Say("span.faster.unbounded", "least", language.Decimal(-c.Hi, n))
	case c.Lo < -language.Farthest:
		return l.Say("span.slower.unbounded", "most", language.Decimal(c.Hi, n))
	case c.Hi <= 0:
		return l.Say("span.faster", "lo", language.Decimal(-c.Hi, n), "hi", language.Decimal(-c.Lo, n))
	case c.Lo >= 0:
		return l.Say("span.slower", "lo", language.Decimal(c.Lo, n), "hi", language.Decimal(c.Hi, n))
	}
	return l.Say("span.both", "faster", language.Decimal(-c.Lo, n), "slower", language.Decimal(c.Hi, n))
}
