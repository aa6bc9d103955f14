package diagnose

import (
	"github.com/tarebench/tare/internal/manifest"
)

func kQOS03() Rule {
	return Rule{
		ID: "K-QOS-03", Title: "A sidecar or init container keeps the pod from being Guaranteed", Severity: Warning, Needs: []Need{needResources()},
		What: "The QoS class depends on every container and init container, including init containers that have ended. One container without equal CPU and " +
			"memory requests and limits makes the pod Burstable.",
		Impact: "No exclusive CPUs, CPU shares in the Burstable cgroup, and an OOM score of up to 999 instead of -997.",
		Fix: "Give each container named here small equal requests and limits, or remove it, or set the resources of the whole pod (Kubernetes 1.34 and " +
			"later; no container then gets exclusive CPUs, see K-QOS-06).",
		Sources: []string{k8sQoS},
		Check:   checkSidecars,
	}
}

func checkSidecars(c *Case) []Finding {
	if c.DB.Pod.QoS() == manifest.Guaranteed || c.DB.Pod.Resources.Exists() || c.DB.Server.KeepsFromGuaranteed() {
		return nil
	}
	if c.DB.Operator == "KubeBlocks" {
		return nil // O-KB-01
	}
	if c.DB.Ambiguous {
		return list(unknown("several LimitRanges of the files may set requests and limits when the pod is created"))
	}
	var all []Finding
	for _, container := range c.DB.Pod.Containers {
		if !container.KeepsFromGuaranteed() {
			continue
		}
		what, at := phrase("container %s", container.Name), container.Resources
		if container.Init {
			what = phrase("init container %s", container.Name)
		}
		f := confirmed(at.Spot(), "%s has no equal CPU and memory requests and limits: the server has, but the pod is Burstable", what).
			fix("%s", equalAmounts(c, container))
		if c.DB.Operator != "" && container.Init && !at.Exists() {
			f = f.as(Note) // the operator makes it, and few resources say anything of it
		}
		all = append(all, f)
	}
	return all
}

// initialize is memory that is enough for mysqld --initialize.
const initialize = 512 << 20

// equalAmounts is what to set for a container. Only amounts that are known to be enough are named: an init
// container of the server's image runs mysqld, of which --initialize has taken 263 to 414 MiB, and what another
// program needs is in no file.
func equalAmounts(c *Case, container *manifest.Container) Phrase {
	where := term("its resources")
	if c.DB.Operator != "" {
		where = verbatim(container.Resources.Path())
	}
	server := c.DB.Server
	cpu, memory := container.Resources.Get("requests", "cpu"), container.Resources.Get("requests", "memory")
	switch {
	case container.Init && server.Request("memory").Value >= initialize && (c.DB.Operator != "" || container.Value.Get("image").Text() == server.Value.Get("image").Text()):
		return phrase("%s: the requests and limits of %s, cpu %s and memory %s; it runs before the server, so the pod does not request more", where, server.Name,
			manifest.CPUs(server.Request("cpu").Value), manifest.Size(server.Request("memory").Value))
	case cpu.Amount("cpu").Positive() && memory.Amount("memory").Positive():
		return phrase("%s: limits {cpu: %s, memory: %s}, equal to its requests, if it never needs more", where, cpu.Text(), memory.Text())
	}
	return phrase("%s: requests equal to limits for cpu and memory, of what it needs (kubectl top pod --containers)", where)
}
