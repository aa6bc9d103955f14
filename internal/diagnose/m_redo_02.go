package diagnose

import (
	"github.com/tarebench/tare/internal/manifest"
)

func mREDO02() Rule {
	return Rule{
		ID: "M-REDO-02", Title: "The redo log takes more than a quarter of the volume", Severity: Warning, Needs: []Need{needAny()},
		What:    "The redo log can grow to its full capacity, and crash recovery reads up to that much. A full volume stops the server.",
		Impact:  "The server stops when the volume is full.",
		Fix:     "Use a larger volume, or a redo log capacity of at most a quarter of it.",
		Sources: []string{mysqlRedo},
		Check: func(c *Case) []Finding {
			o, set := c.DB.Option("innodb_redo_log_capacity")
			if !set {
				o, set = c.DB.Option("innodb_log_file_size")
			}
			size, ok := c.DB.Size(o)
			if !set || !ok || c.DB.Pod == nil {
				return nil
			}
			claim, found := c.DB.DataClaim()
			if !found || !claim.Size.Set {
				if len(c.DB.Pod.Spec.Get("volumes").Items()) > 0 {
					return list(unknown("the PersistentVolumeClaim of the data is not in the files"))
				}
				return nil
			}
			if size*4 <= claim.Size.Value {
				return nil
			}
			return list(confirmed(o.Spot, "%s=%s on a volume of %s", o.Name, o.Value, manifest.Size(claim.Size.Value)).fix("%s=%s, or a volume of at least %s", o.Name, manifest.MySize(claim.Size.Value/4), manifest.Size(size*4)))
		},
	}
}
