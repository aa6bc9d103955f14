package kubernetes

// What a node's kubelet says of itself and of the pod, read through the API server.
// It takes the right to get nodes/proxy (the capability kubelet of docs/kubernetes-rbac.yaml); without
// it these facts are unknown.

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"k8s.io/client-go/rest"

	"github.com/tarebench/tare/internal/keys"
	"github.com/tarebench/tare/internal/record"
)

// kubeletGet reads a page of a node's kubelet.
func (c *cluster) kubeletGet(ctx context.Context, node string, path ...string) ([]byte, error) {
	at, err := c.url(append([]string{"nodes", node, "proxy"}, path...)...)
	if err != nil {
		return nil, err
	}
	client, err := rest.HTTPClientFor(c.config)
	if err != nil {
		return nil, fmt.Errorf("ask kubelet: %w", err)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, at.String(), nil)
	if err != nil {
		return nil, fmt.Errorf("ask kubelet: %w", err)
	}
	answer, err := client.Do(request)
	if err != nil {
		return nil, record.AskKubelet.Wrap(err, node)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(io.LimitReader(answer.Body, 64<<20))
	switch {
	case answer.StatusCode == http.StatusForbidden:
		return nil, errors.New(record.KubeletForbidden.Say())
	case answer.StatusCode != http.StatusOK:
		return nil, errors.New(record.AskKubelet.Say(node, answer.Status))
	case err != nil:
		return nil, record.AskKubelet.Wrap(err, node)
	}
	return text, nil
}

// kubeletSettings are those of its configuration that change what a pod gets.
var kubeletSettings = []string{
	"cpuManagerPolicy", "cpuManagerPolicyOptions", "reservedSystemCPUs", "topologyManagerPolicy", "memoryManagerPolicy", "cpuCFSQuota", "cpuCFSQuotaPeriod",
	"cgroupDriver", "cgroupsPerQOS", "kubeReserved", "systemReserved", "enforceNodeAllocatable", "memorySwap", "memoryThrottlingFactor", "featureGates",
}

// kubeletFacts are the kubelet's configuration as it runs, defaults included.
func (s *server) kubeletFacts(ctx context.Context) []record.Fact {
	source := "configz of node " + s.pod.Spec.NodeName
	text, err := s.target.cluster.kubeletGet(ctx, s.pod.Spec.NodeName, "configz")
	var page struct {
		Config map[string]any `json:"kubeletconfig"`
	}
	if err == nil {
		err = json.Unmarshal(text, &page)
	}
	if err != nil {
		return []record.Fact{{Key: keys.KubeletCPUManagerPolicy, Source: source, Unknown: err.Error()}}
	}
	var facts []record.Fact
	for _, name := range kubeletSettings {
		v, ok := page.Config[name]
		if !ok {
			continue
		}
		value, ok := v.(string)
		if !ok {
			b, err := json.Marshal(v)
			if err != nil {
				continue // it was read from JSON a moment ago
			}
			value = string(b)
		}
		facts = append(facts, record.Fact{Key: keys.KubeletPrefix + name, Value: value, Source: source})
	}
	return facts
}

// counter is one of cAdvisor's figures.
type counter struct {
	metric, key string
	start       bool // a setting: it is read once
	scale       float64
}

const memoryLimit = "container_spec_memory_limit_bytes"

// value is the figure in the unit of the cgroup's file. No memory limit is 0 to cAdvisor and the
// largest number of whole pages in the file.
func (c counter) value(v float64) string {
	if c.metric == memoryLimit && v == 0 {
		return "9223372036854771712"
	}
	return strconv.FormatFloat(v*c.scale, 'f', 0, 64)
}

// counters are cAdvisor's figures of a container, under the names that the cgroup
// files have in the container target.
var counters = []counter{
	{"container_cpu_cfs_periods_total", keys.CgroupContainerCPUStatNrPeriods, false, 1},
	{"container_cpu_cfs_throttled_periods_total", keys.CgroupContainerCPUStatNrThrottled, false, 1},
	{"container_cpu_cfs_throttled_seconds_total", keys.CgroupContainerCPUStatThrottledTime, false, 1e9},
	{"container_cpu_usage_seconds_total", keys.CgroupContainerCPUAcctUsage, false, 1e9},
	{"container_memory_working_set_bytes", keys.PodMemoryWorkingSet, false, 1},
	{"container_oom_events_total", keys.PodMemoryOOMEvents, false, 1},
	{"container_spec_cpu_shares", keys.CgroupContainerCPUShares, true, 1},
	{"container_spec_cpu_quota", keys.CgroupContainerCPUCFSQuotaUS, true, 1},
	{"container_spec_cpu_period", keys.CgroupContainerCPUCFSPeriodUS, true, 1},
	{memoryLimit, keys.CgroupContainerMemoryLimitInBytes, true, 1},
}

// counterFacts are what the node's kernel has counted of the server's container, as
// of the kubelet's last look, which can be a quarter of a minute old.
func (s *server) counterFacts(ctx context.Context, phase string) []record.Fact {
	source := "cAdvisor of node " + s.pod.Spec.NodeName
	text, err := s.target.cluster.kubeletGet(ctx, s.pod.Spec.NodeName, "metrics", "cadvisor")
	var found map[string]float64
	if err == nil {
		found, err = containerMetrics(string(text), s.target.cluster.namespace, s.podName(), s.container)
	}
	if err != nil {
		return []record.Fact{{Key: keys.CgroupCPU, Source: source, Unknown: err.Error()}}
	}
	var facts []record.Fact
	for _, c := range counters {
		if v, ok := found[c.metric]; ok && (!c.start || phase == "start") {
			facts = append(facts, record.Fact{Key: c.key, Value: c.value(v), Source: source + ", " + c.metric})
		}
	}
	if len(facts) == 0 {
		return []record.Fact{{Key: keys.CgroupCPU, Source: source, Unknown: record.KubeletNotYet.Say()}}
	}
	return facts
}

// containerMetrics are the metrics of one container in a page of cAdvisor's.
func containerMetrics(text, namespace, pod, container string) (map[string]float64, error) {
	parser := expfmt.NewTextParser(model.LegacyValidation)
	families, err := parser.TextToMetricFamilies(strings.NewReader(text))
	if err != nil {
		return nil, fmt.Errorf("read cAdvisor's metrics: %w", err)
	}
	want := map[string]string{"namespace": namespace, "pod": pod, "container": container}
	found := map[string]float64{}
	for name, family := range families {
		if v, _, ok := valueOf(family, want); ok {
			found[name] = v
		}
	}
	return found, nil
}

func hasLabels(m *dto.Metric, want map[string]string) bool {
	n := 0
	for _, l := range m.Label {
		if v, ok := want[l.GetName()]; ok && v == l.GetValue() {
			n++
		}
	}
	return n == len(want)
}
