package report

// seal takes out of the document of a run that is not finished whatever an effect could be
// read from and is not left out before: the seconds of the trials, and counters of arms. All views and exports
// are made from the document, so that none can show it. What remains is the plan, how trials
// ended, how the machine was and which settings were read.
func (doc *Document) seal() {
	for i := range doc.Arms {
		a := &doc.Arms[i]
		a.Throttled, a.CPUWait, a.Errors, a.Reconnects = nil, Unknown(), 0, 0
		for k := range a.Cgroup {
			a.Cgroup[k].Change, a.Cgroup[k].PerTrial, a.Cgroup[k].End = Unknown(), Unknown(), Unknown()
		}
	}
	for i := range doc.Trials {
		t := &doc.Trials[i]
		t.Throughput, t.Change, t.ReducedFrom = Unknown(), Unknown(), 0
		t.Seconds, t.TPS, t.Latency, t.Warmup = []Number{}, []Number{}, []Number{}, []bool{}
	}
}
