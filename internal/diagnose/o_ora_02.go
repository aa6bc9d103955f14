package diagnose

func oORA02() Rule {
	return Rule{
		ID: "O-ORA-02", Title: "Clients reach the cluster through a router without resources", Severity: Warning, Needs: []Need{needAny()},
		What:    "The Service of an InnoDBCluster leads to MySQL Router, whose pods get no requests or limits: every query passes a BestEffort process.",
		Fix:     "spec.router.podSpec.containers[name=router].resources, or measure against the primary directly.",
		Sources: []string{oracleOperator},
		Check: func(c *Case) []Finding {
			router := c.DB.Object.Value.At("spec.router")
			if c.DB.Operator != "MySQL Operator" || router.Get("instances").Int(0) == 0 && router.Exists() {
				return nil
			}
			if !router.Exists() {
				return list(unknown("spec.router is not set: how many routers there are follows from the operator's version"))
			}
			resources := router.At("podSpec.containers[name=router].resources")
			if resources.Exists() {
				return nil
			}
			return list(confirmed(router.Get("instances").Spot(), "%s routers stand between clients and the server, and are BestEffort", router.Get("instances").Text()).
				fix("spec.router.podSpec: {containers: [{name: router, resources: {limits: {cpu: \"2\", memory: 512Mi}}}]}"))
		},
	}
}
