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
			want := c.appliersFor()
			if want <= 2 {
				return nil // more than four per CPU, which two threads already are
			}
			switch {
			case set && (err != nil || n > 2):
				return nil
			case set:
				return list(hint(o.Spot, "%s=%s to apply the writes of all other nodes", o.Name, o.Value).fix("%s=%d", o.Name, want).edit(o.Spot, strconv.FormatInt(want, 10)))
			case c.DB.Operator == "mariadb-operator":
				return list(hint(c.DB.Object.Value.At("spec.galera").Spot(), "one thread applies the writes of all other nodes").fix("spec.galera.replicaThreads: %d", want))
			}
			return list(hint(c.configPlace(), "%s", unsetAppliers(c)).fix("%s=%d in %s", appliers(c), want, c.configIn()))
		},
	}
}

// appliersFor are the threads for the CPU limit: at most four per CPU, and 8 where there is room or no limit.
func (c *Case) appliersFor() int64 {
	limit, limited := c.DB.CPULimit()
	if !limited {
		return 8
	}
	return min(8, limit.Value*4/1000)
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
