package diagnose

import (
	"github.com/tarebench/tare/internal/manifest"
)

func kOPS05() Rule {
	return Rule{
		ID: "K-OPS-05", Title: "Termination grace period too short for a clean shutdown", Severity: Warning, Risk: true, Needs: []Need{needPod()},
		What: "A clean shutdown flushes the dirty pages and saves the list of buffer pool pages. If the server is killed before that, it starts with crash " +
			"recovery and an empty buffer pool. The default grace period is 30 s.",
		Impact:  "Crash recovery and a cold buffer pool after every restart.",
		Fix:     "Set terminationGracePeriodSeconds: 600, the value of Percona's operators.",
		Sources: []string{k8sTermination, pxcOperator, psOperator},
		Check: func(c *Case) []Finding {
			grace := c.DB.Pod.Spec.Get("terminationGracePeriodSeconds")
			size, _, known := c.DB.BufferPool()
			switch {
			case grace.Exists() && grace.Int(30) < 30:
				return list(confirmed(grace.Spot(), "grace period of %s s to flush the dirty pages before the server is killed", grace.Text()).fix("terminationGracePeriodSeconds: 600").edit(grace.Spot(), "600"))
			case grace.Int(30) >= 120:
				return nil
			case !known:
				return list(unknown("grace period of %s s; the size of the buffer pool is not in the files", seconds(grace)))
			case size >= 2<<30:
				return list(hint(grace.Spot(), "grace period of %s s to flush the dirty pages of a buffer pool of %s", seconds(grace), manifest.Size(size)).fix("terminationGracePeriodSeconds: 600").edit(grace.Spot(), "600"))
			}
			return nil
		},
	}
}

func seconds(grace manifest.Value) string {
	if grace.Exists() {
		return grace.Text()
	}
	return "30"
}
