package diagnose

import (
	"strings"

	"github.com/tarebench/tare/internal/manifest"
)

func mGAL03() Rule {
	return Rule{
		ID: "M-GAL-03", Title: "A cluster with an even number of members", Severity: Warning, Risk: true, Needs: []Need{needAny()},
		What: "Members of Galera and of Group Replication serve clients while more than half of them see each other. Of two members neither is a majority: when " +
			"one fails, or the network between them, the other refuses queries. Four members bear one failure, as three do.",
		Impact:  "The whole cluster stops when one member of two fails.",
		Fix:     "Run an odd number of members, or add an arbitrator (garbd) on another node.",
		Sources: []string{"Galera Cluster documentation, Weighted Quorum and Two-Node Clusters: https://galeracluster.com/library/documentation/weighted-quorum.html", "MySQL 8.4 Reference Manual, Group Replication, Fault-tolerance: https://dev.mysql.com/doc/refman/8.4/en/group-replication-fault-tolerance.html"},
		Check:   checkMajority,
	}
}

func checkMajority(c *Case) []Finding {
	n := c.DB.Replicas
	if text := c.DB.Members.Text(); c.DB.Replication != "" && manifest.Unresolved(text) != "" {
		return list(unknown("%s is not a number: %q members are not judged", c.DB.Members.Path(), text))
	}
	if c.DB.Replication == "" || n < 2 || n%2 == 1 || c.arbitrated() {
		return nil
	}
	at := c.DB.Members.Spot()
	if at.Line == 0 {
		at = c.object()
	}
	if c.DB.Replication == "group" {
		if n == 2 {
			return list(confirmed(at, "2 members: when one fails, the other has no majority and refuses writes").fix("an odd number of members"))
		}
		return list(confirmed(at, "%d members bear no more failures than %d: the group needs more than half of them", n, n-1).as(Note).fix("an odd number of members"))
	}
	if n == 2 {
		return list(confirmed(at, "2 members: when one fails, the other has no majority and refuses queries").fix("an odd number of members, or an arbitrator on another node"))
	}
	return list(confirmed(at, "%d members bear no more failures than %d: the cluster needs more than half of them", n, n-1).as(Note).fix("an odd number of members, or an arbitrator on another node"))
}

// arbitrated is whether the files have an arbitrator of Galera, which votes without data.
func (c *Case) arbitrated() bool {
	for _, kind := range []string{"Deployment", "StatefulSet", "Pod", "DaemonSet"} {
		for _, o := range c.Set.All(kind) {
			spec := o.Value.Get("spec", "template", "spec")
			if kind == "Pod" {
				spec = o.Value.Get("spec")
			}
			for _, v := range spec.Get("containers").Items() {
				if strings.Contains(words(v.Get("command"))+" "+words(v.Get("args"))+" "+v.Get("image").Text()+" "+v.Get("name").Text(), "garb") {
					return true
				}
			}
		}
	}
	return false
}
