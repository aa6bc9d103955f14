package diagnose

// This file is what M-OPT-01 says of values where the server's release is not known: those that no release takes, and
// those that some releases do not take.

import (
	"github.com/tarebench/tare/internal/manifest"
	"github.com/tarebench/tare/internal/option"
)

// strangeSomewhere is the finding for a word that some releases do not have for an option, and for a Boolean option that
// all of them read as OFF; of both products where none is known.
func (c *Case) strangeSomewhere(o manifest.Option) (Finding, bool) {
	if c.DB.Version.Known() || !o.Written() || o.Loose || o.Value == "" || !c.reads(o.Group) || manifest.Unresolved(o.Value) != "" {
		return Finding{}, false
	}
	f, found, severity := hint(o.Spot, "%s=%s: ", o.Name, o.Value), "", Warning
	misread, asked := 0, 0
	for _, p := range []struct {
		product manifest.Product
		key     string
	}{{manifest.MySQL, option.MySQL}, {manifest.MariaDB, option.MariaDB}} {
		if c.DB.Product != "" && c.DB.Product != p.product {
			continue
		}
		word, from, last := "", option.Release{}, false // the first release of those that do not have it, to the newest
		for _, in := range option.Asked(p.key) {
			values, known := option.ValuesIn(p.key, in, o.Name)
			if !known {
				continue
			}
			asked++
			if values.Misread(o.Value) {
				misread++
			}
			strange := values.Strange(o.Value)
			if _, _, ended := option.Ended(p.key, in); strange == "" && !ended {
				severity = Note
			}
			if last = strange != ""; last && word == "" {
				word, from = strange, in
			}
		}
		if word == "" {
			continue
		}
		if found != "" {
			f = f.and("; ")
		}
		if found = word; last {
			f = f.and("%s %s and later do not have %s for it and do not start", string(p.product), series(from), word)
		} else {
			f = f.and("some releases of %s do not have %s for it and do not start", string(p.product), word)
		}
	}
	switch {
	case asked > 0 && misread == asked:
		return confirmed(o.Spot, "%s=%s is not a valid value of a Boolean option: the server takes OFF", o.Name, o.Value).as(Warning).costs(startsWithOther()).fix("%s=ON or %s=OFF", o.Name, o.Name), true
	case found == "":
		return Finding{}, false
	}
	return f.as(severity).costs(term("Such a release does not start. A pod is in CrashLoopBackOff.")).fix("%s without %s where the server is of such a release (--server-version tells tare the release)", o.Name, found), true
}
