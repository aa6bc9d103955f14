package diagnose

import (
	"strings"

	"github.com/tarebench/tare/internal/manifest"
)

func kMEM12() Rule {
	return Rule{
		ID: "K-MEM-12", Title: "MySQL 5.7 takes memory for every file that the limit of open files allows", Severity: Note, Needs: []Need{needImage(), needVersion()},
		What: "MySQL 5.7 allocates 16 bytes for each file that it may open, at start. A container runtime with LimitNOFILE=infinity allows 1073741816 files, which is " +
			"16 GiB. open_files_limit does not lower it: the server keeps a limit that is higher than it asks for. MySQL 8.0 allocates as files are opened.",
		Impact:  "An OOM kill at start with any usual memory limit, or 16 GiB of the node's memory without one.",
		Fix:     "Set LimitNOFILE=1048576 for the container runtime on the nodes, start the server after ulimit -n 1048576, or use MySQL 8.0.",
		Sources: []string{nofile, "MySQL 5.7, mysys/my_file.c, set_max_open_files and my_set_max_open_files: https://github.com/mysql/mysql-server/blob/5.7/mysys/my_file.c"},
		Check: func(c *Case) []Finding {
			if c.DB.Product != manifest.MySQL || c.DB.Version.Major != 5 {
				return nil
			}
			for _, list := range []string{"command", "args"} {
				if strings.Contains(words(c.DB.Server.Value.Get(list)), "ulimit -n") {
					return nil
				}
			}
			at := c.DB.Image.Spot()
			if at.Line == 0 {
				at = c.server()
			}
			return list(hint(at, "MySQL %s takes 16 bytes at start for each file that the limit of open files allows: 16Gi where the container runtime allows 1073741816 (LimitNOFILE=infinity)", c.DB.Version.Series()).
				fix("LimitNOFILE=1048576 for the container runtime, or MySQL 8.0; open_files_limit does not lower it"))
		},
	}
}
