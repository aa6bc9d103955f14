package diagnose

func kOPS03() Rule {
	return Rule{
		ID: "K-OPS-03", Title: "A Deployment may run two servers on one data directory", Severity: Warning, Needs: []Need{needPod()},
		What: "A rolling update starts the new pod before the old one ends. On one volume the second server waits for InnoDB's lock and crashes, or, where " +
			"locks do not work, destroys the data. A Deployment gives no stable name or volume either.",
		Fix:     "A StatefulSet or an operator; at the least strategy: {type: Recreate} with one replica.",
		Sources: []string{"Kubernetes documentation, Run a Single-Instance Stateful Application: https://kubernetes.io/docs/tasks/run-application/run-single-instance-stateful-application/"},
		Check: func(c *Case) []Finding {
			if c.DB.Object.Kind != "Deployment" {
				return nil
			}
			mount, volume := c.DB.Pod.Mount(c.DB.Server, "/var/lib/mysql")
			if !mount.Exists() {
				return list(unknown("no volume is mounted at /var/lib/mysql; whether two servers would share one is not known"))
			}
			strategy := c.DB.Object.Value.Get("spec", "strategy", "type")
			shared := volume.Get("persistentVolumeClaim").Exists() || volume.Get("hostPath").Exists() || volume.Get("nfs").Exists()
			switch {
			case shared && c.DB.Replicas > 1:
				return list(confirmed(c.DB.Object.Value.Get("spec", "replicas").Spot(), "%d servers share one data directory", c.DB.Replicas).as(Error).fix("a StatefulSet with volumeClaimTemplates"))
			case shared && strategy.Text() != "Recreate":
				return list(confirmed(strategy.Spot(), "a rolling update starts a second server on the data directory of the first").fix("strategy: {type: Recreate}, or a StatefulSet"))
			}
			return nil
		},
	}
}
