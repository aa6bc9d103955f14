package diagnose

import (
	"github.com/goccy/go-yaml"

	"github.com/tarebench/tare/internal/compare"
)

func kNET10() Rule {
	return Rule{
		ID: "K-NET-10", Title: "New connections go through many Service rules", Severity: Warning,
		Why: "kube-proxy's iptables mode writes rules for every Service, and the first packet of a connection walks through them one by one until its own. A " +
			"connection that stands is looked up in one step, so only who connects often pays.",
		Remedy:   "kube-proxy's nftables mode, or IPVS; a pool of connections; the pod's address where client and server are in one cluster.",
		Sources:  []string{"Kubernetes blog, 2025-02-28, NFTables mode for kube-proxy: https://kubernetes.io/blog/2025/02/28/nftables-kube-proxy/", k8sService},
		Counters: []string{"mysql.connections"},
		Run:      manyRules,
	}
}

// rulesFrom is the number of Services from which walking through them counts.
const rulesFrom = 1000

func manyRules(o *Observed) []Finding {
	if !o.Spec.Has("service") {
		return list(ruledOut("no Service's address is between client and server"))
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
	connects, ok := each(o.Arm, "mysql.connections")
	switch {
	case !ok:
		return unread("how often clients connect")
	case arm.Service.Proxy == "nftables":
		return list(ruledOut("nftables finds a Service's rule in one step"))
	case arm.Service.Others < rulesFrom:
		return list(ruledOut("fewer than %d other Services", rulesFrom))
	case connects < connectsFrom:
		return list(ruledOut("%.4f connections for each transaction: one that stands does not walk through the rules of %d Services", connects, arm.Service.Others))
	}
	return walked(o, connects, arm.Service.Others)
}

// walkFrom is the part of a transaction's time from which the walk counts.
const walkFrom = 0.01

// walked holds what a connection takes longer than the baseline's, on the idle
// server, against the transaction: what the rules are said to cost is measured.
func walked(o *Observed, connects float64, services int) []Finding {
	mine, ok := idle(o.Arm, connecting)
	theirs, ok2 := idle(o.Base, connecting)
	ms, ok3 := transaction(o.Arm)
	if !ok || !ok2 || !ok3 {
		return list(unknown("%.2f connections for each transaction go through the rules of %d Services, and how long one takes was not read here and in the baseline", connects, services))
	}
	more := connects * (mine - theirs)
	if more/ms < walkFrom {
		return list(ruledOut("a connection takes %.3f ms, %.3f in %s: %.1f %% of a transaction for the rules of %d Services", mine, theirs, o.Base.Name, 100*max(0, more)/ms, services))
	}
	return list(seen("a connection takes %.3f ms through the rules of %d Services, %.3f in %s: %.1f %% of a transaction with %.2f connections", mine, services, theirs, o.Base.Name, 100*more/ms, connects).
		write("kube-proxy in nftables mode").change("{service: {proxy: nftables}}").explains(o, compare.SpentNetwork))
}
