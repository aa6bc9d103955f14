package diagnose

import (
	"github.com/tarebench/tare/internal/manifest"
	"github.com/tarebench/tare/internal/option"
)

func mVER01() Rule {
	return Rule{
		ID: "M-VER-01", Title: "Unknown option: the server does not start", Severity: Error, Needs: []Need{needMySQL(needVersion())},
		What: "mysqld refuses to start with an option it does not know. Options were removed in 8.0, 8.4 and 9.x. An option that a ConfigMap has contained " +
			"for years stops the pod after an upgrade.",
		Impact:  "The pod is in CrashLoopBackOff after an upgrade.",
		Fix:     "Remove the option, or prefix it with loose_ where one file serves several versions.",
		Sources: []string{"Measured for tare with mysqld --validate-config: MySQL 8.0.46, 8.4.13, 9.7.4", mysqlDefaults},
		Check: func(c *Case) []Finding {
			var all []Finding
			for _, o := range c.DB.Config.Options {
				if why, refused := refusal(o.Name, c.DB.Version); refused && !o.Loose && manifest.OfMySQL(o.Group, c.DB.Version) {
					all = append(all, confirmed(o.Spot, "MySQL %s does not know %s and does not start%s", c.DB.Version.Series(), o.Name, why).fix("remove %s, or write loose_%s", o.Name, o.Name))
				}
			}
			if len(all) == 0 {
				return c.elsewhere()
			}
			return all
		},
	}
}

// latestPatch stands for the patch release of a tag without one, such as 8.0.
const latestPatch = 999

// refusal is whether a server refuses to start with an option, and what to set instead.
func refusal(name string, v manifest.Version) (instead Phrase, refused bool) {
	in := option.Release{v.Major, v.Minor, v.Patch}
	if v.Patch == 0 {
		in[2] = latestPatch
	}
	life, ok := option.Of(name)
	if !ok || life.Added(in) && !life.Removed(in) {
		return Phrase{}, false
	}
	if life.Instead != "" {
		instead = phrase("; use %s", life.Instead)
	}
	return instead, true
}
