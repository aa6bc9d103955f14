package diagnose

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/tarebench/tare/internal/keys"
)

func kCFS01() Rule {
	return Rule{
		ID: "K-CFS-01", Title: "Kernel bug: CFS throttles before the quota is used up", Severity: Error, Needs: []Need{needNode()},
		What: "In kernels between two fixes (512ac999d275 and de53fd7aedb1), the CFS quota is handed to each CPU in slices of 5 ms and unused slices " +
			"expire. A server with many threads on many CPUs is throttled although it has not used its quota.",
		Impact: "Up to (CPUs of the node x 5 ms) / (limit x 100 ms) of the quota in each period: 5 % for a limit of 55.5 on 56 CPUs, more than half for a " +
			"limit of 4 on 64 CPUs (computed from the kernel's code).",
		Fix: "Upgrade to kernel 5.4 or later (stable series: 4.14.154, 4.19.84, 5.3.9). Until then remove the CPU limit, or set cpuCFSQuota: false in the " +
			keys.KubeletPrefix,
		Sources: []string{cfsFix, cfsIssue},
		Check: func(c *Case) []Finding {
			limit, limited := c.DB.CPULimit()
			kernel := c.Node.Info("kernelVersion")
			if !limited {
				return nil
			}
			v, ok := kernelVersion(kernel)
			if !ok {
				return list(unknown("%s has no status.nodeInfo.kernelVersion", c.Node.Object.Name))
			}
			if !hasSliceDefect(v, kernel) {
				return nil
			}
			if ownNumber(v, kernel) {
				return list(unknown("kernel %s: the distribution's number does not show whether it has the fix (5.4 and later have it)", kernel))
			}
			return list(confirmed(limit.At.Spot(), "kernel %s on %s expires unused CFS quota (fixed in 5.4), and this container has a CPU limit", kernel, c.Node.Object.Name).
				fix("upgrade the kernel, or remove the CPU limit"))
		},
	}
}

var versionParts = regexp.MustCompile(`^v?(\d{1,4})\.(\d{1,4})(?:\.(\d{1,4}))?(?:-(\d{1,6}))?`)

// kernelVersion is major, minor, patch and the distribution's build number.
func kernelVersion(s string) (v [4]int, ok bool) {
	m := versionParts.FindStringSubmatch(s)
	if m == nil {
		return v, false
	}
	for i := range v {
		v[i], _ = strconv.Atoi(m[i+1])
	}
	return v, true
}

func older(v [4]int, than ...int) bool {
	for i, n := range than {
		if v[i] != n {
			return v[i] < n
		}
	}
	return false
}

// distributions are kernels whose name has the number of the distribution's build in the place of the
// stable release: Debian's 4.19.0-27-amd64 is 4.19.316. Those of Enterprise Linux 7 and of Ubuntu's 4.15,
// whose numbers are known, are in hasSliceDefect.
var distributions = regexp.MustCompile(`-(amd64|arm64|generic|cloud|aws|azure|gcp|oracle|lowlatency|kvm)|\.el[78]uek`)

func ownNumber(v [4]int, text string) bool {
	return distributions.MatchString(text) && !(v[0] == 4 && v[1] == 15 && strings.Contains(text, "-generic"))
}

// hasSliceDefect follows the stable series that took 512ac999d275 (which brought
// the defect out) and those that took de53fd7aedb1 (which ended it).
func hasSliceDefect(v [4]int, text string) bool {
	switch {
	case strings.Contains(text, ".el7"):
		return v[0] == 3 && v[1] == 10 && v[3] < 1062 && v[3] >= 957
	case v[0] == 4 && v[1] == 15 && strings.Contains(text, "-generic"):
		return v[3] < 67
	case v[0] == 4 && v[1] == 14:
		return older(v, 4, 14, 154)
	case v[0] == 4 && v[1] == 19:
		return older(v, 4, 19, 84)
	case v[0] == 5 && v[1] == 3:
		return older(v, 5, 3, 9)
	}
	return !older(v, 4, 18) && older(v, 5, 4) && !strings.Contains(text, ".el8")
}
