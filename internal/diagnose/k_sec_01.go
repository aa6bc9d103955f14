package diagnose

func kSEC01() Rule {
	return Rule{
		ID: "K-SEC-01", Title: "The seccomp profile switches on costly mitigations on this kernel", Severity: Error, Needs: []Need{needNode()},
		What: "Before Linux 5.16 every process with a seccomp filter also got speculative store bypass disabled and STIBP. The same server without " +
			"a container has no filter, so the pod looks slow.",
		Impact:  "38 % of the operations in one CPU-bound benchmark, 30 % reported for others; no figure for MySQL.",
		Fix:     "Kernel 5.16, or boot with spec_store_bypass_disable=prctl spectre_v2_user=prctl; or seccompProfile: Unconfined, knowing what that gives up.",
		Sources: []string{ssbd},
		Check: func(c *Case) []Finding {
			profile := seccomp(c)
			if profile.Text() != "RuntimeDefault" && profile.Text() != "Localhost" {
				return nil
			}
			v, ok := kernelVersion(c.Node.Info("kernelVersion"))
			if !ok {
				return list(unknown("%s does not say its kernel's version", c.Node.Object.Name))
			}
			if !older(v, 5, 16) {
				return nil
			}
			return list(hint(profile.Spot(), "kernel %s and a seccomp profile (%s): on processors with the flaw every thread runs with speculative store bypass disabled", c.Node.Info("kernelVersion"), profile.Text()).
				fix("a kernel of 5.16 or later"))
		},
	}
}
