package diagnose

import (
	"fmt"
	"slices"

	"github.com/tarebench/tare/internal/manifest"
)

func kALC01() Rule {
	return Rule{
		ID: "K-ALC-01", Title: "The CPU request does not fit on the node (Insufficient cpu)", Severity: Error, Needs: []Need{needNode()},
		What: "The scheduler compares the request with the node's allocatable CPU minus the requests of the pods on it, not with the machine's CPUs. A pod " +
			"that requests all CPUs of a node stays Pending with the event \"Insufficient cpu\".",
		Impact:  "The pod does not start on this node.",
		Fix:     "Request at most the printed amount. For exclusive CPUs, request the whole number below it.",
		Sources: []string{k8sCM, percona2019},
		Check:   checkFit,
	}
}

func checkFit(c *Case) []Finding {
	allocatable := c.Node.Allocatable("cpu")
	if !allocatable.Set {
		return list(unknown("%s has no status.allocatable.cpu", c.Node.Object.Name))
	}
	asked := c.DB.Pod.Requests("cpu")
	if asked <= c.Node.Free("cpu", c.DB) {
		return nil
	}
	server, most := c.DB.Server.Request("cpu"), room(c, "cpu")
	sidecars := c.DB.Pod.Requests("cpu") - server.Value
	taken := c.Node.Taken("cpu", c.DB) + sidecars
	if most <= 0 {
		return list(confirmed(server.At.Spot(), "%s does not fit on %s: %s allocatable, %s already requested%s", manifest.CPUs(asked), c.Node.Object.Name,
			manifest.CPUs(allocatable.Value), manifest.CPUs(taken), several(c)).fix("use another node: no CPU is left on this one"))
	}
	f := confirmed(server.At.Spot(), "%s does not fit on %s: %s allocatable, %s already requested%s, so at most %s fits%s",
		manifest.CPUs(server.Value), c.Node.Object.Name, manifest.CPUs(allocatable.Value), manifest.CPUs(taken), several(c), manifest.CPUs(most), wholeBelow(most))
	if most < 1000 {
		return list(f.fix("cpu: %s as request, or another node", manifest.CPUs(most)))
	}
	if c.DB.Pod.QoS() != manifest.Guaranteed {
		f = f.fix("cpu: \"%d\" as request", most/1000)
		if at := c.DB.Server.Resources.Get("requests", "cpu"); at.Exists() { // else the limit is the request, and stays
			f = f.edit(at.Spot(), fmt.Sprint(most/1000))
		}
		return list(f)
	}
	f = f.fix("cpu: \"%d\" as request and limit", most/1000)
	// Without a request the limit is both, at one spot.
	for _, at := range slices.Compact([]manifest.Spot{server.At.Spot(), c.DB.Server.Limit("cpu").At.Spot()}) {
		f = f.edit(at, fmt.Sprint(most/1000))
	}
	return list(f)
}

// several names the pods of the database on the node where that is more than one.
func several(c *Case) Phrase {
	if n := c.Node.Replaced(c.DB); n > 1 {
		return phrase(" by others, and %d of its own pods run there", n)
	}
	return Phrase{}
}

// wholeBelow names the CPUs that can be exclusive.
func wholeBelow(milli int64) Phrase {
	if milli < 1000 {
		return Phrase{}
	}
	return phrase("; for exclusive CPUs use %d", milli/1000)
}

// fit is the most that fits on the node beside what is there: whole CPUs, and
// memory in whole gibibytes.
func fit(c *Case) (cpu, memory string) {
	return fmt.Sprint(max(room(c, "cpu"), 0) / 1000), fmt.Sprintf("%dGi", max(room(c, "memory"), 0)>>30)
}

// room is what the node has for the server alone: less than nothing where the
// pod's other containers do not fit either.
func room(c *Case, name string) int64 {
	return c.Node.Free(name, c.DB) - (c.DB.Pod.Requests(name) - c.DB.Server.Request(name).Value)
}
