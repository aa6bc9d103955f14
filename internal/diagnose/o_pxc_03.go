package diagnose

import "github.com/tarebench/tare/internal/manifest"

func oPXC03() Rule {
	return Rule{
		ID: "O-PXC-03", Title: "The proxy of a Percona cluster has no resource requests", Severity: Warning, Needs: []Need{needAny()},
		What: "The Service for clients of a Percona XtraDB Cluster or Percona Server cluster sends connections to HAProxy, ProxySQL or MySQL Router if one is enabled. " +
			"Without requests and limits of its own, every query passes through a BestEffort process.",
		Impact:  "Higher latency when the proxy's node is busy.",
		Fix:     "Set requests in the resources of the proxy, or connect to the server directly for measurements.",
		Sources: []string{pxcOperator, psOperator},
		Check: func(c *Case) (all []Finding) {
			paths := map[string][]string{
				"Percona XtraDB Cluster Operator":   {"spec.haproxy", "spec.proxysql"},
				"Percona Server for MySQL Operator": {"spec.proxy.haproxy", "spec.proxy.router"},
			}[c.DB.Operator]
			for _, path := range paths {
				all = append(all, proxyWithoutRequests(path, c.DB.Object.Value.At(path))...)
			}
			return all
		},
	}
}

func proxyWithoutRequests(path string, proxy manifest.Value) []Finding {
	enabled, resources := proxy.Get("enabled"), proxy.Get("resources")
	switch {
	case enabled.Exists() && !enabled.IsTrue() && !enabled.IsFalse():
		return list(unknown("%s.enabled is %q: whether the cluster has this proxy is unknown", path, enabled.Text()))
	case !enabled.IsTrue() || len(resources.Get("requests").Fields())+len(resources.Get("limits").Fields()) > 0:
		return nil
	}
	return list(confirmed(enabled.Spot(), "the proxy between clients and the server has no requests and no limits (%s)", path).
		fix("set %s.resources.requests to what the proxy uses under load: `kubectl top pod --containers`", path))
}
