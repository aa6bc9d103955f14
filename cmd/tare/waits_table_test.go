package main

import "slices"

// endedWait is a row of the table: a wait, how often it stands there, and what ends it.
type endedWait struct {
	wait
	n    int
	ends string
}

// waitTable are the waits that have no limit of their own, with what ends each.
func waitTable() []endedWait {
	return slices.Concat(waitsOfLoad(), waitsOfRun(), waitsOfTargets(), waitsOfRest())
}

// waitsOfLoad are those of the load and the network.
func waitsOfLoad() []endedWait {
	return []endedWait{
		{wait{"internal/spawn/spawn.go", "StartHeld", kindReceive}, 1, "fork and exec of a local file"},
		{wait{"internal/spawn/spawn.go", "StartHeld", kindSend}, 1, "the receiver beside it"},
		{wait{"internal/loadgen/clock.go", "startedBy", kindReceive}, 2, "generators, which end with their schedule or with the context, which has been ended where the start failed"},
		{wait{"internal/loadgen/clock.go", "startedBy", kindSend}, 1, "a buffered channel of one"},
		{wait{"internal/loadgen/fill/fill.go", "Run", kindWait}, 1, "workers with the caller's context"},
		{wait{"internal/loadgen/loop/clock.go", "MeasureClock", kindReceive}, 1, "200 sleeps of 2 ms"},
		{wait{"internal/loadgen/loop/tape_linux.go", "exchange", kindPoll}, 1, "30 s, then an error"},
		{wait{"internal/loadgen/wire/socket_other.go", "Watch", kindSelect}, 1, "what has arrived is received, or Close"},
		{wait{"internal/loadgen/wire/socket_other.go", "Receive", kindSend}, 1, "a buffered channel of one, which is empty: the reader waits for it"},
		{wait{"internal/loadgen/loop/handover.go", "handOver", kindSend}, 1, "the reader, which does nothing but read and show; 64 steps are buffered"},
		{wait{"internal/loadgen/loop/loop.go", "close", kindWait}, 1, "connections being made, whose context has been ended"},
		{wait{"internal/loadgen/loop/loop.go", "newLoop", kindContext}, 1, "close ends it"},
		{wait{"internal/loadgen/loop/loop.go", "newLoop", kindSend}, 1, "a buffered channel, filled to its size"},
		{wait{"internal/loadgen/loop/redial.go", "redial", kindReceive}, 1, "its own place in a buffered channel"},
		{wait{"internal/loadgen/loop/run.go", "Run", kindReceive}, 1, "the reader of a channel that has been closed"},
		{wait{"internal/loadgen/loop/run.go", "connectAll", kindWait}, 1, "connections with the caller's context and a limit each"},
		{wait{"internal/loadgen/loop/run.go", "connectAll", kindReceive}, 1, "its own place in a buffered channel"},
		{wait{"internal/loadgen/loop/run.go", "connectAll", kindSend}, 1, "a place, which each attempt gives back at its limit"},
		{wait{"internal/loadgen/loop/run.go", "runLoops", kindWait}, 1, "loops, which end with their context or by the schedule"},
		{wait{"internal/loadgen/part.go", "withController", kindReceive}, 1, "a query whose context has been ended"},
		{wait{"internal/loadgen/sysbench.go", "watch", kindReceive}, 1, "sysbench, which is killed when its context of window and patience ends"},
		{wait{"internal/loadgen/sysbench.go", "watch", kindSend}, 1, "a buffered channel of one"},
		{wait{"internal/loadgen/sysbench_process.go", "start", kindWait}, 1, "the context, with SIGTERM and then SIGKILL"},
		{wait{"internal/network/exchange.go", "Exchange", kindReceive}, 1, "the connection, which has been closed"},
		{wait{"internal/network/stream.go", "connections", kindWait}, 1, "both ends of the connections, which have been closed"},
		{wait{"internal/network/stream.go", "acceptAll", kindSend}, 1, "a buffered channel whose capacity is the number of connections"},
		{wait{"internal/network/stream.go", "datagrams", kindReceive}, 1, "a read with a deadline of udpTail"},
		{wait{"internal/network/stream.go", "writeAll", kindWait}, 1, "writes with a deadline"},
		{wait{"internal/loadgen/streams.go", "transfers", kindWait}, 1, "statements with the context of the measurement"},
		{wait{"internal/network/helper.go", "startHelper", kindCommand}, 1, "stop kills it; its end of input ends it"},
		{wait{"internal/network/helper.go", "startHelper", kindSend}, 1, "a buffered channel of one"},
		{wait{"internal/network/helper.go", "stop", kindWait}, 1, "SIGKILL after 2 s"},
		{wait{"internal/network/holder.go", "run", kindPoll}, 1, "the end of its input; a process of its own"},
		{wait{"internal/network/relay.go", "RunRelay", kindReceive}, 1, "the end of its input; a process of its own"},
		{wait{"internal/network/relay.go", "RunRelay", kindSend}, 3, "a buffered channel of three"},
	}
}

