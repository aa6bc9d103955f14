package diagnose

import (
	"strings"

	"github.com/tarebench/tare/internal/manifest"
)

func kNUM03() Rule {
	return Rule{
		ID: "K-NUM-03", Title: "The server may not set its NUMA policy", Severity: Note, Needs: []Need{needPod()},
		What: "innodb_numa_interleave is on by default since MySQL 8.4, and the default seccomp profile allows mbind only with CAP_SYS_NICE. " +
			"Interleaving is then lost without an error, and the log fills with: mbind: Operation not permitted.",
		Fix:     "innodb_numa_interleave=OFF, with the pod inside one NUMA node; or securityContext.capabilities.add: [SYS_NICE].",
		Sources: []string{mbind, measured},
		Check: func(c *Case) []Finding {
			profile := seccomp(c)
			if profile.Text() == "" || profile.Text() == "Unconfined" || c.DB.Product == manifest.MariaDB {
				return nil
			}
			s, why := c.setting("innodb_numa_interleave")
			if why != "" {
				return list(unknown("%s", why))
			}
			for _, capability := range c.DB.Server.Value.Get("securityContext", "capabilities", "add").Items() {
				if strings.TrimPrefix(capability.Text(), "CAP_") == "SYS_NICE" {
					return nil
				}
			}
			if !manifest.IsOn(s.Value) {
				return nil
			}
			return list(hint(profile.Spot(), "innodb_numa_interleave is on and the seccomp profile %s forbids it", profile.Text()).fix("innodb_numa_interleave=OFF in %s", c.configIn()))
		},
	}
}

// seccomp is the type of the server's profile.
func seccomp(c *Case) manifest.Value {
	if p := c.DB.Server.Value.Get("securityContext", "seccompProfile", "type"); p.Exists() {
		return p
	}
	return c.DB.Pod.Spec.Get("securityContext", "seccompProfile", "type")
}
