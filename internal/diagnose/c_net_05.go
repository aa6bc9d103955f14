package diagnose

import (
	"github.com/tarebench/tare/internal/compare"
	"github.com/tarebench/tare/internal/keys"
)

func cNET05() Rule {
	return Rule{
		ID: "C-NET-05", Title: "Frequent reconnects (no connection pooling)", Severity: Warning,
		What: "A new connection needs round trips for TCP, the MySQL handshake and TLS, a reverse DNS lookup if skip_name_resolve is off, a thread, and a " +
			"conntrack entry. A Service address is translated again for each connection.",
		Impact:   "Connection time is added to every transaction; more CPU on both sides.",
		Fix:      "Use a connection pool in the client or a proxy next to it, skip_name_resolve=ON, and a thread_cache_size that holds the threads.",
		Sources:  []string{mysqlDNS, k8sService},
		Counters: []string{keys.MySQLConnections},
		Run:      reconnecting,
	}
}

// connectsFrom is the connections for each transaction from which they count,
// where there are more than a load makes once at its beginning: a second's worth.
const (
	connectsFrom = 0.05
	oftenFrom    = 2 // a second
)

func reconnecting(o *Observed) []Finding {
	connects, ok := each(o.Arm, keys.MySQLConnections)
	if !ok {
		return orNoneEnded(o, keys.MySQLConnections, unread("the Connections counter"))
	}
	often, _ := rate(o.Arm, keys.MySQLConnections)
	if connects < connectsFrom || often < oftenFrom {
		return list(ruledOut("%.4f new connections per transaction, %.2f/s", connects, often))
	}
	f := seen("%.2f new connections per transaction", connects).fix("use a connection pool; set skip_name_resolve=ON")
	login, ok := idle(o.Arm, keys.ClientSessionNS)
	if ok {
		f = f.and(", %.2f ms each until login", login)
	}
	if o.Spec.Has("reconnect") {
		f = f.change("{reconnect: null}")
	}
	if names, known := fact(o.Arm, keys.MySQLVariablePrefix+"skip_name_resolve"); known && names == "OFF" {
		f = looksUp(o, f, login)
	}
	return list(f.explains(o, compare.SpentNetwork))
}

// lookUpFrom is what a session takes longer than the baseline's, in milliseconds,
// from which the look-up of names is the greater part of it: all else that a
// connection costs on one machine is less.
const lookUpFrom = 2

// looksUp adds the look-up of the client's name, whose end the server's greeting
// waits for.
func looksUp(o *Observed, f Finding, login float64) Finding {
	f = f.and(", with a reverse DNS lookup for each client")
	theirs, ok := idle(o.Base, keys.ClientSessionNS)
	if !ok || login-theirs >= lookUpFrom || !o.Spec.Has("reconnect") {
		f = f.change("{config: {skip_name_resolve: ON}}")
	}
	if ok {
		f = f.and("; login takes %.2f ms in %s", theirs, o.Base.Name)
	}
	return f
}
