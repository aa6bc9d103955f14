package diagnose

import (
	"strconv"
)

func mGAL02() Rule {
	return Rule{
		ID: "M-GAL-02", Title: "A Galera member applies others' writes with one or two threads", Severity: Warning, Needs: []Need{needAny()},
		What: "What one member commits the others apply. With one applier (Galera's default) or two (Percona's images) they fall behind a busy writer, and " +
			"flow control then stops the whole cluster.",
		Fix:     "wsrep_slave_threads (wsrep_applier_threads) of 8 to 16, at most four for each CPU.",
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
				return list(hint(o.Spot, "%s=%s applies the writes of all other members", o.Name, o.Value).fix("%s=8", o.Name).edit(o.Spot, "8"))
			case c.DB.Operator == "mariadb-operator":
				return list(hint(c.DB.Object.Value.At("spec.galera").Spot(), "one thread applies the writes of all other members").fix("spec.galera.replicaThreads: 8"))
			}
			return list(hint(c.configPlace(), "two threads apply the writes of all other members (the image's default)").fix("wsrep_applier_threads=8 in %s", c.configIn()))
		},
	}
}
