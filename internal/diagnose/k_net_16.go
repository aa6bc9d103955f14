package diagnose

func kNET16() Rule {
	return Rule{
		ID: "K-NET-16", Title: "Clients are bound to one member by their address", Severity: Note, Needs: []Need{needPod()},
		What:    "sessionAffinity: ClientIP sends all connections of an address to one member for three hours. Clients behind one gateway have one address, and make one member hot.",
		Fix:     "sessionAffinity: None, and a Service for the primary of its own.",
		Sources: []string{k8sService},
		Check: func(c *Case) []Finding {
			if c.DB.Replicas < 2 {
				return nil
			}
			if !c.DB.Pod.Meta.Get("labels").IsMap() {
				return list(unknown("the pod has no labels, so that no Service can be told to be its own"))
			}
			var all []Finding
			for _, s := range c.services() {
				if a := s.Value.Get("spec", "sessionAffinity"); a.Text() == "ClientIP" {
					all = append(all, hint(a.Spot(), "Service %s binds all connections of an address to one of %d members", s.Name, c.DB.Replicas).fix("sessionAffinity: None"))
				}
			}
			return all
		},
	}
}
