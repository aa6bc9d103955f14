package kubernetes

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"github.com/tarebench/tare/internal/keys"
	"github.com/tarebench/tare/internal/probe"
)

// cadvisorMetric is one of cAdvisor's, and the probes' metric that is the same.
type cadvisorMetric struct {
	metric, name string
	scale        float64
}

// ofContainer are those of the server's container, ofNode those of its whole node, which
// cAdvisor shows as the container "/".
func ofContainer() []cadvisorMetric {
	return []cadvisorMetric{
		{"container_cpu_usage_seconds_total", keys.CgroupCPUUsageNS, 1e9},
		{"container_cpu_cfs_periods_total", keys.CgroupCPUNrPeriods, 1},
		{"container_cpu_cfs_throttled_periods_total", keys.CgroupCPUNrThrottled, 1},
		{"container_cpu_cfs_throttled_seconds_total", keys.CgroupCPUThrottledNS, 1e9},
		{"container_memory_usage_bytes", keys.CgroupMemoryUsageBytes, 1},
	}
}

func ofNode() []cadvisorMetric {
	return []cadvisorMetric{
		{"container_cpu_user_seconds_total", keys.HostCPUUserNS, 1e9},
		{"container_cpu_system_seconds_total", keys.HostCPUSystemNS, 1e9},
	}
}

// Counters are what the kubelet's cAdvisor has read of the server's container and of its
// node. They are up to 15 seconds old, and of different times. The right to get nodes/proxy
// is needed (the capability kubelet of docs/kubernetes-rbac.yaml).
func (l *Live) Counters(ctx context.Context) ([]probe.Reading, error) {
	text, err := l.cluster.kubeletGet(ctx, l.Node(), "metrics", "cadvisor")
	if err != nil {
		return nil, err
	}
	return readCAdvisor(string(text), map[string]string{"namespace": l.pod.Namespace, "pod": l.pod.Name, "container": l.container.Name})
}

// readCAdvisor takes the readings of one container and of the node from a page of
// cAdvisor's.
func readCAdvisor(text string, container map[string]string) ([]probe.Reading, error) {
	parser := expfmt.NewTextParser(model.LegacyValidation)
	families, err := parser.TextToMetricFamilies(strings.NewReader(text))
	if err != nil {
		return nil, fmt.Errorf("read cAdvisor's metrics: %w", err)
	}
	server := reading(families, container, ofContainer())
	if len(server.Values) == 0 {
		return nil, fmt.Errorf("cAdvisor has not read container %s of pod %s yet", container["container"], container["pod"])
	}
	if limit := quotaOf(families, container); limit > 0 {
		server.Values[keys.CgroupCPULimit] = limit
	} else if _, limited := server.Values[keys.CgroupCPUNrPeriods]; !limited { // a container without a quota has none of these
		server.Values[keys.CgroupCPUNrPeriods], server.Values[keys.CgroupCPUNrThrottled], server.Values[keys.CgroupCPUThrottledNS] = 0, 0, 0
	}
	if limit, _, ok := valueOf(families["container_spec_memory_limit_bytes"], container); ok && limit > 0 {
		server.Values[keys.CgroupMemoryLimitBytes] = limit
	}
	return []probe.Reading{server, readNode(families)}, nil
}

// readNode is the CPU time of everything on the node. Idle time is what is left of its CPUs'
// time since the epoch: only differences of it mean something.
func readNode(families map[string]*dto.MetricFamily) probe.Reading {
	r := reading(families, map[string]string{"id": "/"}, ofNode())
	cpus, _, ok := valueOf(families["machine_cpu_cores"], nil)
	if used := r.Values[keys.HostCPUUserNS] + r.Values[keys.HostCPUSystemNS]; ok && used > 0 {
		r.Values[keys.HostCPUIdleNS] = cpus*float64(r.At.UnixNano()) - used
	}
	return r
}

// quotaOf is the container's CPU quota in CPUs, 0 without one.
func quotaOf(families map[string]*dto.MetricFamily, container map[string]string) float64 {
	quota, _, _ := valueOf(families["container_spec_cpu_quota"], container)
	period, _, _ := valueOf(families["container_spec_cpu_period"], container)
	if quota <= 0 || period <= 0 {
		return 0
	}
	return quota / period
}

// reading is the values of one of cAdvisor's containers; its time is the oldest of theirs.
func reading(families map[string]*dto.MetricFamily, labels map[string]string, metrics []cadvisorMetric) probe.Reading {
	r := probe.Reading{Values: map[string]float64{}}
	for _, m := range metrics {
		v, at, ok := valueOf(families[m.metric], labels)
		if !ok {
			continue
		}
		r.Values[m.name] = v * m.scale
		if r.At.IsZero() || at.Before(r.At) {
			r.At = at
		}
	}
	return r
}

// valueOf is the value of a metric with these labels, and when cAdvisor read it.
func valueOf(family *dto.MetricFamily, labels map[string]string) (v float64, at time.Time, ok bool) {
	if family == nil {
		return 0, at, false
	}
	i := slices.IndexFunc(family.Metric, func(m *dto.Metric) bool { return hasLabels(m, labels) })
	if i < 0 {
		return 0, at, false
	}
	switch m := family.Metric[i]; {
	case m.Counter != nil:
		v = m.Counter.GetValue()
	case m.Gauge != nil:
		v = m.Gauge.GetValue()
	default:
		return 0, at, false
	}
	at = time.Now()
	if ms := family.Metric[i].GetTimestampMs(); ms > 0 {
		at = time.UnixMilli(ms)
	}
	return v, at, true
}