// waitsOfRun are those of the run and its probes.
func waitsOfRun() []endedWait {
	return []endedWait{
		{wait{"internal/observe/process_linux.go", "watchProcess", kindPoll}, 1, "200 ms, and the end of the span"},
		{wait{"internal/record/delayed_writer.go", "Flush", kindWait}, 1, "the device of the run directory: a trial counts when its record is written, and the run says what it waits for"},
		{wait{"internal/replication/roles.go", "receiveAgain", kindContext}, 1, "10 s for each member"},
		{wait{"internal/runner/instance.go", "newInstance", kindContext}, 1, "a sweep, which has limits of its own"},
		{wait{"internal/runner/disturb.go", "disturb", kindReceive}, 1, "the faults of the trial, whose context has been ended"},
		{wait{"internal/runner/disturb.go", "disturb", kindSend}, 1, "a buffered channel of one"},
		{wait{"internal/runner/gate_watch.go", "close", kindWait}, 1, "a look at /proc, after the channel that ends it was closed"},
		{wait{"internal/runner/server_watch.go", "conclude", kindWait}, 2, "queries whose context has been ended"},
		{wait{"internal/runner/server_watch.go", "settle", kindSend}, 1, "a buffered channel of one, emptied once a second"},
		{wait{"internal/runner/prepare.go", "prepareFiles", kindContext}, 1, "a sweep, which has limits of its own"},
		{wait{"internal/runner/prepare.go", "prepareInServer", kindContext}, 1, "a sweep, which has limits of its own"},
		{wait{"internal/runner/probes.go", "run", kindReceive}, 1, "reads with a limit of patience each, after the context has been ended"},
		{wait{"internal/runner/probes.go", "run", kindSend}, 1, "a buffered channel of one"},
		{wait{"internal/runner/round.go", "setUpTogether", kindWait}, 1, "starts of servers, each with the limits of one that starts alone"},
		{wait{"internal/runner/round.go", "takeDown", kindWait}, 1, "ends of servers, each within the two minutes of teardown"},
		{wait{"internal/runner/round.go", "load", kindWait}, 1, "watches, each within settleWithin"},
		{wait{"internal/runner/round.go", "inTurns", kindWait}, 1, "trials, each with the limit of its schedule"},
		{wait{"internal/runner/round.go", "inTurns", kindReceive}, 1, "the switcher, whose context has been ended"},
		{wait{"internal/runner/round.go", "inTurns", kindSend}, 1, "a buffered channel of one"},
		{wait{"internal/runner/atrate.go", "atRate", kindWait}, 1, "the ends of windows, each within settleWithin"},
		{wait{"internal/runner/search_turns.go", "take", kindWait}, 1, "the ends of steps, each within settleWithin"},
		{wait{"internal/runner/turns.go", "runTurns", kindReceive}, 1, "reads with a limit of turnPatience, after the context has been ended"},
		{wait{"internal/runner/turns.go", "runTurns", kindSend}, 1, "a buffered channel of one"},
		{wait{"internal/runner/turns.go", "inTurns", kindSend}, 1, "a buffered channel of one, sent to once"},
		{wait{"internal/probe/remote.go", "Serve", kindSend}, 1, "a buffered channel of one"},
		{wait{"internal/probe/turns.go", "RunTurns", kindReceive}, 1, "reads of turnPatience each"},
		{wait{"internal/probe/turns.go", "RunTurns", kindSend}, 2, "the reader, whose questions have a limit of turnPatience; a buffered channel of one"},
		{wait{"internal/probe/turns.go", "watchTurns", kindSend}, 3, "the reader, whose questions have a limit of turnPatience"},
		{wait{"internal/probe/watch.go", "sample", kindReceive}, 1, "an answer with a limit of patience"},
		{wait{"internal/probe/watch.go", "sample", kindSend}, 1, "a buffered channel of one"},
		{wait{"internal/node/neighbour_linux.go", "start", kindWait}, 1, "Stop kills it; start waits for its first word with the context"},
		{wait{"internal/node/neighbour_linux.go", "start", kindCommand}, 1, "Stop kills it"},
		{wait{"internal/node/neighbour_linux.go", "start", kindSend}, 1, "a buffered channel of one"},
		{wait{"internal/progress/metrics.go", "Collect", kindSend}, 2, "the Prometheus registry, which reads until the collector returns"},
		{wait{"internal/progress/metrics.go", "Describe", kindSend}, 4, "the Prometheus registry, which reads until the collector returns"},
		{wait{"internal/progress/progress.go", "Close", kindWait}, 1, "a goroutine that ends when the channel closed before it is"},
	}
}

