package diagnose

import (
	"strconv"
	"strings"

	"github.com/tarebench/tare/internal/manifest"
)

func mGAL02() Rule {
	return Rule{
		ID: "M-GAL-02", Title: "Galera: too few applier threads", Severity: Warning, Needs: []Need{needAny()},
		What: "Every node applies the writes that other nodes commit. With one applier thread (the default) or two (Percona's images), a node falls behind a " +
			"busy writer, and flow control then stops writes on the whole cluster.",
		Impact:  "Flow-control pauses: write throughput of the cluster is that of the slowest node.",
		Fix:     "Set wsrep_applier_threads (MariaDB, and before 8.0.26: wsrep_slave_threads) to 8 to 16, at most four per CPU.",
		Sources: []string{pxcImage, galeraParams, mariadbOp},
		Check: func(c *Case) []Finding {
			if c.DB.Replication != "galera" {
				return nil
			}
			if threads := c.DB.Object.Value.At("spec.galera.replicaThreads"); threads.Int(0) > 2 {
				return nil
			}
			o, set := c.DB.Option("wsrep_slave_threads")
			if !set && len(c.DB.Config.Missing) > 0 {
				return c.elsewhere()
			}
			n, err := strconv.ParseInt(o.Value, 10, 64)
			switch {
			case set && (err != nil || n > 2):
				return nil
			case set:
				return list(hint(o.Spot, "%s=%s to apply the writes of all other nodes", o.Name, o.Value).fix("%s=8", o.Name).edit(o.Spot, "8"))
			case c.DB.Operator == "mariadb-operator":
				return list(hint(c.DB.Object.Value.At("spec.galera").Spot(), "one thread applies the writes of all other nodes").fix("spec.galera.replicaThreads: 8"))
			}
			return list(hint(c.configPlace(), "%s", unsetAppliers(c)).fix("%s=8 in %s", appliers(c), c.configIn()))
		},
	}
}

// appliers is the variable's name: MariaDB knows the old one only, and a server refuses to
// start with an option that it does not know.
func appliers(c *Case) string {
	if v := c.DB.Version; c.DB.Product == manifest.MySQL && (!v.Known() || v.AtLeast(8, 0, 26)) {
		return "wsrep_applier_threads"
	}
	return "wsrep_slave_threads"
}

func unsetAppliers(c *Case) Phrase {
	image := ""
	if c.DB.Server != nil {
		image = c.DB.Server.Value.Get("image").Text()
	}
	if strings.HasPrefix(c.DB.Operator, "Percona") || strings.Contains(image, "percona-xtradb-cluster") {
		return term("two threads apply the writes of all other nodes (the image's default)")
	}
	return term("one thread applies the writes of all other nodes (the default)")
}
