package diagnose

// This file is what rules of counters ask of a run.

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/tarebench/tare/internal/compare"
	"github.com/tarebench/tare/internal/keys"
	"github.com/tarebench/tare/internal/record"
)

// each is a counter's change for each transaction; ok is false where no probe
// read it.
func each(arm *compare.Arm, name string) (v float64, ok bool) {
	if arm == nil {
		return 0, false
	}
	c, ok := arm.Counter(name)
	return c.PerTransaction, ok && !math.IsNaN(c.PerTransaction)
}

// rate is a counter's change a second.
func rate(arm *compare.Arm, name string) (v float64, ok bool) {
	c, ok := arm.Counter(name)
	return c.PerSecond, ok && !math.IsNaN(c.PerSecond)
}

// level is the mean of what is not a counter, most its largest value.
func level(arm *compare.Arm, name string) (mean, most float64, ok bool) {
	c, ok := arm.Counter(name)
	return c.Mean, c.Max, ok && !math.IsNaN(c.Mean)
}

// fact is what the arm's trials read before the load; ok is false where they did
// not all read the same.
func fact(arm *compare.Arm, key string) (value string, ok bool) {
	return factAs(arm, key, func(text string) string { return text })
}

// factAs is a fact as what its text stands for; ok is false where that is not the same
// in all trials.
func factAs[T comparable](arm *compare.Arm, key string, read func(text string) T) (value T, ok bool) {
	var none T
	for _, t := range arm.Trials {
		for _, f := range t.Facts {
			if f.Key != key || f.Phase == "end" || f.Unknown != "" {
				continue
			}
			here := read(f.Value)
			if ok && here != value {
				return none, false
			}
			value, ok = here, true
		}
	}
	return value, ok
}

// variable is a variable of the arm's server as a number.
func variable(arm *compare.Arm, name string) (v float64, ok bool) {
	text, ok := fact(arm, keys.MySQLVariablePrefix+name)
	if !ok {
		return 0, false
	}
	v, err := strconv.ParseFloat(text, 64)
	return v, err == nil
}

// isMariaDB is whether the arm's server is a MariaDB.
func isMariaDB(arm *compare.Arm) bool {
	return slices.ContainsFunc(arm.Trials, func(t *record.Trial) bool { return t.Flavour() == record.MariaDB })
}

// transaction is the mean time of a transaction in milliseconds.
func transaction(arm *compare.Arm) (ms float64, ok bool) {
	if arm.Latency == nil || !(arm.Latency.Mean > 0) {
		return 0, false
	}
	return arm.Latency.Mean, true
}

// unread is what a rule says without the counters it needs.
func unread(name string) []Finding { return list(notRead("no readings of %s", term(name))) }

// orNoneEnded is what a rule says without a counter for each transaction: that none completed, where the counter itself was read.
func orNoneEnded(o *Observed, key string, unread []Finding) []Finding {
	if _, counted := rate(o.Arm, key); counted {
		return list(unknown("no transaction completed in the span"))
	}
	return unread
}

// FewestEnded is how many transactions, or statements, of a watched server make an average.
const FewestEnded = 20

// fewEnded is what a rule about the average transaction says of a span in which too few completed.
func fewEnded(o *Observed) (f Finding, few bool) {
	if !isLive(o.Arm) {
		return f, false
	}
	for _, t := range o.Arm.Trials {
		if n := t.Window; n != nil && n.Counts.Transactions > 0 && n.Counts.Transactions < FewestEnded { // of none there are no counters for each
			return unknown("an average says nothing of so few transactions: %d completed in the span", n.Counts.Transactions), true
		}
	}
	return f, false
}

// noneEnded says that a watched server completed nothing: it times transactions, and there is none to time.
func noneEnded(arm *compare.Arm) bool {
	for _, t := range arm.Trials {
		if t.Window != nil && t.Window.Counts.Transactions == 0 {
			return isLive(arm)
		}
	}
	return false
}

// notRead is a finding of which readings are missing; because adds why.
func notRead(format string, args ...any) Finding {
	f := unknown(format, args...)
	f.unread = true
	return f
}

// elsewhere is why nothing was read of the machine that the arm's servers are on; ok
// is false where something was, or no probe was tried.
func elsewhere(arm *compare.Arm) (why string, ok bool) {
	for _, t := range arm.Trials {
		for _, f := range t.Facts {
			if f.Key == "probe.server.process" && f.Unknown != "" {
				return f.Unknown, true
			}
		}
	}
	return "", false
}

// unstarted adds why a probe could not be started, where the record tells.
func (f Finding) unstarted(arm *compare.Arm, probe string) Finding {
	for _, t := range arm.Trials {
		for _, known := range t.Facts {
			if known.Key == keys.ProbePrefix+probe && known.Unknown != "" {
				return f.and(": %s", known.Unknown)
			}
		}
	}
	return f
}

