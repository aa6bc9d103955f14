package diagnose

import (
	"strings"

	"github.com/tarebench/tare/internal/manifest"
)

func kNUM03() Rule {
	return Rule{
		ID: "K-NUM-03", Title: "NUMA interleaving blocked by seccomp (mbind: Operation not permitted)", Severity: Note, Needs: []Need{needPod()},
		What: "innodb_numa_interleave is on by default from MySQL 8.4, and off in MariaDB. The default seccomp profile allows mbind only with CAP_SYS_NICE. The server then " +
			"runs without interleaving and writes \"mbind: Operation not permitted\" to its error log.",
		Impact:  "Uneven memory placement on machines with more than one NUMA node; an error log full of messages.",
		Fix:     "Set innodb_numa_interleave=OFF and keep the pod on one NUMA node, or add the capability SYS_NICE (securityContext.capabilities.add).",
		Sources: []string{mysqlDefaults, mbind, measured},
		Check: func(c *Case) []Finding {
			profile := seccomp(c)
			if profile.Text() == "" || profile.Text() == "Unconfined" {
				return nil
			}
			s, why := c.setting("innodb_numa_interleave")
			if !why.empty() {
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
			return list(hint(profile.Spot(), "innodb_numa_interleave is on, but the seccomp profile %s does not allow mbind", profile.Text()).fix("innodb_numa_interleave=OFF in %s", c.configIn()))
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
