package experiment

import (
	"slices"
	"strings"
)

// meant are the known fields that a word of Kubernetes, of other benchmark programs or of people stands for. No number of
// edits leads from cpuLimit to cpu.
func meant(word string, known []string) (all []string) {
	for _, field := range aliases()[strings.NewReplacer("-", "", "_", "", ".", "").Replace(strings.ToLower(word))] {
		if slices.Contains(known, field) {
			all = append(all, field)
		}
	}
	return all
}

// aliases are the fields by such words, in lower case and without what separates their parts.
func aliases() map[string][]string {
	return map[string][]string{
		// Fields of a pod, its containers, and a kubelet.
		"cpulimit": {"cpu"}, "cpulimits": {"cpu"}, "limitscpu": {"cpu"}, "limitcpu": {"cpu"}, "cores": {"cpu"}, "vcpu": {"cpu"}, "vcpus": {"cpu"},
		"memlimit": {"memory"}, "limitsmemory": {"memory"}, "limitmemory": {"memory"}, "mem": {"memory"}, "ram": {"memory"},
		"requestscpu": {"cpuRequest"}, "cpurequests": {"cpuRequest"}, "requestsmemory": {"memoryRequest"}, "memrequest": {"memoryRequest"},
		"limits": {"cpu", "memory"}, "requests": {"cpuRequest", "memoryRequest"},
		"resources": {"cpu", "memory", "cpuRequest", "memoryRequest"}, "qosclass": {"qos"},
		"cpucfsquota": {"quota"}, "cfsquota": {"quota"}, "cpuquota": {"quota"}, "cpucfsquotaperiod": {"quotaPeriod"}, "cfsperiod": {"quotaPeriod"},
		"cpushares": {"weight"}, "cpuweight": {"weight"}, "cpuset": {"exclusive"}, "cpumanager": {"exclusive"}, "cpumanagerpolicy": {"exclusive"},
		"storageclassname": {"storageClass"}, "storage": {"volume", "storageClass"}, "seccompprofile": {"seccomp"},
		"allowprivilegeescalation": {"noNewPrivileges"}, "nodename": {"node"}, "cni": {"network"}, "noisyneighbour": {"neighbour"}, "noisyneighbor": {"neighbour"},
		// Options of a server and of benchmark programs.
		"mycnf": {"config"}, "variables": {"config"}, "settings": {"config"}, "parameters": {"config"},
		"connections": {"threads"}, "concurrency": {"threads"}, "terminals": {"threads"}, "numthreads": {"threads"},
		"test": {"workload"}, "script": {"workload"}, "benchmark": {"workload"}, "tps": {"rate"}, "tablesize": {"rows"},
		"duration": {"measure"}, "time": {"measure"}, "rampup": {"warmup"}, "warmuptime": {"warmup"},
		"repetitions": {"rounds"}, "repeats": {"rounds"}, "repeat": {"rounds"}, "iterations": {"rounds"},
	}
}
