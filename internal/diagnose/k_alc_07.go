package diagnose

import (
	"regexp"
	"strings"

	"github.com/tarebench/tare/internal/manifest"
)

func kALC07() Rule {
	return Rule{
		ID: "K-ALC-07", Title: "The API server refuses the requests and limits", Severity: Error, Needs: []Need{needContainers()},
		What: "The API server refuses a quantity that it cannot read, such as 2GB or 2Gib, a quantity below zero, and a request that is above the limit of the " +
			"same resource. Of huge pages and of devices, request and limit have to be equal. The resource of an operator may be accepted: then the " +
			"StatefulSet or the pods that the operator makes of it are refused.",
		Impact: "kubectl apply fails, or an operator creates no pod.",
		Fix: "Write a number with one of the suffixes k, M, G, T, P, E (powers of 1000) or Ki, Mi, Gi, Ti, Pi, Ei (powers of 1024), and of CPUs m for thousandths. " +
			"Request at most the limit.",
		Sources: []string{k8sValidation, k8sQuantity},
		Check:   checkAccepted,
	}
}

func checkAccepted(c *Case) (all []Finding) {
	resources := []manifest.Value{c.DB.Pod.Resources}
	for _, container := range c.DB.Pod.Containers {
		resources = append(resources, container.Resources)
	}
	for _, r := range resources {
		limits := r.Get("limits")
		for _, kind := range []manifest.Value{r.Get("requests"), limits} {
			for _, f := range kind.Fields() {
				found := refusedQuantity(f.Key, f.Value)
				if len(found) == 0 && f.Exists() && !f.Amount(f.Key).Set {
					found = list(unknown("%s: %q is not a valid quantity", f.Spot().String(), f.Text()))
				}
				all = append(all, found...)
			}
		}
		for _, f := range r.Get("requests").Fields() {
			all = append(all, aboveLimit(f.Key, f.Value, limits.Get(f.Key))...)
		}
	}
	for _, claim := range c.DB.Claims {
		all = append(all, refusedQuantity("storage", claim.Size.At)...)
	}
	return all
}

// refusedQuantity is the finding for a quantity that the API server does not read, in its words, or that is below zero.
func refusedQuantity(resource string, v manifest.Value) []Finding {
	if refusal := manifest.Refusal(v); refusal != "" {
		f := confirmed(v.Spot(), "%s: %q is not a quantity; the API server refuses it: %s", v.Path(), v.Text(), refusal)
		if meant := meantQuantity(v.Text()); meant != "" && resource != "cpu" {
			return list(f.fix("%s: %s", resource, meant))
		}
		if resource == "cpu" {
			return list(f.fix("a number of CPUs, such as 2 or 1500m"))
		}
		return list(f.fix("a number with one suffix, such as 2Gi or 2000M"))
	}
	if amount := v.Amount(resource); amount.Set && amount.Value < 0 {
		return list(confirmed(v.Spot(), "%s: the API server refuses %s: must be greater than or equal to 0", v.Path(), v.Text()).fix("a quantity above zero"))
	}
	return nil
}

var spelledQuantity = regexp.MustCompile(`^([0-9.]+)\s*([kKmMgGtTpPeE])([iI]?)[bB]?$`)

// meantQuantity is a quantity of bytes that is written as people write them, as the API server reads it: 2GB is 2G,
// 2gib is 2Gi. "" for any other text.
func meantQuantity(text string) string {
	m := spelledQuantity.FindStringSubmatch(strings.TrimSpace(text))
	if m == nil {
		return ""
	}
	suffix := strings.ToUpper(m[2])
	if m[3] != "" {
		suffix += "i"
	} else if suffix == "K" {
		suffix = "k"
	}
	if _, ok := manifest.Quantity("memory", m[1]+suffix); !ok {
		return ""
	}
	return m[1] + suffix
}

// aboveLimit is the finding for a request that the limit beside it does not allow, in the words of the API server
// (ValidateContainerResourceRequirements).
func aboveLimit(resource string, request, limit manifest.Value) []Finding {
	r, l := request.Amount(resource), limit.Amount(resource)
	equal := strings.HasPrefix(resource, "hugepages-") || strings.Contains(resource, "/")
	switch {
	case !r.Set || !l.Set:
		return nil
	case equal && r.Value != l.Value:
		return list(confirmed(request.Spot(), "%s: %s; the API server refuses it: must be equal to %s limit of %s", request.Path(), request.Text(), resource, limit.Text()).
			fix("the same %s in requests and limits", resource))
	case r.Value > l.Value:
		return list(confirmed(request.Spot(), "%s: %s; the API server refuses it: must be less than or equal to %s limit of %s", request.Path(), request.Text(), resource, limit.Text()).
			fix("a request of at most the limit: requests.%s of at most %s, or a limit of at least %s", resource, limit.Text(), request.Text()))
	}
	return nil
}
