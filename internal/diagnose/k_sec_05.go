package diagnose

import (
	"strings"
)

func kSEC05() Rule {
	return Rule{
		ID: "K-SEC-05", Title: "Sandboxed container runtime (gVisor or Kata Containers)", Severity: Warning, Needs: []Need{needPod()},
		What:    "gVisor handles every system call and packet in user space. Kata Containers runs the pod in a virtual machine.",
		Impact:  "Higher cost of each system call, disk access and network packet.",
		Fix:     "Use runc or crun for databases.",
		Sources: []string{"gVisor, Performance Guide: https://gvisor.dev/docs/architecture_guide/performance/"},
		Check: func(c *Case) []Finding {
			name := c.DB.Pod.Spec.Get("runtimeClassName")
			if !name.Exists() {
				return nil
			}
			handler := name.Text()
			if class := c.Set.Find("RuntimeClass", name.Text()); class != nil {
				handler = class.Value.Get("handler").Text()
			}
			for _, s := range []string{"runsc", "gvisor", "kata"} {
				if strings.Contains(strings.ToLower(handler), s) {
					return list(hint(name.Spot(), "runtimeClassName %s: the server runs in a sandbox (%s)", name.Text(), handler).fix("remove runtimeClassName to use runc or crun"))
				}
			}
			if c.Set.Find("RuntimeClass", name.Text()) == nil && !strings.Contains(handler, "runc") {
				return list(unknown("RuntimeClass %s is not in the files", name.Text()))
			}
			return nil
		},
	}
}
