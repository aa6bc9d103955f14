package diagnose

func kNET16() Rule {
	return Rule{
		ID: "K-NET-16", Title: "sessionAffinity sends many clients to one replica", Severity: Note, Needs: []Need{needPod()},
		What: "With sessionAffinity: ClientIP, a Service sends all connections from one address to one replica for three hours. Clients behind one gateway " +
			"share an address and overload one replica.",
		Impact:  "Uneven load: one replica is busy while others are idle.",
		Fix:     "Set sessionAffinity: None, and use a separate Service for the primary.",
		Sources: []string{k8sService},
		Check: func(c *Case) []Finding {
			if c.DB.Replicas < 2 {
				return nil
			}
			if !c.DB.Pod.Meta.Get("labels").IsMap() {
				return list(unknown("the pod has no labels, so its Services are unknown"))
			}
			var all []Finding
			for _, s := range c.services() {
				if a := s.Value.Get("spec", "sessionAffinity"); a.Text() == "ClientIP" {
					all = append(all, hint(a.Spot(), "Service %s sends all connections of one client address to one of %d replicas", s.Name, c.DB.Replicas).fix("sessionAffinity: None"))
				}
			}
			return all
		},
	}
}
