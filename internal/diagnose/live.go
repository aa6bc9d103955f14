package diagnose

// This file is lint on a server that runs: the rules that its variables and the
// limits of its cgroup decide, and what its quota has done since it began.

import (
	"slices"

	"github.com/tarebench/tare/internal/compare"
	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/keys"
	"github.com/tarebench/tare/internal/manifest"
)

// liveRules are those that need no manifest. The others ask for what a running
// server does not show: probes, volumes, the class of its pod.
func liveRules() []string {
	return []string{"K-CFS-02", "K-DNS-01", "M-DUR-02", "M-DUR-03", "M-REDO-01", "M-IO-02", "M-IO-05", "M-BP-01", "M-BP-02", "M-BP-04", "M-CPU-02", "M-LOG-01", "M-GAL-02"}
}

// Live is what the rules say of a server that runs. host is the machine's memory
// in bytes; counters are those of its cgroup since that was made.
func Live(r manifest.Running, host int64, counters map[string]float64, rules []Rule) Result {
	c := Case{DB: r.Database(), Set: &manifest.Set{}}
	if r.Bounds != "" { // else it may be on another machine
		c.Machine = host
	}
	out := Result{Databases: []Summary{Summary{Title: c.DB.Title(), Where: manifest.Spot{File: c.DB.Object.Name}}.saying(running(&c, host))}}
	rules = slices.DeleteFunc(slices.Clone(rules), func(r Rule) bool { return !slices.Contains(liveRules(), r.ID) })
	out.Findings = judged(&c, unjudged(&c, rules), rules)
	if r.Bounds != "" {
		out.Findings = append(out.Findings, observe(cCPU01(), quotaSince(r, counters))...)
	}
	for i := range out.Findings {
		f := &out.Findings[i]
		if f.Where.File == "" {
			f.Where.File = r.Bounds
		}
		f.Where = manifest.Spot{File: f.Where.File} // no line: it is a variable or a cgroup
		f.Edits, f.Proposed = nil, nil
	}
	return out
}

// quotaSince is the cgroup as a run would have seen it, from its beginning on.
func quotaSince(r manifest.Running, counters map[string]float64) *Observed {
	arm := &compare.Arm{Name: "server " + r.Name, Target: "container"}
	for _, name := range []string{keys.CgroupCPUNrPeriods, keys.CgroupCPUNrThrottled} {
		if v, ok := counters[name]; ok {
			arm.Evidence = append(arm.Evidence, compare.Evidence{Key: name, Change: v})
		}
	}
	if r.MilliCPU == 0 {
		arm.Evidence = append(arm.Evidence, compare.Evidence{Key: "cgroup.cpu.max", Value: "max"})
	}
	return &Observed{Arm: arm, Spec: experiment.Arm{Target: "container"}}
}

// running is the server in one line: its limits beside what the machine has.
func running(c *Case, host int64) []Phrase {
	says := phrase("%s of unknown version", string(c.DB.Product))
	if c.DB.Version.Known() {
		says = verbatim(string(c.DB.Product) + " " + c.DB.Version.Series())
	}
	all := append([]Phrase{says, term("; ")}, bounds(c, host))
	if size, _, ok := c.DB.BufferPool(); ok {
		all = append(all, phrase("; buffer pool %s", manifest.Size(size)))
	}
	return all
}

// bounds are what a container may take, beside what the machine has.
func bounds(c *Case, host int64) Phrase {
	if c.DB.Pod == nil {
		return term("limits unknown (remote server, or --pid missing)")
	}
	cpus, bytes := term("no CPU limit"), term("no memory limit")
	if cpu, limited := c.DB.CPULimit(); limited {
		cpus = phrase("CPU limit %s", manifest.CPUs(cpu.Value))
	}
	if memory, limited := c.DB.MemoryLimit(); limited {
		bytes = phrase("memory limit %s", manifest.Size(memory))
	}
	return phrase("%s, %s (the machine has %s)", cpus, bytes, manifest.Size(host>>20<<20))
}

// ProposeLive is the proposal for a server that runs: its limits and options as the first
// arm, and one change for each finding that is confirmed. Of the variables of r those alone
// belong to the arm that somebody has set.
func ProposeLive(r manifest.Running, findings []Finding) Proposal {
	p := Proposal{Subject: r.Name, settings: armOf(r.Database())}
	p.Arm = p.settings.text()
	seen := map[string]bool{}
	for _, f := range findings {
		if f.Verdict == Confirmed && !seen[f.Rule] {
			seen[f.Rule] = true
			p.add(f, f.Change, nil)
		}
	}
	return p
}
