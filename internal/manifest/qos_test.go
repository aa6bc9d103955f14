package manifest

import "testing"

// TestQoS follows the cases of pkg/apis/core/v1/helper/qos in words of YAML.
func TestQoS(t *testing.T) {
	for _, c := range []struct {
		name, spec string
		want       Class
		cpu        int64
	}{
		{"nothing", "{containers: [{name: a}]}", BestEffort, 0},
		{"zeros are nothing", "{containers: [{name: a, resources: {limits: {cpu: 0, memory: '0'}}}]}", BestEffort, 0},
		{"other resources are nothing", "{containers: [{name: a, resources: {limits: {nvidia.com/gpu: 1}}}]}", BestEffort, 0},
		{"requests alone", "{containers: [{name: a, resources: {requests: {cpu: 1, memory: 1Gi}}}]}", Burstable, 1000},
		{"limits alone", "{containers: [{name: a, resources: {limits: {cpu: 1500m, memory: 1Gi}}}]}", Guaranteed, 1500},
		{"equal in other units", "{containers: [{name: a, resources: {requests: {cpu: 1000m, memory: 1024Mi}, limits: {cpu: 1, memory: 1Gi}}}]}", Guaranteed, 1000},
		{"one container without", "{containers: [{name: a, resources: {limits: {cpu: 1, memory: 1Gi}}}, {name: b}]}", Burstable, 1000},
		{"an init container without", "{initContainers: [{name: i}], containers: [{name: a, resources: {limits: {cpu: 1, memory: 1Gi}}}]}", Burstable, 1000},
		{"init larger", "{initContainers: [{name: i, resources: {limits: {cpu: 3, memory: 1Gi}}}], containers: [{name: a, resources: {limits: {cpu: 1, memory: 1Gi}}}]}", Guaranteed, 3000},
		{"sidecar adds", "{initContainers: [{name: s, restartPolicy: Always, resources: {limits: {cpu: 1, memory: 1Gi}}}, {name: i, resources: {limits: {cpu: 2, memory: 1Gi}}}], containers: [{name: a, resources: {limits: {cpu: 1, memory: 1Gi}}}]}", Guaranteed, 3000},
		{"pod level alone", "{resources: {limits: {cpu: 2, memory: 1Gi}}, containers: [{name: a}]}", Guaranteed, 2000},
		{"pod level beats", "{resources: {requests: {cpu: 1}}, containers: [{name: a, resources: {limits: {cpu: 1, memory: 1Gi}}}]}", Burstable, 1000},
		{"pod level empty", "{resources: {}, containers: [{name: a, resources: {requests: {cpu: 1}}}]}", Burstable, 1000},
		{"pod level of no resource", "{resources: {limits: {}, requests: {}}, containers: [{name: a, resources: {limits: {cpu: 1, memory: 1Gi}}}]}", Guaranteed, 1000},
		{"pod limits over containers' requests", "{resources: {limits: {cpu: 2, memory: 1Gi}}, containers: [{name: a, resources: {requests: {cpu: 500m}}}, {name: b, resources: {limits: {cpu: 250m}}}]}", Burstable, 750},
		{"pod limits over other requests", "{resources: {limits: {cpu: 2, memory: 1Gi}}, containers: [{name: a, resources: {requests: {memory: 1Gi}}}]}", Guaranteed, 2000},
		{"pod zeros", "{resources: {requests: {cpu: 0}}, containers: [{name: a, resources: {limits: {cpu: 1, memory: 1Gi}}}]}", BestEffort, 0},
		{"overhead", "{overhead: {cpu: 250m}, containers: [{name: a, resources: {requests: {cpu: 1}}}]}", Burstable, 1250},
	} {
		set, problems := Read([]Source{{Name: "p.yaml", Text: []byte("{kind: Pod, spec: " + c.spec + "}")}}, nil)
		if len(problems) > 0 {
			t.Fatal(c.name, problems)
		}
		p := podAt(set.Objects[0].Value)
		if got, cpu := p.QoS(), p.Requests("cpu"); got != c.want || cpu != c.cpu {
			t.Errorf("%s: %s, cpu %d; want %s, %d", c.name, got, cpu, c.want, c.cpu)
		}
	}
}
