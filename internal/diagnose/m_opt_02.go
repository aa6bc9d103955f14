package diagnose

import (
	"github.com/tarebench/tare/internal/manifest"
	"github.com/tarebench/tare/internal/option"
)

func mOPT02() Rule {
	return Rule{
		ID: "M-OPT-02", Title: "A misspelt or abbreviated option", Severity: Error, Risk: true, Needs: []Need{needAny()},
		What: "No release of MySQL and MariaDB whose options were asked has an option of this name, and one or two letters make it the name of one. The server " +
			"ends at start with \"unknown variable\" or \"unknown option\". Plugins and other builds have options of their own: a name that they may have is a hint. " +
			"MariaDB takes the beginning of a name for the option if no other option begins alike, such as key_buffer for key_buffer_size. MySQL from 5.7 on does not.",
		Impact: "With a misspelt option the server does not start; if it runs in a pod, the pod is in CrashLoopBackOff. With loose_ before the name the option is " +
			"ignored. An abbreviation keeps a later release with two such options from starting.",
		Fix:     "Write the name that is meant. `mysqld --verbose --help`, `mariadbd --verbose --help` in MariaDB, lists the names that the server has.",
		Sources: []string{helpOfServers, measuredPrefixes, "MySQL 8.4 Reference Manual, Program Option Modifiers: https://dev.mysql.com/doc/refman/8.4/en/option-modifiers.html"},
		Check:   checkSpelling,
	}
}

// checkSpelling needs no version: a name that no release of the product has is none of any release.
func checkSpelling(c *Case) []Finding {
	product := map[manifest.Product]string{manifest.MySQL: option.MySQL, manifest.MariaDB: option.MariaDB}[c.DB.Product]
	var all []Finding
	for _, o := range c.DB.Config.Options {
		if !o.Written() || !c.reads(o.Group) || manifest.Unresolved(o.Name) != "" {
			continue
		}
		near := option.Near(product, o.Name)
		switch {
		case o.Short != "":
			all = append(all, c.abbreviated(o))
		case near == "":
		case o.Loose:
			all = append(all, hint(o.Spot, "no option is called %s, and loose_ makes the server ignore it: %s may be meant", o.Name, near).as(Warning).fix("loose_%s, if that is meant", near))
		case c.DB.Product == "":
			all = append(all, hint(o.Spot, "no option of MySQL or MariaDB is called %s: %s is meant, or a plugin has it", o.Name, near).fix("%s, if that is meant", near))
		default:
			all = append(all, hint(o.Spot, "no option of %s is called %s: %s is meant, or a plugin has it", string(c.DB.Product), o.Name, near).fix("%s, if that is meant", near))
		}
	}
	if len(all) == 0 {
		return c.elsewhere()
	}
	return all
}

// measuredPrefixes is what servers did with beginnings of names.
const measuredPrefixes = "Measured for tare with MariaDB 10.11.19 and 11.8.9 (\"Using unique option prefix is error-prone and can break in the future\") and MySQL 5.7.42, 8.0.46, 8.4.6 and 9.7.4, which refuse it"

// abbreviated is the finding for the beginning of a name, which MariaDB completes.
func (c *Case) abbreviated(o manifest.Option) Finding {
	if c.DB.Product == "" {
		return hint(o.Spot, "%s is not the full name of an option: MySQL does not start with it, and MariaDB takes it for %s", o.Short, o.Name).as(Warning).
			costs(term("MySQL does not start. MariaDB does not start either from a release on that has two such options.")).fix("%s", o.Name)
	}
	f := confirmed(o.Spot, "%s is not the full name of an option: the server takes it for %s", o.Short, o.Name).as(Note).
		costs(term("A later release that has another option of this beginning does not start.")).fix("%s", o.Name)
	if e, ok := c.Set.Renamed(o, o.Name, o.Value); ok {
		f.Edits = append(f.Edits, e)
	}
	return f
}
