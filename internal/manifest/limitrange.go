package manifest

// This file is what the API server adds to a pod when it is created: the defaults of a LimitRange, and what a
// kubelet's release leaves out.

import (
	"strconv"
	"strings"
)

// given are a container's defaults by a LimitRange: quantities by resource.
type given struct{ limits, requests defaults }

// defaults are mappings of resources to quantities; the first that has a resource holds.
type defaults []Value

// Get is the default of a resource, or its place.
func (d defaults) Get(name string) Value {
	for _, v := range d {
		if v.Get(name).Exists() {
			return v.Get(name)
		}
	}
	return Value{}
}

// limitRange applies the LimitRange of the pod's namespace to its containers. Of two, the order is not
// known, and neither is applied (kubernetes.io/docs/concepts/policy/limit-range).
func (s *Set) limitRange(d *Database) {
	var ranges []Value
	for _, o := range s.All("LimitRange") {
		if !o.MayBeIn(d.Object.Namespace) {
			continue
		}
		for _, l := range o.Value.Get("spec", "limits").Items() {
			if l.Get("type").Text() == "Container" && (l.Get("default").Exists() || l.Get("defaultRequest").Exists() || l.Get("max").Exists() || l.Get("min").Exists()) {
				ranges = append(ranges, l)
				d.LimitRange = o
			}
		}
	}
	if len(ranges) != 1 {
		d.Ambiguous = len(ranges) > 1
		return
	}
	for _, c := range d.Pod.Containers {
		// A limit without a default is max; a request without one is the default limit, or min
		// (SetDefaults_LimitRangeItem of pkg/apis/core/v1/defaults.go).
		l := ranges[0]
		c.given = given{limits: defaults{l.Get("default"), l.Get("max")}, requests: defaults{l.Get("defaultRequest"), l.Get("default"), l.Get("max"), l.Get("min")}}
	}
}

// OnKubelet takes out of the pod what a kubelet of that release does not know: resources of the pod as a
// whole exist from Kubernetes 1.32 on, and are on by default from 1.34 on (feature gate PodLevelResources).
// gate says that the kubelet has it enabled.
func (d *Database) OnKubelet(release string, gate bool) {
	if d.Pod == nil || !d.Pod.Resources.Exists() {
		return
	}
	minor, ok := KubernetesMinor(release)
	if ok && (minor < 32 || minor < 34 && !gate) {
		d.Dropped, d.Pod.Resources = d.Pod.Resources, Value{}
	}
}

// KubernetesMinor is the second number of a release such as v1.31.4.
func KubernetesMinor(release string) (minor int, ok bool) {
	parts := strings.Split(strings.TrimPrefix(release, "v"), ".")
	if len(parts) < 2 || parts[0] != "1" {
		return 0, false
	}
	minor, err := strconv.Atoi(strings.TrimRight(parts[1], "+"))
	return minor, err == nil
}
