package diagnose

func kSTO09() Rule {
	return Rule{
		ID: "K-STO-09", Title: "Slow pod start: fsGroup changes the ownership of every file", Severity: Note, Risk: true, Needs: []Need{needPod()},
		What:    "With fsGroup, the kubelet changes the ownership of every file on the volume at every mount, unless fsGroupChangePolicy is OnRootMismatch.",
		Impact:  "Start time only: minutes with millions of files (7 to 10 minutes in the issue that led to the setting).",
		Fix:     "Set fsGroupChangePolicy: OnRootMismatch next to fsGroup.",
		Sources: []string{fsGroupBlog},
		Check: func(c *Case) []Finding {
			context := c.DB.Pod.Spec.Get("securityContext")
			policy := context.Get("fsGroupChangePolicy")
			if !context.Get("fsGroup").Exists() || policy.Text() == "OnRootMismatch" {
				return nil
			}
			at := context.Get("fsGroup").Spot()
			if policy.Exists() {
				at = policy.Spot()
			}
			f := hint(at, "every mount changes the ownership of every file (fsGroup without OnRootMismatch)").fix("fsGroupChangePolicy: OnRootMismatch")
			if policy.Exists() {
				f = f.edit(policy.Spot(), "OnRootMismatch")
			}
			return list(f)
		},
	}
}
