package diagnose

import (
	"strings"

	"github.com/tarebench/tare/internal/manifest"
)

func kALC06() Rule {
	return Rule{
		ID: "K-ALC-06", Title: "A ResourceQuota or LimitRange does not admit the pod", Severity: Error, Needs: []Need{needResources()},
		What: "The API server refuses a pod that would exceed a ResourceQuota of its namespace, or whose containers are outside of a LimitRange's min and max. A quota " +
			"of requests or limits also refuses every container that has none. The StatefulSet exists then, and its pods do not.",
		Impact:  "No pod is created; the events of the StatefulSet say why.",
		Fix:     "Raise the quota or the range, or lower requests and limits, and the buffer pool with them.",
		Sources: []string{quotasAndRanges},
		Check: func(c *Case) []Finding {
			return append(c.overQuota(), c.outOfRange()...)
		},
	}
}

// overQuota compares one pod with each quota: more than one only makes it worse.
func (c *Case) overQuota() (all []Finding) {
	for _, o := range c.Set.All("ResourceQuota") {
		spec := o.Value.Get("spec")
		if !o.MayBeIn(c.DB.Object.Namespace) {
			continue
		}
		if spec.Get("scopes").Exists() || spec.Get("scopeSelector").Exists() {
			all = append(all, unknown("whether ResourceQuota %s is for this pod: it has scopes", o.Name))
			continue
		}
		for _, f := range spec.Get("hard").Fields() {
			kind, resource := quotaOf(f.Key)
			hard := f.Amount(resource)
			if resource == "" || !hard.Set {
				continue
			}
			asked, lacks := c.asked(kind, resource)
			switch {
			case lacks != "" && c.DB.Pod.Filled == "":
				all = append(all, confirmed(f.Spot(), "ResourceQuota %s has %s, and container %s sets none: the pod is refused", o.Name, f.Key, lacks).fix("%s.%s of every container, or a LimitRange with defaults", kind, resource))
			case asked > hard.Value:
				all = append(all, confirmed(f.Spot(), "ResourceQuota %s allows %s %s, and one pod has %s", o.Name, f.Key, f.Text(), amountText(resource, asked)).fix("a quota of at least %s for each pod", amountText(resource, asked)))
			}
		}
	}
	return all
}

// quotaOf is what a key of a quota bounds; cpu and memory alone are requests. "" where it is none of a pod's amounts.
func quotaOf(key string) (kind, resource string) {
	if key == "cpu" || key == "memory" {
		return "requests", key
	}
	kind, resource, _ = strings.Cut(key, ".")
	if (kind == "requests" || kind == "limits") && (resource == "cpu" || resource == "memory") {
		return kind, resource
	}
	return "", ""
}

// asked is what one pod has of a resource, and the first container that says nothing of it.
func (c *Case) asked(kind, resource string) (total int64, lacks string) {
	if kind == "requests" && c.DB.Pod.Resources.Exists() {
		return c.DB.Pod.Requests(resource), ""
	}
	for _, container := range c.DB.Pod.Containers {
		a := container.Limit(resource)
		if kind == "requests" {
			a = container.Request(resource)
		}
		switch {
		case !a.Positive() && lacks == "" && !c.DB.Pod.Resources.Exists():
			lacks = container.Name
		case !container.Init || container.Sidecar:
			total += a.Value
		}
	}
	return total, lacks
}

// outOfRange compares the server with the LimitRanges of its namespace.
func (c *Case) outOfRange() (all []Finding) {
	for _, o := range c.Set.All("LimitRange") {
		if !o.MayBeIn(c.DB.Object.Namespace) {
			continue
		}
		for _, l := range o.Value.Get("spec", "limits").Items() {
			if l.Get("type").Text() != "Container" {
				continue
			}
			for _, resource := range []string{"cpu", "memory"} {
				most, least := l.Get("max", resource).Amount(resource), l.Get("min", resource).Amount(resource)
				limit, request := c.DB.Server.Limit(resource), c.DB.Server.Request(resource)
				switch {
				case most.Positive() && (limit.Value > most.Value || request.Value > most.Value):
					has := max(limit.Value, request.Value)
					all = append(all, confirmed(most.At.Spot(), "LimitRange %s allows at most %s %s, and the server has %s: the pod is refused", o.Name, resource, most.At.Text(), amountText(resource, has)).
						fix("max of at least %s", amountText(resource, has)))
				case least.Positive() && request.Set && request.Value < least.Value:
					all = append(all, confirmed(least.At.Spot(), "LimitRange %s asks for at least %s %s, and the server requests %s: the pod is refused", o.Name, resource, least.At.Text(), amountText(resource, request.Value)).
						fix("requests.%s: %s", resource, least.At.Text()))
				case limit.Positive() && request.Value > limit.Value && !c.DB.Server.Resources.Get("limits", resource).Exists(): // else K-ALC-07
					all = append(all, confirmed(request.At.Spot(), "%s request %s, and a limit of %s by LimitRange %s: the pod is refused", resource, amountText(resource, request.Value), amountText(resource, limit.Value), o.Name).
						oneOf(phrase("limits.%s not below the request, of what the server needs", resource),
							resources(phrase("limits.%s: %s", resource, amountText(resource, request.Value)), "limits."+resource, amountText(resource, request.Value))))
				}
			}
		}
	}
	return all
}

func amountText(resource string, value int64) string {
	if resource == "cpu" {
		return manifest.CPUs(value)
	}
	return manifest.Size(value)
}
