package target

import (
	"fmt"
	"strconv"
	"strings"
)

// Allowance is what one ResourceQuota leaves of one resource, and what one database of an arm takes of it: in
// thousandths of a CPU, in bytes, or in pods.
type Allowance struct {
	Cluster, Namespace string // where the quota is
	Quota, Resource    string
	Hard, Left, Takes  int64
}

// Amount is an amount of the resource as Kubernetes writes it.
func (a Allowance) Amount(n int64) string {
	switch {
	case strings.HasSuffix(a.Resource, "memory"):
		return fmt.Sprintf("%dMi", n>>20)
	case strings.HasSuffix(a.Resource, "cpu"):
		return fmt.Sprintf("%dm", n)
	}
	return strconv.FormatInt(n, 10)
}

// Short says that the quota leaves less than who needs.
func (a Allowance) Short(needed int64, who string) string {
	return fmt.Sprintf("ResourceQuota %s of namespace %s leaves %s: %s, and %s %s", a.Quota, a.Namespace, a.Resource, a.Amount(a.Left), who, a.Amount(needed))
}

// Less is what an experiment can change to need less of the resource.
func (a Allowance) Less() string {
	switch {
	case strings.HasSuffix(a.Resource, "pods"):
		return "fewer load pods (clients), no neighbour"
	case strings.HasPrefix(a.Resource, "limits."):
		return "lower " + strings.TrimPrefix(a.Resource, "limits.") + " (a limit)"
	case strings.HasSuffix(a.Resource, "cpu"):
		return "a lower cpu, cpuRequest or clientCPURequest"
	}
	return "a lower memory or memoryRequest"
}
