package diagnose

import "github.com/tarebench/tare/internal/keys"

// This file decides for a running server whether the programs that load it keep up, as far as
// they are processes of its machine.

// A client is saturated if its quota held it in clientHeldFrom of the periods, or if one of
// its threads, such as an event loop, was on a CPU for clientBusyFrom of the time. A program
// with a limit is throttled now and then without being slow, so the former is more than what
// counts as throttling of a server.
const (
	clientHeldFrom = 0.25
	clientBusyFrom = 0.9
	// clientQueuedFrom is the share of the time that a thread waits for a CPU from which it can be why answers are read late.
	clientQueuedFrom = 0.1
)

func slowClients(o *Observed) Finding {
	arm := o.Arm
	all, _, ok := level(arm, keys.ClientsConnections)
	here, _, ok2 := level(arm, keys.ClientsHere)
	switch {
	case !ok || !ok2:
		return unknown("whether the clients are saturated is not known: which processes they are was not read").unstarted(arm, "clients")
	case all < 1:
		return unknown("whether the clients are saturated is not known: no client was connected when the watch began")
	case here < 1:
		return unknown("whether the clients are saturated is not known: none of %.0f connections is of a process on the server's machine", all)
	}
	periods, ok := rate(arm, keys.ClientsNrPeriods)
	throttled, ok2 := rate(arm, keys.ClientsNrThrottled)
	if ok && ok2 && periods > 0 {
		if held := throttled / periods; held >= clientHeldFrom {
			return seen("the CPU quota of the clients on this machine, which have %.0f of %.0f connections, throttled them in %.0f %% of the CFS periods", here, all, 100*held).
				fix("raise or remove the CPU limit of the clients")
		}
	}
	f := busyClients(o, here, all)
	if f.Verdict == RuledOut && (!ok || !ok2) {
		return unknown("whether the clients are saturated is not known: how often a CPU quota held them was not read").unstarted(arm, "clients")
	}
	return f
}

// busyClients decides by the thread of the clients that was on a CPU for longest.
func busyClients(o *Observed, here, all float64) Finding {
	arm := o.Arm
	on, ok := rate(arm, keys.ClientsBusiestRunNS)
	queued, ok2 := rate(arm, keys.ClientsBusiestWaitNS)
	on, queued = on/1e9, queued/1e9
	switch {
	case !ok || !ok2:
		return unknown("whether the clients are saturated is not known: the CPU time of their threads was not read; their processes ended meanwhile, have more than 512 threads, or the kernel has no schedstat").unstarted(arm, "clients")
	case on >= clientBusyFrom:
		return seen("a thread of the clients on this machine, which have %.0f of %.0f connections, was on a CPU for %.0f %% of the time", here, all, 100*on).
			fix("start more clients, or more threads in each")
	case on+queued >= clientBusyFrom, queued >= clientQueuedFrom:
		return unknown("the busiest thread of the clients was on a CPU for %.0f %% of the time and waited for one for %.0f %%; whether it keeps up without the other processes is not known", 100*on, 100*queued)
	case here < all:
		return unknown("the clients on this machine keep up, with %.0f of %.0f connections; the others were not read", here, all)
	}
	return ruledOut("the busiest thread of the clients was on a CPU for %.0f %% of the time, and no quota held them", 100*on)
}
