package diagnose

import (
	"strings"

	"github.com/goccy/go-yaml"

	"github.com/tarebench/tare/internal/compare"
	"github.com/tarebench/tare/internal/keys"
)

func kNET10() Rule {
	return Rule{
		ID: "K-NET-10", Title: "Many kube-proxy iptables rules slow down new connections", Severity: Warning,
		What: "In iptables mode, kube-proxy writes rules for every Service. The first packet of each connection traverses these rules in order, even " +
			"if the connection goes to a pod's address. Packets of an established connection are matched by conntrack in one lookup, so only clients that connect often are affected.",
		Impact:   "Higher connection latency and CPU use, in proportion to the number of Services.",
		Fix:      "Use kube-proxy in nftables mode, or a connection pool.",
		Sources:  []string{"Kubernetes blog, 2025-02-28, NFTables mode for kube-proxy: https://kubernetes.io/blog/2025/02/28/nftables-kube-proxy/", k8sService},
		Counters: []string{keys.MySQLConnections, keys.HostCPUIdleNS},
		Run:      manyRules,
	}
}

// rulesFrom is the number of Services from which walking through them counts.
const rulesFrom = 1000

func manyRules(o *Observed) []Finding {
	if isLive(o.Arm) {
		return list(unknown("whether its clients connect to a Service or to the server itself is not known"))
	}
	if !o.Spec.Has("service") {
		return clusterRules(o)
	}
	var arm struct {
		Service struct {
			Proxy  string
			Others int
		}
	}
	if err := yaml.Unmarshal([]byte(o.Spec.Settings()), &arm); err != nil {
		return list(unknown("the arm's Service cannot be read: %v", err))
	}
	connects, ok := each(o.Arm, keys.MySQLConnections)
	switch {
	case !ok:
		return unread("the Connections counter")
	case arm.Service.Proxy == "nftables":
		return list(ruledOut("kube-proxy in nftables mode needs one lookup"))
	case arm.Service.Others < rulesFrom:
		return list(ruledOut("fewer than %d other Services", rulesFrom))
	case connects < connectsFrom:
		return list(ruledOut("%.4f new connections per transaction: established connections do not pass the rules of %d Services", connects, arm.Service.Others))
	}
	return walked(o, connects, arm.Service.Others)
}

// clusterRules is about the rules of a real cluster, whose number no record has. The address
// of an external server can be that of a Service too; and kube-proxy's chain is entered by every new
// connection, also by one to the address of a pod (pkg/proxy/iptables/proxier.go, KUBE-SERVICES).
func clusterRules(o *Observed) []Finding {
	external := o.Spec.Target == "external"
	if !external && o.Spec.Target != "kubernetes" {
		return list(ruledOut("no Service between client and server"))
	}
	proxy, _ := fact(o.Arm, keys.NetworkServiceProxy)
	connects, ok := each(o.Arm, keys.MySQLConnections)
	switch {
	case !ok:
		return unread("the Connections counter")
	case connects < connectsFrom:
		return list(ruledOut("%.4f new connections per transaction: established connections do not pass the rules of Services", connects))
	case strings.HasSuffix(proxy, "nftables"):
		return list(ruledOut("kube-proxy in nftables mode needs one lookup"))
	case strings.HasSuffix(proxy, "ipvs"), proxy != "" && !strings.Contains(proxy, "kube-proxy"):
		return list(ruledOut("%s has no rules that connections pass one after the other", proxy))
	case external:
		return list(unknown("%.2f new connections per transaction; whether they pass the rules of Services is not known", connects))
	}
	return list(unknown("%.2f new connections per transaction pass the rules of the cluster's Services, whose number is not known", connects))
}

// walkFrom is the part of a transaction's time from which the walk counts.
const walkFrom = 0.01

// walked holds what a connection takes longer than the baseline's, on the idle
// server, against the transaction: what the rules are said to cost is measured.
func walked(o *Observed, connects float64, services int) []Finding {
	mine, ok := idle(o.Arm, keys.ClientConnectNS)
	theirs, ok2 := idle(o.Base, keys.ClientConnectNS)
	ms, ok3 := transaction(o.Arm)
	if !ok || !ok2 || !ok3 {
		return list(notRead("%.2f new connections per transaction pass the rules of %d Services; the connect time of this arm or of the baseline was not read", connects, services))
	}
	more := connects * (mine - theirs)
	part, of := more/ms, term("a transaction's time")
	if work, busy := worked(o.Arm); busy {
		part, of = max(part, more/work), term("a transaction's CPU time (the CPUs are busy)")
	}
	if part < walkFrom {
		return list(ruledOut("connect time %.3f ms, %.3f ms in %s: %.1f %% of %s with the rules of %d Services", mine, theirs, o.Base.Name, 100*max(0, part), of, services))
	}
	return list(seen("connect time %.3f ms with the rules of %d Services, %.3f ms in %s: with %.2f connections per transaction %.1f %% of %s", mine, services, theirs, o.Base.Name, connects, 100*part, of).
		fix("use kube-proxy in nftables mode").change("{service: {proxy: nftables}}").explains(o, compare.SpentNetwork))
}

// idleBelow is the part of the CPUs' time without work below which they are busy: eight
// connections created again for each select leave two CPUs a sixth.
const idleBelow = 0.25

// worked is the CPU time of the whole machine for a transaction in milliseconds, where
// its CPUs are busy. There the walk, which is the kernel's work, is missing to the others:
// a transaction mostly waits for a CPU, so what was 1.3 % of its time was 7 % of the work.
func worked(arm *compare.Arm) (ms float64, busy bool) {
	for _, name := range []string{"user", "system", "irq"} {
		v, ok := each(arm, "host.cpu."+name+"_ns")
		if !ok {
			return 0, false
		}
		ms += v / 1e6
	}
	idle, ok := each(arm, keys.HostCPUIdleNS)
	return ms, ok && ms > 0 && idle/1e6 < idleBelow*(ms+idle/1e6)
}
