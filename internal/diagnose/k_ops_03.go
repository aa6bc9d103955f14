package diagnose

func kOPS03() Rule {
	return Rule{
		ID: "K-OPS-03", Title: "A Deployment may start two servers on one data directory", Severity: Warning, Risk: true, Needs: []Need{needPod()},
		What: "A rolling update starts the new pod before the old one ends. On a shared volume the second server fails on InnoDB's file lock; where locks " +
			"do not work, it corrupts the data. Several replicas with one claim do so all the time, which is an error. A Deployment also provides no stable name or volume.",
		Impact:  "Failed updates, or data corruption.",
		Fix:     "Use a StatefulSet or an operator. At least set strategy: {type: Recreate} with one replica.",
		Sources: []string{"Kubernetes documentation, Run a Single-Instance Stateful Application: https://kubernetes.io/docs/tasks/run-application/run-single-instance-stateful-application/"},
		Check: func(c *Case) []Finding {
			if c.DB.Object.Kind != "Deployment" {
				return nil
			}
			mount, volume := c.DB.Pod.Mount(c.DB.Server, "/var/lib/mysql")
			if !mount.Exists() {
				return list(unknown("no volume is mounted at /var/lib/mysql; whether two servers would share one is unknown"))
			}
			strategy := c.DB.Object.Value.Get("spec", "strategy", "type")
			shared := volume.Get("persistentVolumeClaim").Exists() || volume.Get("hostPath").Exists() || volume.Get("nfs").Exists()
			switch {
			case volume.Get("hostPath").Exists() && c.DB.Replicas > 1 && !c.onOneNode():
				if len(checkSpread(c)) == 0 { // no two of them on one node: K-STO-03
					return nil
				}
				return list(hint(c.DB.Object.Value.Get("spec", "replicas").Spot(), "those of the %d servers that run on one node share a data directory, the others have different ones", c.DB.Replicas).
					fix("a StatefulSet with volumeClaimTemplates"))
			case shared && c.DB.Replicas > 1:
				return list(confirmed(c.DB.Object.Value.Get("spec", "replicas").Spot(), "%d servers share one data directory", c.DB.Replicas).as(Error).fix("a StatefulSet with volumeClaimTemplates"))
			case shared && strategy.Text() != "Recreate":
				return list(confirmed(strategy.Spot(), "a rolling update starts a second server on the same data directory").fix("strategy: {type: Recreate}, or a StatefulSet"))
			}
			return nil
		},
	}
}

// onOneNode is whether the pod names its node.
func (c *Case) onOneNode() bool {
	return c.DB.Pod.Spec.Get("nodeSelector", "kubernetes.io/hostname").Exists() || c.DB.Pod.Spec.Get("nodeName").Exists()
}
