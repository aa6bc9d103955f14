package diagnose

func kCFG01() Rule {
	return Rule{
		ID: "K-CFG-01", Title: "Optional ConfigMap: the server may start with default settings", Severity: Warning, Risk: true, Needs: []Need{needPod()},
		What: "With optional: true, a missing ConfigMap is not an error. The pod starts with the server's built-in defaults, including a buffer pool of 128 " +
			"MiB and a redo log of 100 MiB.",
		Impact:  "A server with default settings, without any error message.",
		Fix:     "Set optional: false. The pod then waits for its configuration and reports it.",
		Sources: []string{mysqlInnoDB, k8sVolumes, percona2019},
		Check: func(c *Case) []Finding {
			var all []Finding
			if owned(c) {
				return nil // the operator makes the ConfigMap, or not, as it was asked
			}
			for _, v := range c.DB.Pod.Spec.Get("volumes").Items() {
				o := v.Get("configMap", "optional")
				name := v.Get("configMap", "name").Text()
				if !o.IsTrue() || !c.DB.ConfiguredBy(v.Get("name").Text()) {
					continue
				}
				f := confirmed(o.Spot(), "ConfigMap %s is optional: without it the server starts with default settings and no error", name).fix("optional: false")
				if c.Set.FindIn("ConfigMap", name, c.DB.Object.Namespace) != nil { // else the pod might wait for one that is never made
					f = f.edit(o.Spot(), "false")
					f.Verdict = Hint
				}
				all = append(all, f)
			}
			if len(all) == 0 {
				return c.elsewhere()
			}
			return all
		},
	}
}
