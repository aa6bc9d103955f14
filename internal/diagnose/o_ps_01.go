package diagnose

import (
	"github.com/tarebench/tare/internal/manifest"
)

func oPS01() Rule {
	return Rule{
		ID: "O-PS-01", Title: "The operator sets the buffer pool to half of the memory limit", Severity: Note, Needs: []Need{needResources()},
		What: "Percona Operator for MySQL sets the buffer pool to 50 % of the memory limit when nothing else is configured. Data beyond that is read from " +
			"the volume.",
		Impact:  "More buffer pool misses than the memory requires.",
		Fix:     "Set innodb_buffer_pool_size={{containerMemoryLimit * 7/10}} in spec.mysql.configuration.",
		Sources: []string{psOperator},
		Check: func(c *Case) []Finding {
			limit, limited := c.DB.MemoryLimit()
			if _, set := c.DB.Option("innodb_buffer_pool_size"); set || c.DB.Operator != "Percona Server for MySQL Operator" || !limited || limit < 4<<30 {
				return nil
			}
			return list(hint(c.configPlace(), "the operator sets the buffer pool to half of %s", manifest.Size(limit)).fix("innodb_buffer_pool_size={{containerMemoryLimit * 7/10}} in spec.mysql.configuration"))
		},
	}
}