// because says why a rule's counters are missing: as the record tells, where it does, for
// those that are not the server's own need somebody on its machine.
func (f Finding) because(rule Rule, arm *compare.Arm) Finding {
	if !f.unread {
		return f
	}
	for _, t := range arm.Trials {
		if why, lost := compare.Lost(t); lost {
			return f.and(": %s", why)
		}
	}
	ofMachine := func(name string) bool { return !strings.HasPrefix(name, "mysql.") }
	if why, ok := elsewhere(arm); ok && slices.ContainsFunc(rule.Counters, ofMachine) {
		return f.and(": %s", why)
	}
	if isLive(arm) {
		return f.unreadLive(rule, arm)
	}
	return f.and(": the run has no probes, or the machine or server does not provide it")
}

// unreadLive says why a watched server's counters are missing: its probe's reason, or who does not provide them.
func (f Finding) unreadLive(rule Rule, arm *compare.Arm) Finding {
	ofServer := false
	for _, name := range rule.Counters {
		ofServer = ofServer || strings.HasPrefix(name, "mysql.")
		for _, t := range arm.Trials {
			for _, known := range t.Facts {
				probe, is := strings.CutPrefix(known.Key, keys.ProbePrefix)
				if is && known.Unknown != "" && strings.HasPrefix(name, probe+".") {
					return f.and(": %s", known.Unknown)
				}
			}
		}
	}
	schema, _ := fact(arm, keys.MySQLVariablePrefix+"performance_schema")
	denied, _ := fact(arm, keys.WatchedDenied)
	of := func(what string) bool { return strings.Contains(f.Says, what) }
	switch why, apart := elsewhere(arm); {
	case apart && (!ofServer || of("of its cgroup")):
		return f.and(": %s", why)
	case denied == "true" && of("(performance_schema)"):
		return f.and(": the account may not read performance_schema")
	case of("(performance_schema)") && schema != "" && schema != "ON" && schema != "1":
		return f.and(": performance_schema is off on the server")
	case ofServer:
		return f.and(": the server does not provide this reading")
	}
	return f.and(": the machine does not provide this reading")
}

// explains says how much of the longer transaction a part of the budget explains.
// It is an estimate: counters are of the same windows, but nothing was changed.
func (f Finding) explains(o *Observed, part string) Finding {
	ratio, in, ok := o.Arm.Budget.Share(part)
	if !ok || ratio <= 0 { // the part did not become longer
		return f
	}
	f.Share = &Share{Ratio: ratio, Lo: in.Lo, Hi: in.Hi}
	f = f.and("; estimated share of the additional transaction time: %.0f %% (%.0f to %.0f %%)", 100*ratio, 100*in.Lo, 100*in.Hi)
	switch {
	case math.Round(100*ratio) <= 100:
		return f
	case o.Arm.Budget.Shorter(part):
		return f.and(", more than 100 %% because another measured part of a transaction became shorter")
	}
	return f.and(", more than 100 %% because counters of parts overlap")
}

// overSocket says that clients come over the server's Unix socket, where no
// network is.
func overSocket(arm *compare.Arm) bool {
	client, ok := fact(arm, keys.NetworkClient)
	return ok && client == "socket"
}

// alone says that the server has a network namespace of its own: that of a node
// counts what everybody on it sends.
func alone(arm *compare.Arm) bool {
	if namespace, ok := fact(arm, keys.ContainerNamespaceNet); ok {
		return namespace == "its own"
	}
	// A node that tare has made is a namespace with the server alone, if the client is on another one.
	_, made := fact(arm, keys.NetworkNodeLinkEth0)
	client, _ := fact(arm, keys.NetworkClient)
	return made && client == "other-node"
}

// changed is what facts that were read before and after the load changed by, a
// second of the window, as a mean over the trials. The time that it took to warm up
// is not taken off: the bound is on the safe side by that.
func changed(arm *compare.Arm, key string) (perSecond float64, ok bool) {
	seconds := 0.0
	for _, t := range arm.Trials {
		if change := t.Change(key); change >= 0 && t.Window != nil && t.Window.Seconds > 0 {
			perSecond, seconds, ok = perSecond+change, seconds+t.Window.Seconds, true
		}
	}
	if !ok {
		return 0, false
	}
	return perSecond / seconds, true
}

// idle is the least of a figure that trials read on the idle server before or after
// the load, in milliseconds: what else the machine does can only make it longer.
func idle(arm *compare.Arm, key string) (ms float64, ok bool) {
	if arm == nil {
		return 0, false
	}
	best := math.Inf(1)
	for _, t := range arm.Trials {
		for _, f := range t.Facts {
			if v, err := strconv.ParseFloat(f.Value, 64); f.Key == key && err == nil {
				best = math.Min(best, v/1e6)
			}
		}
	}
	return best, !math.IsInf(best, 1)
}
