package diagnose

import (
	"github.com/tarebench/tare/internal/compare"
	"github.com/tarebench/tare/internal/keys"
)

func cNET04() Rule {
	return Rule{
		ID: "C-NET-04", Title: "TCP retransmissions (packet loss)", Severity: Warning,
		What: "A lost segment is detected after one round trip at best, and after 200 ms if no other segment follows it, which is typical for the short " +
			"answers of a database. Every affected transaction waits that long.",
		Impact: "Latency spikes of 200 ms and more; lower throughput.",
		Fix: "Find where packets are dropped: a full queue or traffic shaper, an MTU mismatch, the cloud provider's packet limit, or a full conntrack " +
			"table.",
		Sources:  []string{percona2020, "Linux, Documentation/networking/snmp_counter.rst: https://docs.kernel.org/networking/snmp_counter.html"},
		Counters: []string{keys.TCPRetransmitted, keys.TCPTimeouts},
		Run:      retransmitted,
	}
}

// lossFrom is the part of the segments sent again from which it counts, where it
// is more than one a second: a server that hardly runs repeats what little it
// sends, because its peer's answers wait.
const (
	lossFrom  = 0.001
	againFrom = 1 // a second
)

func retransmitted(o *Observed) []Finding {
	sent, ok := rate(o.Arm, keys.TCPSentSegments)
	again, ok2 := rate(o.Arm, keys.TCPRetransmitted)
	if !ok || !ok2 {
		return unread("TcpRetransSegs of its network namespace")
	}
	if sent < 1 || overSocket(o.Arm) {
		return list(ruledOut("no TCP traffic to clients"))
	}
	// What the peer got twice was late and not lost (RFC 2883): a peer that waits for a
	// CPU acknowledges late, and the last segment of an answer is sent again at once.
	twice, told := rate(o.Arm, keys.TCPSpurious)
	if told {
		again = max(0, again-twice)
	}
	if again/sent < lossFrom || again < againFrom {
		if !told { // all of them are the most that can have been lost
			return list(ruledOut("%.3f %% of %.0f TCP segments/s retransmitted", 100*again/sent, sent))
		}
		return list(ruledOut("%.3f %% of %.0f TCP segments/s retransmitted after loss, %.2f spurious retransmissions/s", 100*again/sent, sent, twice))
	}
	if why, lost := blackHole(o.Arm); lost {
		return list(unknown("%.2f %% of %.0f TCP segments/s retransmitted; %s (K-NET-06)", 100*again/sent, sent, why))
	}
	if !alone(o.Arm) {
		return list(unknown("%.2f %% of %.0f TCP segments/s retransmitted on the whole node; the record does not show which belong to the server", 100*again/sent, sent))
	}
	if !told {
		return list(notRead("%.2f %% of %.0f TCP segments/s retransmitted; how many of them were lost was not read", 100*again/sent, sent))
	}
	f := seen("%.2f %% of %.0f TCP segments/s retransmitted after loss", 100*again/sent, sent).fix("find and remove the packet loss")
	if outs, read := rate(o.Arm, keys.TCPTimeouts); read {
		f = f.and(", %.1f retransmission timeouts/s", outs)
	}
	f = f.explains(o, compare.SpentNetwork)
	if o.Spec.Has("network") {
		f = f.change("{network: {loss: null}}")
	}
	return list(f)
}
