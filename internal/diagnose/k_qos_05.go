package diagnose

import (
	"github.com/tarebench/tare/internal/manifest"
)

func kQOS05() Rule {
	return Rule{
		ID: "K-QOS-05", Title: "An injected service mesh sidecar makes the pod Burstable", Severity: Warning, Needs: []Need{needPod()},
		What: "A service mesh adds its proxy container when the pod is created, by default with requests below its limits. The QoS class depends on all " +
			"containers, so a Guaranteed pod becomes Burstable. All traffic of the database also passes through the proxy (K-NET-15).",
		Impact: "The pod loses exclusive CPUs and the Guaranteed OOM score; each query passes one more process.",
		Fix: "Disable injection for the pod (`sidecar.istio.io/inject: \"false\"`, `linkerd.io/inject: disabled`), or set proxyCPU equal to proxyCPULimit " +
			"and proxyMemory equal to proxyMemoryLimit.",
		Sources: []string{k8sQoS, istioCost},
		Check: func(c *Case) []Finding {
			at, on, why := injected(c)
			if !why.empty() {
				return list(unknown("%s", why))
			}
			if !on || c.DB.Pod.QoS() != manifest.Guaranteed || equalProxy(c) {
				return nil
			}
			return list(confirmed(at.Spot(), "a mesh proxy is injected into a pod that is otherwise Guaranteed").
				fix("sidecar.istio.io/inject: \"false\" on the pod, or equal proxy requests and limits"))
		},
	}
}

// equalProxy is whether annotations give the mesh's proxy requests that equal its limits.
func equalProxy(c *Case) bool {
	annotations := c.DB.Pod.Meta.Get("annotations")
	for _, names := range [][2]string{
		{"sidecar.istio.io/proxyCPU", "sidecar.istio.io/proxyCPULimit"}, {"sidecar.istio.io/proxyMemory", "sidecar.istio.io/proxyMemoryLimit"},
	} {
		request, limit := annotations.Get(names[0]).Text(), annotations.Get(names[1]).Text()
		if request == "" || request != limit {
			return false
		}
	}
	return true
}

// injected is where a mesh is told to put its proxy into the pod. why says that
// the namespace decides and is not in the files.
func injected(c *Case) (at manifest.Value, on bool, why Phrase) {
	for _, place := range []string{"annotations", "labels"} {
		for _, f := range c.DB.Pod.Meta.Get(place).Fields() {
			switch f.Key {
			case "sidecar.istio.io/inject", "linkerd.io/inject":
				return f.Value, f.IsTrue() || f.Text() == "enabled", Phrase{}
			case "istio.io/rev":
				return f.Value, true, Phrase{}
			}
		}
	}
	if c.DB.Object.Namespace == "" {
		return at, false, Phrase{}
	}
	ns := c.Set.Find("Namespace", c.DB.Object.Namespace)
	if ns == nil {
		return at, false, phrase("Namespace %s is not in the files; its labels may inject a proxy", c.DB.Object.Namespace)
	}
	labels := ns.Value.Get("metadata", "labels")
	annotations := ns.Value.Get("metadata", "annotations")
	for _, v := range []manifest.Value{labels.Get("istio-injection"), labels.Get("istio.io/rev"), annotations.Get("linkerd.io/inject")} {
		if v.Exists() && v.Text() != "disabled" {
			return v, true, Phrase{}
		}
	}
	return at, false, Phrase{}
}
