package diagnose

import (
	"slices"
	"strings"

	"github.com/tarebench/tare/internal/compare"
	"github.com/tarebench/tare/internal/keys"
	"github.com/tarebench/tare/internal/record"
)

func cNET01() Rule {
	return Rule{
		ID: "C-NET-01", Title: "Higher network latency", Severity: Warning,
		What: "A transaction with many statements needs one network round trip for each. It pays the additional round-trip time for every statement, " +
			"however high the bandwidth.",
		Impact: "The additional round-trip time multiplied by the statements per transaction.",
		Fix: "Use the host network or a CNI plugin without encapsulation. Connect to the pod's address instead of a proxy. Place client and server on one " +
			"node or in one zone. Use fewer statements.",
		Sources: []string{percona2020, measured},
		Run:     farther,
	}
}

// pathFrom is the part of a transaction's time from which a longer network path counts.
const pathFrom = 0.10

func farther(o *Observed) []Finding {
	if o.Base == nil {
		return withoutBaseline(o)
	}
	mine, ok := idle(o.Arm, keys.ClientRoundTripNS)
	theirs, ok2 := idle(o.Base, keys.ClientRoundTripNS)
	if !ok && pathUntried(o.Arm) || !ok2 && pathUntried(o.Base) {
		return list(unknown("load pods do not measure the network path in runs by slices; protocol: {kind: windows} measures it"))
	}
	statements, ok3 := each(o.Arm, keys.MySQLStatementsCount)
	ms, ok4 := transaction(o.Arm)
	if !ok || !ok2 || !ok3 || !ok4 {
		return unread("the round-trip time or the number of statements per transaction")
	}
	more := statements * (mine - theirs)
	if more/ms < pathFrom {
		return list(ruledOut("round-trip time %.3f ms, %.3f ms in %s: %.1f %% of a transaction with %.1f statements", mine, theirs, o.Base.Name, 100*max(0, more)/ms, statements))
	}
	f := seen("round-trip time %.3f ms, %.3f ms in %s: with %.1f statements %.2f ms of the transaction's %.2f ms", mine, theirs, o.Base.Name, statements, more, ms).
		fix("use a network path with lower latency")
	if o.Spec.Has("network") {
		f = f.change("{network: null, service: null}")
	}
	return list(f.explains(o, compare.SpentNetwork))
}

// pathUntried says that the load came from pods in a run by slices, which have no time to measure the network path before
// the common start. Any other load generator has tried it, and its record has the figure or why there is none.
func pathUntried(arm *compare.Arm) bool {
	known := func(is func(key string) bool) bool {
		return slices.ContainsFunc(arm.Trials, func(t *record.Trial) bool {
			return slices.ContainsFunc(t.Facts, func(f record.Fact) bool { return is(f.Key) })
		})
	}
	tried := known(func(key string) bool { return key == keys.ClientRoundTripNS })
	sliced := known(func(key string) bool { return key == keys.SlicesFrozen }) // of the end of a trial
	return !tried && sliced && known(func(key string) bool { return strings.HasPrefix(key, keys.LoadPodPrefix) })
}
