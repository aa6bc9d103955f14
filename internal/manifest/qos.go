package manifest

// This file computes the QoS class and the request of a pod as Kubernetes does:
// pkg/apis/core/v1/helper/qos/qos.go and component-helpers/resource.

// Class is a QoS class.
type Class string

// The classes.
const (
	BestEffort Class = "BestEffort"
	Burstable  Class = "Burstable"
	Guaranteed Class = "Guaranteed"
)

var computed = []string{"cpu", "memory"} // no other resource counts

// QoS is the class that the API server gives the pod as it stands in the file,
// before anything is injected. Pod-level resources decide alone where they are
// set (PodLevelResources, on by default since 1.34).
func (p *Pod) QoS() Class {
	if p.Resources.Exists() {
		return p.levelClass()
	}
	any := false
	for _, c := range p.Containers {
		any = any || c.counts()
	}
	return classOf(any, p.Containers)
}

// levelClass is the class by the resources of the pod as a whole.
func (p *Pod) levelClass() Class {
	class := BestEffort
	equal := true
	for _, name := range computed {
		limit, request := p.Resources.Get("limits", name).Amount(name), p.levelRequest(name)
		if limit.Positive() || request.Positive() {
			class = Burstable
		}
		equal = equal && limit.Positive() && request.Value == limit.Value
	}
	if equal {
		return Guaranteed
	}
	return class
}

// levelRequest is the request of the pod as a whole, as the API server fills it in where
// it has limits: from the requests of the containers, and from its limit where no container
// has one (defaultPodRequests of pkg/apis/core/v1/defaults.go).
func (p *Pod) levelRequest(name string) Amount {
	if r := p.Resources.Get("requests", name).Amount(name); r.Set {
		return r
	}
	if len(p.Resources.Get("limits").Fields()) == 0 {
		return Amount{}
	}
	for _, c := range p.Containers {
		if c.Request(name).Set {
			return Amount{Value: p.containerRequests(name), Set: true}
		}
	}
	return p.Resources.Get("limits", name).Amount(name)
}

// counts is whether any amount above zero is set.
func (c *Container) counts() bool {
	for _, name := range computed {
		if c.Request(name).Positive() || c.Limit(name).Positive() {
			return true
		}
	}
	return false
}

func classOf(any bool, all []*Container) Class {
	if !any {
		return BestEffort
	}
	for _, name := range computed {
		var requests, limits int64
		for _, c := range all {
			limit := c.Limit(name)
			if !limit.Positive() {
				return Burstable
			}
			limits += limit.Value
			requests += c.Request(name).Value
		}
		if requests != limits {
			return Burstable
		}
	}
	return Guaranteed
}

// KeepsFromGuaranteed is whether the container's own resources keep its pod from
// being Guaranteed.
func (c *Container) KeepsFromGuaranteed() bool {
	return classOf(c.counts(), []*Container{c}) != Guaranteed
}

// Requests is what the scheduler reserves for the pod: its own request, or else that
// of its containers, and the overhead of the runtime class.
func (p *Pod) Requests(name string) int64 {
	total := p.containerRequests(name)
	if r := p.levelRequest(name); r.Set {
		total = r.Value
	}
	return total + p.Spec.Get("overhead", name).Amount(name).Value
}

// containerRequests is what the containers request: those that run and the sidecars together,
// or the largest moment of the start, whichever is more.
func (p *Pod) containerRequests(name string) int64 {
	var running, starting int64
	for _, c := range p.Containers {
		if !c.Init {
			running += c.Request(name).Value
		}
	}
	var before int64
	for _, c := range p.Containers {
		switch {
		case c.Sidecar:
			before += c.Request(name).Value
			starting = max(starting, before)
		case c.Init:
			starting = max(starting, before+c.Request(name).Value)
		}
	}
	return max(running+before, starting)
}
