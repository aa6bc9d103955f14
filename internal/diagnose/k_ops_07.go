package diagnose

import (
	"strings"

	"github.com/tarebench/tare/internal/manifest"
)

func kOPS07() Rule {
	return Rule{
		ID: "K-OPS-07", Title: "An autoscaler restarts or rescales the database", Severity: Warning, Risk: true, Needs: []Need{needAny()},
		What: "A VerticalPodAutoscaler that applies its recommendations evicts or restarts the server, and sets another memory limit while the buffer pool keeps " +
			"its size. A HorizontalPodAutoscaler starts further servers, which share no data, and stops them again.",
		Impact:  "Unplanned restarts with an empty buffer pool, OOM kills after the limit was lowered; servers without the data.",
		Fix:     "VerticalPodAutoscaler: updateMode: \"Off\" or Initial, or controlledResources: [cpu] with minAllowed. No HorizontalPodAutoscaler for servers.",
		Sources: []string{k8sVPA},
		Check:   checkAutoscalers,
	}
}

func checkAutoscalers(c *Case) []Finding {
	var all []Finding
	for _, o := range c.Set.All("VerticalPodAutoscaler") {
		mode := o.Value.Get("spec", "updatePolicy", "updateMode")
		switch {
		case !c.scales(o, "targetRef") || mode.Text() == "Off" || mode.Text() == "Initial" || c.leavesServer(o):
			continue
		case strings.ContainsAny(mode.Text(), "${"):
			all = append(all, unknown("updateMode of VerticalPodAutoscaler %s is a template value", o.Name))
		case !mode.Exists():
			all = append(all, confirmed(mode.Spot(), "VerticalPodAutoscaler %s has no updateMode, which is Auto: it restarts the server and changes its memory limit", o.Name).fix("updateMode: \"Off\""))
		default:
			all = append(all, confirmed(mode.Spot(), "VerticalPodAutoscaler %s applies its recommendations (updateMode %s): it can restart the server, and its memory limit changes while the buffer pool does not", o.Name, mode.Text()).fix("updateMode: \"Off\""))
		}
	}
	for _, kind := range []string{"HorizontalPodAutoscaler", "ScaledObject"} {
		for _, o := range c.Set.All(kind) {
			if c.scales(o, "scaleTargetRef") {
				all = append(all, confirmed(o.Value.Get("spec", "scaleTargetRef").Spot(), "%s %s starts and stops servers by load: a new one has none of the data", kind, o.Name).fix("scale a database by hand, or through its operator"))
			}
		}
	}
	return all
}

// scales is whether an autoscaler's target is the database: its object, or the StatefulSet that an operator makes of
// it.
func (c *Case) scales(o *manifest.Object, field string) bool {
	target := o.Value.Get("spec", field)
	name := target.Get("name").Text()
	if !o.MayBeIn(c.DB.Object.Namespace) {
		return false
	}
	if name == c.DB.Object.Name && (target.Get("kind").Text() == c.DB.Object.Kind || !target.Get("kind").Exists()) {
		return true
	}
	return c.DB.Operator != "" && target.Get("kind").Text() == "StatefulSet" && (name == c.DB.Object.Name || strings.HasPrefix(name, c.DB.Object.Name+"-"))
}

// leavesServer is whether the autoscaler's policy for the server's container is to leave it.
func (c *Case) leavesServer(o *manifest.Object) bool {
	var general bool
	for _, p := range o.Value.Get("spec", "resourcePolicy", "containerPolicies").Items() {
		off := p.Get("mode").Text() == "Off"
		switch p.Get("containerName").Text() {
		case c.DB.Server.Name:
			return off
		case "*":
			general = off
		}
	}
	return general
}
