package report

import (
	"strconv"
	"strings"
)

// kubeletPeriod is the CFS period in microseconds that a kubelet sets by default.
const kubeletPeriod = 100_000

// ValueOf is the value of a fact of an arm as views show it.
func (doc *Document) ValueOf(arm, key, value string) string {
	period := float64(kubeletPeriod)
	if prefix, ok := strings.CutSuffix(key, "cpu.cfs_quota_us"); ok {
		for i := range doc.Arms {
			for _, e := range doc.Arms[i].Cgroup {
				if v, err := strconv.ParseFloat(e.Value, 64); err == nil && v > 0 && doc.Arms[i].Name == arm && e.Key == prefix+"cpu.cfs_period_us" {
					period = v
				}
			}
		}
	}
	return doc.Language().Readable(key, value, period)
}
