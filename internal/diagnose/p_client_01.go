package diagnose

func pCLIENT01() Rule {
	return Rule{
		ID: "P-CLIENT-01", Title: "The client could not keep up", Severity: Error,
		Why: "A load client that has no CPU left offers less and times late: what is measured then is the client. The verdict is invalid, whatever the " +
			"server did.",
		Costs:   "Measured: the client took 8 to 17 of the 25 to 44 us of CPU that a point select costs on both sides.",
		Remedy:  "CPUs or a machine of its own for the client; more clients; fewer connections for each.",
		Sources: []string{percona2019, kubeblocks2023, measured},
		Run:     heldUp,
	}
}

func heldUp(o *Observed) []Finding {
	read := false
	for _, t := range o.Arm.Trials {
		for _, f := range t.Facts {
			if f.Key == "load.invalid" {
				return list(seen("in trial %d %s", t.Header.Trial, f.Value).write("a machine or CPUs of its own for the client"))
			}
			read = read || f.Key == "load.busiest_loop"
		}
	}
	if !read {
		return list(unknown("the load engine does not say whether it kept up"))
	}
	return list(ruledOut("the client kept up in %d trials", len(o.Arm.Trials)))
}
