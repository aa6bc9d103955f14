package diagnose

func oORA02() Rule {
	return Rule{
		ID: "O-ORA-02", Title: "MySQL Router without resource requests", Severity: Warning, Needs: []Need{needAny()},
		What: "The Service of an InnoDBCluster sends connections to MySQL Router. The router pods have no requests or limits, so every query passes through " +
			"a BestEffort process.",
		Impact:  "Higher latency when the router's node is busy.",
		Fix:     "Set spec.router.podSpec.containers[name=router].resources, or connect to the primary directly for measurements.",
		Sources: []string{oracleOperator},
		Check: func(c *Case) []Finding {
			router := c.DB.Object.Value.At("spec.router")
			if c.DB.Operator != "MySQL Operator" || router.Get("instances").Int(0) == 0 && router.Exists() {
				return nil
			}
			if !router.Exists() {
				return list(unknown("spec.router is not set: the number of routers depends on the operator's version"))
			}
			resources := router.At("podSpec.containers[name=router].resources")
			if resources.Exists() {
				return nil
			}
			return list(confirmed(router.Get("instances").Spot(), "the routers between clients and the server are BestEffort (instances: %s)", router.Get("instances").Text()).
				fix("spec.router.podSpec: {containers: [{name: router, resources: {limits: {cpu: \"2\", memory: 512Mi}}}]}"))
		},
	}
}
