package main

// What an arm does with the members of a database has to fit the load and the protocol.

import (
	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/loadgen"
	"github.com/tarebench/tare/internal/runner"
	"github.com/tarebench/tare/internal/workload"
)

// checkMembers refuses events after the end of the load or in a search, an engine that cannot connect
// again, and writes to replicas.
func checkMembers(job *runner.Job, arm experiment.Arm) experiment.Problems {
	e, has := job.Experiment, job.Targets[arm.Name].Capabilities()
	var problems experiment.Problems
	builtIn := e.Load.Engine == loadgen.BuiltIn("").Name()
	if has.Spread && !builtIn {
		problems = append(problems, arm.Problem("replication", "the engine %s connects to one server, and writers: all or readers: all is a load of all members; write load: {engine: tare}", e.Load.Engine))
	}
	if w, known := workload.Find(e.Load.Workload); has.ReadsOnly && (!known || w.Writes) {
		problems = append(problems, arm.Problem("replication.readers", "replicas take no writes: all is possible with a workload that only reads, such as oltp_read_only, and with writers: all"))
	}
	if len(has.Events) == 0 {
		return problems
	}
	block := has.Events[0].Block
	switch {
	case !builtIn:
		problems = append(problems, arm.Problem(block, "the engine %s ends when it loses a connection, and cannot connect again; write load: {engine: tare}", e.Load.Engine))
	case e.Load.Find != nil:
		problems = append(problems, arm.Problem(block, "an event happens at a time of the measured window, and load.find loads the database in many windows; write load.rate or load.threads"))
	case e.Load.Latency != nil:
		problems = append(problems, arm.Problem(block, "an event happens once, and load.latency loads the database in two windows; leave out %s or latency", block))
	case e.Load.From.Pods():
		problems = append(problems, arm.Problem(block, "what the clients see of an event is counted by a load from this host; leave load.from out"))
	case e.Load.Rate == 0 && block == "events":
		problems = append(problems, arm.Problem(block, "the time without service is that of transactions that become due whether or not the server answers; write load.rate, such as rate: 200/s"))
	}
	for _, f := range has.Events {
		if end := f.At + f.For; end > e.Protocol.Measure.Std() || f.At == e.Protocol.Measure.Std() {
			problems = append(problems, arm.Problem(f.Field+".at", "the event lasts until %v, and the measured window ends at %v; write an earlier at, a shorter for or timeout, or a longer protocol.measure",
				experiment.Duration(end), e.Protocol.Measure))
		}
	}
	return problems
}