// waitsOfTargets are those of the targets.
func waitsOfTargets() []endedWait {
	return []endedWait{
		{wait{"internal/node/freezer_linux.go", "Remove", kindContext}, 1, "removeCgroups, after ten seconds"},
		{wait{"internal/target/container/client.go", "Generate", kindWait}, 1, "the context kills it"},
		{wait{"internal/target/container/exec.go", "endWithParent", kindPoll}, 1, "50 ms"},
		{wait{"internal/target/container/runtime.go", "run", kindWait}, 1, "Stop kills it; no wait is without a limit"},
		{wait{"internal/target/container/runtime.go", "run", kindCommand}, 1, "Stop kills it"},
		{wait{"internal/target/external/lease.go", "keep", kindContext}, 1, "Release ends it"},
		{wait{"internal/target/external/server.go", "Alive", kindContext}, 1, "limit, after 5 s in which the machine runs"},
		{wait{"internal/target/external/lease.go", "stop", kindReceive}, 1, "a query whose context has been ended"},
		{wait{"internal/target/here.go", "RunHere", kindWait}, 1, "the context kills the group"},
		{wait{"internal/target/members/disturb.go", "disturb", kindReceive}, 1, "the trial's context"},
		{wait{"internal/target/members/disturb.go", "disturb", kindWait}, 1, "queries whose context has been ended"},
		{wait{"internal/target/event/run.go", "one", kindContext}, 2, "the end of an event: a signal, a file of a cgroup, or a command on this machine with a limit of its own"},
		{wait{"internal/target/event/alone.go", "disturb", kindContext}, 1, "mysqld.Ready has a limit: 30 s, or the time that a pod may take to be ready"},
		{wait{"internal/target/event/alone.go", "disturb", kindReceive}, 1, "the trial's context"},
		{wait{"internal/target/event/alone.go", "disturb", kindWait}, 1, "attempts to connect whose context has been ended"},
		{wait{"internal/target/event/sight.go", "untilAny", kindWait}, 1, "attempts to connect, of a second each, whose context has been ended"},
		{wait{"internal/target/kubernetes/attend.go", "attend", kindSend}, 1, "a buffered channel of eight lines, of which the commands print two"},
		{wait{"internal/target/kubernetes/attend.go", "line", kindReceive}, 1, "the end of a stream that has closed its output"},
		{wait{"internal/target/kubernetes/podevents.go", "follow", kindSend}, 1, "a buffered channel of one, which is empty"},
		{wait{"internal/target/members/watch.go", "run", kindWait}, 1, "queries whose context has been ended"},
		{wait{"internal/target/members/members.go", "Start", kindContext}, 2, "the members' own Stop, which kills"},
		{wait{"internal/target/members/proxy.go", "launch", kindWait}, 1, "stop kills the process, and the kernel kills it with tare"},
		{wait{"internal/target/members/proxy.go", "startProxy", kindCommand}, 1, "stop kills it"},
		{wait{"internal/target/members/proxy.go", "stop", kindReceive}, 1, "the process has been killed"},
		{wait{"internal/target/members/stop.go", "Stop", kindWait}, 1, "the members' own Stop, with a context that has ended: they are killed"},
		{wait{"internal/target/kubernetes/forwardlink.go", "hold", kindSelect}, 1, "the end of the link or of the forwarding; close waits for it with a limit"},
		{wait{"internal/target/kubernetes/forwardlink.go", "pass", kindSend}, 1, "a buffered channel of one"},
		{wait{"internal/target/kubernetes/forward.go", "portForward", kindHTTP}, 1, "those who wait for it have limits (forwardWithin, closeWithin)"},
		{wait{"internal/target/kubernetes/loaders.go", "generate", kindReceive}, 1, "followers, whose context is the load's"},
		{wait{"internal/target/kubernetes/loaders.go", "generate", kindSend}, 1, "a channel with a place for each"},
		{wait{"internal/target/kubernetes/ownserver.go", "dropOnNode", kindContext}, 1, "Stop has a limit of its own (stopWithin)"},
		{wait{"internal/target/kubernetes/render.go", "renderedServer", kindContext}, 1, "nothing is sent: objects are only written down"},
		{wait{"internal/target/kubernetes/kubernetes.go", "release", kindReceive}, 1, "requests with probesWithin"},
		{wait{"internal/target/kubernetes/kubernetes.go", "release", kindSend}, 1, "a buffered channel of one"},
		{wait{"internal/target/kubernetes/server.go", "Stop", kindReceive}, 1, "requests with the context of Stop"},
		{wait{"internal/target/kubernetes/server.go", "Stop", kindSend}, 1, "a buffered channel of one"},
		{wait{"internal/target/owner.go", "lockedNote", kindContext}, 1, "a file that was made a moment before: others hold it only to look whether it is locked"},
		{wait{"internal/target/sweep_linux.go", "awaitEnd", kindPoll}, 1, "endPatience, a second"},
		{wait{"internal/target/process/exec.go", "Exec", kindReceive}, 1, "the command, which the context kills"},
		{wait{"internal/target/process/exec.go", "Exec", kindSend}, 2, "the receiver beside it"},
		{wait{"internal/target/process/launch.go", "awayFromMain", kindReceive}, 1, "the function, which has its own limits"},
		{wait{"internal/target/process/launch.go", "launch", kindWait}, 1, "kill, which has a limit"},
		{wait{"internal/target/process/launch.go", "launch", kindReceive}, 1, "fork and exec of a local file"},
		{wait{"internal/target/process/launch.go", "launch", kindSend}, 1, "the receiver beside it"},
		{wait{"internal/target/process/neighbour.go", "stop", kindContext}, 1, "the removal of cgroups, which has a limit of its own"},
		{wait{"internal/target/process/start.go", "launch", kindCommand}, 1, "kill, by Stop"},
	}
}

