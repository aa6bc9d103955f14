package diagnose

import (
	"strings"

	"github.com/tarebench/tare/internal/compare"
	"github.com/tarebench/tare/internal/keys"
)

func kNET06() Rule {
	return Rule{
		ID: "K-NET-06", Title: "MTU mismatch: packets fragmented or dropped", Severity: Error,
		What: "The pod's MTU is larger than the MTU of the path minus the encapsulation overhead. Large packets are fragmented. Where fragmentation is not " +
			"allowed and ICMP is filtered, they are dropped: small statements work, and large results hang.",
		Impact:   "Queries with large results hang or time out; fragmentation costs CPU and throughput.",
		Fix:      "Set the CNI plugin's MTU to the link's MTU minus the encapsulation overhead (VXLAN 50 bytes, IPIP 20, WireGuard 60).",
		Sources:  []string{calico, flannel, percona2020},
		Counters: []string{keys.IPFragments, keys.IPReassembled},
		Run:      fragmented,
	}
}

// fragmentsFrom is the number of packets that did not fit, a second, from which
// they count: a connection learns the path MTU by losing one.
const fragmentsFrom = 1

func fragmented(o *Observed) []Finding {
	if why, lost := blackHole(o.Arm); lost {
		return list(widen(o, seen("%s: packets larger than the path MTU are dropped", why)))
	}
	made, ok := rate(o.Arm, keys.IPFragments)
	failed, ok2 := rate(o.Arm, keys.IPFragmentationFailures)
	received, ok3 := rate(o.Arm, keys.IPReassembled)
	if !ok || !ok2 || !ok3 {
		return unread("IpFragCreates of its network namespace")
	}
	if overSocket(o.Arm) {
		return list(ruledOut("no IP traffic to clients"))
	}
	where := term("its network namespace")
	node, ok := changed(o.Arm, keys.NetworkNodeIPFragments)
	joined, ok2 := changed(o.Arm, keys.NetworkNodeIPReassembled)
	stopped, ok3 := changed(o.Arm, keys.NetworkNodeIPFragmentationFailures)
	made, received, failed = made+node, received+joined, failed+stopped // what was not read adds nothing
	if ok && ok2 && ok3 {
		where = bothNamespaces()
	}
	if made+failed+received < fragmentsFrom {
		if isLive(o.Arm) && alone(o.Arm) { // where a tunnel would fragment, and drop what is too large
			return list(onNode(o, made+received))
		}
		return list(ruledOut("%.2f IP fragments/s in %s, %.2f packets/s larger than the MTU", made+received, where, failed))
	}
	if !alone(o.Arm) {
		return list(unknown("%.0f IP fragments/s on the whole node; the record does not show which belong to the server", made+received))
	}
	return list(widen(o, seen("%.0f IP fragments/s in %s, %.0f packets/s larger than the path MTU", made+received, where, failed)).
		explains(o, compare.SpentNetwork))
}

// widen adds the change: packets of the pods that fit the path.
func widen(o *Observed, f Finding) Finding {
	f = f.fix("set an MTU that fits the path")
	if o.Spec.Has("network") {
		f = f.change("{network: {mtu: 1400}}")
	}
	return f
}

// onNode is what the node's counters and the server's connections tell of a running server
// whose own network namespace has few fragments. A node counts the packets of all its pods, so
// its fragments are the server's only if the server's own packets do not fit.
func onNode(o *Observed, own float64) Finding {
	made, ok := rate(o.Arm, keys.NodeIPFragments)
	received, ok2 := rate(o.Arm, keys.NodeIPReassembled)
	failed, ok3 := rate(o.Arm, keys.NodeIPFragmentationFailures)
	_, packet, tunnelled := level(o.Arm, keys.TCPTunnelPacketBytes)
	_, mtu, _ := level(o.Arm, keys.NodeLinkMTUBytes)
	_, _, connections := level(o.Arm, keys.TCPLargeWaiting)
	switch {
	case !ok, made+received+failed < fragmentsFrom && (!ok2 || !ok3):
		return unknown("%.2f IP fragments/s in its network namespace; those of its node were not read", own).unstarted(o.Arm, "node.network")
	case made >= fragmentsFrom && tunnelled && mtu > 0 && packet > mtu:
		return widen(o, seen("%.0f IP fragments/s on its node: a full segment of the server is a packet of %.0f bytes in the node's tunnel, and the node's links take %.0f", made, packet, mtu)).
			explains(o, compare.SpentNetwork)
	case made+received+failed >= fragmentsFrom:
		return unknown("%.0f IP fragments/s on its node, %.0f packets/s larger than the MTU; the readings do not show which belong to the server", made+received, failed)
	case !connections:
		return unknown("%.2f IP fragments/s in %s; its connections were not read", own+made+received, bothNamespaces()).unstarted(o.Arm, "tcp.connections")
	}
	return ruledOut("%.2f IP fragments/s in %s, %.2f packets/s larger than the MTU", own+made+received, bothNamespaces(), failed)
}

func bothNamespaces() Phrase { return term("its network namespace and its node") }

// unansweredFrom is the share of the connections with large segments under way from which
// lost ones are no accident: at 2 % of random loss it is 1 in 10,000.
const unansweredFrom = 0.5

// unanswered is whether connections of a running server get small segments through and large
// ones not.
func unanswered(arm *compare.Arm) (why Phrase, lost bool) {
	waiting, _, ok := level(arm, keys.TCPLargeWaiting)
	mean, most, ok2 := level(arm, keys.TCPLargeUnanswered)
	if !ok || !ok2 || most < 1 || mean < unansweredFrom*waiting {
		return Phrase{}, false
	}
	return phrase("of %.1f connections with large segments under way, %.1f retransmit them without an answer, although a later segment was acknowledged", waiting, mean), true
}

// blackHole is whether small messages came through on the idle server and a large
// one did not, or the same of segments on a running server.
func blackHole(arm *compare.Arm) (why Phrase, lost bool) {
	if overSocket(arm) {
		return Phrase{}, false
	}
	if why, lost := unanswered(arm); lost {
		return why, true
	}
	for _, t := range arm.Trials {
		small, large := false, ""
		for _, f := range t.Facts {
			switch {
			case f.Phase == "end":
			case f.Key == keys.ClientRoundTripNS:
				small = f.Unknown == ""
			case f.Key == keys.ClientLargeRoundTripNS:
				large = f.Unknown
			}
		}
		if small && strings.Contains(large, "no answer within") {
			return phrase("the idle server answers small messages but not large ones (%s)", firstLine(large)), true
		}
	}
	return Phrase{}, false
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}
