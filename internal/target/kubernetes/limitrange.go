package kubernetes

// What a LimitRange makes of a container: its defaults, and whether it admits the container with them
// (plugin/pkg/admission/limitranger, PodValidateLimitFunc).

import (
	"fmt"
	"maps"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// rangeItem is an item of the LimitRange of that name.
type rangeItem struct {
	of string
	corev1.LimitRangeItem
}

// ofContainers are the items for containers, with the defaults that the API server gives them: a limit without a default
// is max, and a request without one is the default limit, or min (SetDefaults_LimitRangeItem).
func (a admission) ofContainers() (items []rangeItem) {
	for _, r := range a.ranges {
		for _, l := range r.Spec.Limits {
			if l.Type != corev1.LimitTypeContainer {
				continue
			}
			l.Default = merged(l.Max, l.Default)
			l.DefaultRequest = merged(l.Min, l.Default, l.DefaultRequest)
			items = append(items, rangeItem{r.Name, l})
		}
	}
	return items
}

// merged has the values of all lists; the last that has one holds.
func merged(lists ...corev1.ResourceList) corev1.ResourceList {
	all := corev1.ResourceList{}
	for _, l := range lists {
		maps.Copy(all, l)
	}
	return all
}

// outside says of a container, which is the only one of its pod and has its defaults, why the API server refuses it: a
// request above the limit, or an amount that a LimitRange does not allow. It also names the resource.
func (a admission) outside(r corev1.ResourceRequirements) (corev1.ResourceName, string) {
	for _, name := range []corev1.ResourceName{corev1.ResourceMemory, corev1.ResourceCPU} {
		request, requested := r.Requests[name]
		limit, limited := r.Limits[name]
		if requested && limited && request.Cmp(limit) > 0 {
			of := ""
			for _, item := range a.ofContainers() {
				if v, has := item.Default[name]; has && v.Cmp(limit) == 0 {
					of = fmt.Sprintf(", which LimitRange %s sets", item.of)
					break
				}
			}
			return name, fmt.Sprintf("it requests %s %s, and its limit is %s%s", request.String(), inWords(name), limit.String(), of)
		}
	}
	for _, r2 := range a.ranges {
		for _, l := range r2.Spec.Limits {
			if l.Type != corev1.LimitTypeContainer && l.Type != corev1.LimitTypePod {
				continue
			}
			for _, name := range []corev1.ResourceName{corev1.ResourceMemory, corev1.ResourceCPU} {
				if why := beyond(l, name, r); why != "" {
					return name, fmt.Sprintf("LimitRange %s %s", r2.Name, why)
				}
			}
		}
	}
	return "", ""
}

// beyond says what an item of a LimitRange does not allow of a resource, "" for nothing.
func beyond(l corev1.LimitRangeItem, name corev1.ResourceName, r corev1.ResourceRequirements) string {
	request, requested := r.Requests[name]
	limit, limited := r.Limits[name]
	of := fmt.Sprintf("%s of one %s", inWords(name), strings.ToLower(string(l.Type)))
	if most, has := l.Max[name]; has {
		switch {
		case limited && limit.Cmp(most) > 0:
			return fmt.Sprintf("allows at most %s %s, and the limit is %s", most.String(), of, limit.String())
		case !limited:
			return fmt.Sprintf("allows at most %s %s, and there is no limit", most.String(), of)
		case requested && request.Cmp(most) > 0:
			return fmt.Sprintf("allows at most %s %s, and the request is %s", most.String(), of, request.String())
		}
	}
	if least, has := l.Min[name]; has {
		switch {
		case !requested:
			return fmt.Sprintf("wants at least %s %s, and nothing is requested", least.String(), of)
		case request.Cmp(least) < 0:
			return fmt.Sprintf("wants at least %s %s, and the request is %s", least.String(), of, request.String())
		case limited && limit.Cmp(least) < 0:
			return fmt.Sprintf("wants at least %s %s, and the limit is %s", least.String(), of, limit.String())
		}
	}
	if most, has := l.MaxLimitRequestRatio[name]; has {
		switch {
		case !requested || request.IsZero() || !limited || limit.IsZero():
			return fmt.Sprintf("allows a limit of %s that is at most %s times the request, and one of the two is missing", of, most.String())
		case timesOf(limit, request) > most.AsApproximateFloat64():
			return fmt.Sprintf("allows a limit of %s that is at most %s times the request, and %s is more than that of %s", of, most.String(), limit.String(), request.String())
		}
	}
	return ""
}

func timesOf(a, b resource.Quantity) float64 {
	return a.AsApproximateFloat64() / b.AsApproximateFloat64()
}