// waitsOfRest are those of the commands, the record and serve.
func waitsOfRest() []endedWait {
	return []endedWait{
		{wait{"internal/capture/history.go", "poll", kindContext}, 3, "read has a limit of its own (answerWithin)"},
		{wait{"cmd/tare/capture_file.go", "readUntil", kindSend}, 1, "a buffered channel of one"},
		{wait{"cmd/tare/interrupt.go", "untilSignal", kindContext}, 1, "the process's own context; signals end it"},
		{wait{"cmd/tare/interrupt.go", "nextSignal", kindSelect}, 1, "signals, or stop: it is not waited for"},
		{wait{"cmd/tare/progress.go", "serveMetrics", kindReceive}, 1, "the server's end, after Shutdown of a second"},
		{wait{"cmd/tare/progress.go", "serveMetrics", kindSend}, 1, "a buffered channel of one"},
		{wait{"internal/fault/fault.go", "At", kindSelect}, 1, "SIGKILL, which the process has sent itself; tests alone"},
		{wait{"internal/record/dir.go", "openTrials", kindWait}, 1, "reads of regular files"},
		{wait{"internal/serve/catalog.go", "runs", kindWait}, 1, "reads of regular files"},
		{wait{"internal/serve/catalog.go", "runs", kindReceive}, 1, "its own place in a buffered channel"},
		{wait{"internal/serve/catalog.go", "runs", kindSend}, 1, "a place, which each reader of files gives back"},
		{wait{"internal/serve/serve.go", "document", kindReceive}, 1, "its own place in a buffered channel"},
	}
}
