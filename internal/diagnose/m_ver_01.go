package diagnose

import (
	"strings"

	"github.com/tarebench/tare/internal/manifest"
	"github.com/tarebench/tare/internal/option"
)

func mVER01() Rule {
	return Rule{
		ID: "M-VER-01", Title: "Unknown option: the server does not start", Severity: Error, Risk: true, Needs: []Need{needVersionOrRemoved()},
		What: "A server refuses to start with an option that it does not know. MySQL removed options in 8.0, 8.4 and 9.x, MariaDB in most series. An option that " +
			"a ConfigMap has contained for years stops the pod after an upgrade.",
		Impact:  "After an upgrade the server does not start. A pod is in CrashLoopBackOff.",
		Fix:     "Replace the option by the one that does the same in the release, or remove it where none does; or prefix it with loose_ where one file serves several versions.",
		Sources: []string{helpOfServers, "Measured for tare with mysqld --validate-config: MySQL 8.0.46, 8.4.13, 9.7.4", mysqlDefaults, releaseNotes57, nativePassword},
		Check:   checkNames,
	}
}

func checkNames(c *Case) []Finding {
	if !c.DB.Version.Known() {
		return c.removedNames()
	}
	var all []Finding
	for _, o := range c.DB.Config.Options {
		if !o.Written() || o.Loose || !c.reads(o.Group) {
			continue
		}
		if why, refused := c.refusal(o.Name); refused {
			all = append(all, c.withoutOption(confirmed(o.Spot, "%s %s does not know %s and does not start%s", string(c.DB.Product), c.DB.Version.Series(), o.Shown(), why), o))
		} else if last, without, between := c.between(o.Name); between {
			all = append(all, hint(o.Spot, "%s %s has %s, and %s does not know it: %s may not start", string(c.DB.Product), series(last), o.Shown(), series(without), c.DB.Version.Series()).as(Warning).
				fix("remove %s, or write loose_%s", o.Shown(), o.Shown()))
		} else if f, nowhere := c.nowhere(o); nowhere {
			all = append(all, f)
		} else if product, in := c.release(); option.Idle(product, in, o.Name) {
			f := confirmed(o.Spot, "%s %s ignores %s: it has no effect", string(c.DB.Product), c.DB.Version.Series(), o.Shown()).as(Note).fix("remove %s", o.Shown())
			f = c.lineInstead(f, o, "")
			f.idle = true
			all = append(all, f)
		} else if one, other := c.ambiguous(o.Name); one != "" {
			all = append(all, hint(o.Spot, "%s is the beginning of %s and of %s: a server that cannot tell which is meant does not start", o.Name, one, other).fix("write the name in full"))
		}
	}
	if len(all) == 0 {
		return c.elsewhere()
	}
	return all
}

// reads is whether the server reads a group of an option file.
func (c *Case) reads(group string) bool {
	if c.DB.Product == manifest.MySQL {
		return manifest.OfMySQL(group, c.DB.Version)
	}
	return manifest.OfServer(group, c.DB.Version)
}

// latestPatch stands for the patch release of a tag without one, such as 8.0.
const latestPatch = 999

// release is the server's, for package option.
func (c *Case) release() (product string, in option.Release) {
	v := c.DB.Version
	in = option.Release{v.Major, v.Minor, v.Patch}
	if v.Patch == 0 {
		in[2] = latestPatch
	}
	if c.DB.Product == manifest.MariaDB {
		return option.MariaDB, in
	}
	return option.MySQL, in
}

// refusal is whether the server refuses to start with an option, and what to set instead. What only a plugin or another
// build has is not refused: images of Percona and of Galera have options of their own, and so does a server that loads
// plugins.
func (c *Case) refusal(name string) (instead Phrase, refused bool) {
	product, in := c.release()
	if product == option.MySQL {
		if life, ok := option.Of(name); ok {
			if life.Added(in) && !life.Removed(in) {
				return Phrase{}, false
			}
			_, had := option.Stand(product, in, name)
			switch {
			case life.Instead != "":
				instead = phrase("; use %s", life.Instead)
			case had != (option.Release{}) && compareRelease(had, in) < 0:
				instead = phrase("; %s %s still has it", string(c.DB.Product), series(had))
			case had == (option.Release{}) && life.Until != (option.Release{}):
				instead = phrase("; MySQL has removed it in %s", series(life.Until))
			}
			return instead, true
		}
	}
	standing, had := option.Stand(product, in, name)
	if skipped, _ := option.Stand(product, in, "skip_"+name); standing != option.Refused || skipped == option.Accepted {
		return Phrase{}, false
	}
	if had != (option.Release{}) {
		if compareRelease(had, in) < 0 {
			return phrase("; %s %s still has it", string(c.DB.Product), manifest.Version{Major: had[0], Minor: had[1]}.Series()), true
		}
		return phrase("; %s %s has it", string(c.DB.Product), manifest.Version{Major: had[0], Minor: had[1]}.Series()), true
	}
	if c.ownOptions() || product == option.MariaDB && option.OfPlugin(name) || product == option.MySQL && c.image() == "" && option.OfOther(name) {
		return Phrase{}, false
	}
	return term("; it is an option of the other product"), true
}

// lacks is whether the release is known and does not have an option: then the server does not start with it, which
// M-VER-01 says.
func (c *Case) lacks(name string) bool {
	if !c.DB.Version.Known() {
		return false
	}
	_, refused := c.refusal(name)
	return refused
}

// between is whether an option was removed between two measured releases, and the server's is one of those between.
func (c *Case) between(name string) (last, without option.Release, ok bool) {
	product, in := c.release()
	if _, exact := option.Of(name); exact || c.ownOptions() {
		return last, without, false
	}
	return option.Between(product, in, name)
}

func series(r option.Release) string {
	return manifest.Version{Major: r[0], Minor: r[1]}.Series()
}

// ambiguous are two options of a MariaDB server that a name is the beginning of.
func (c *Case) ambiguous(name string) (one, other string) {
	if c.DB.Product != manifest.MariaDB {
		return "", ""
	}
	_, in := c.release()
	return option.Ambiguous(in, name)
}

func compareRelease(a, b option.Release) int {
	for i := range a {
		if a[i] != b[i] {
			return a[i] - b[i]
		}
	}
	return 0
}

// ownOptions is whether the server may have options that the original of its release has not, and that are not known.
func (c *Case) ownOptions() bool {
	if c.written("plugin_load") || c.written("plugin_load_add") || c.written("early_plugin_load") {
		return true
	}
	if c.DB.Product == manifest.MariaDB {
		return false // it has Galera's options itself, and nobody else builds one with others
	}
	image := c.image()
	return strings.Contains(c.DB.Operator, "Percona") || c.DB.Replication == "galera" ||
		strings.Contains(image, "percona") || strings.Contains(image, "pxc") || strings.Contains(image, "galera")
}

// image is the server's, "" where it is not known, as that of an option file is not.
func (c *Case) image() string {
	if c.DB.Server == nil {
		return ""
	}
	return strings.ToLower(c.DB.Server.Value.Get("image").Text())
}
