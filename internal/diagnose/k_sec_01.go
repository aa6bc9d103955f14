package diagnose

func kSEC01() Rule {
	return Rule{
		ID: "K-SEC-01", Title: "Seccomp enables SSBD and STIBP mitigations on kernels before 5.16", Severity: Error, Needs: []Need{needNode()},
		What: "Before Linux 5.16, every process with a seccomp filter also ran with Speculative Store Bypass Disable and STIBP. The same server outside a " +
			"container has no seccomp filter, so the pod looks slower.",
		Impact: "38 % fewer operations per second in one CPU-bound benchmark, 30 % reported for others; no figure for MySQL.",
		Fix: "Upgrade to kernel 5.16 or later, or boot with spec_store_bypass_disable=prctl spectre_v2_user=prctl. seccompProfile: Unconfined also avoids " +
			"it, but removes the protection.",
		Sources: []string{ssbd},
		Check: func(c *Case) []Finding {
			profile := seccomp(c)
			if profile.Text() != "RuntimeDefault" && profile.Text() != "Localhost" {
				return nil
			}
			v, ok := kernelVersion(c.Node.Info("kernelVersion"))
			if !ok {
				return list(unknown("%s has no status.nodeInfo.kernelVersion", c.Node.Object.Name))
			}
			if arch := c.Node.Info("architecture"); !older(v, 5, 16) || arch != "" && arch != "amd64" {
				return nil // the mitigation is x86's (arch/x86/kernel/cpu/bugs.c, arch_seccomp_spec_mitigate)
			}
			return list(hint(profile.Spot(), "kernel %s with seccomp profile %s: on affected processors every thread runs with Speculative Store Bypass Disable", c.Node.Info("kernelVersion"), profile.Text()).
				fix("upgrade the kernel to 5.16 or later"))
		},
	}
}
