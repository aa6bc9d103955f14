package diagnose

// This file is what M-VER-01 says of names that no release has an option of.

import (
	"github.com/tarebench/tare/internal/manifest"
	"github.com/tarebench/tare/internal/option"
)

// nowhere is the finding for a name that no server has: an error where all options of the release are known, a warning
// where the release is not known, and nothing where it is one that was not asked. M-OPT-02 has those that are misspelt.
func (c *Case) nowhere(o manifest.Option) (Finding, bool) {
	product := map[manifest.Product]string{manifest.MySQL: option.MySQL, manifest.MariaDB: option.MariaDB}[c.DB.Product]
	if !option.Nowhere(product, o.Name) || option.Near(product, o.Name) != "" || c.ownOptions() {
		return Finding{}, false
	}
	var f Finding
	if c.DB.Version.Known() {
		if _, in := c.release(); !option.Measured(product, in) {
			return Finding{}, false
		}
		f = confirmed(o.Spot, "%s %s has no option %s and does not start", string(c.DB.Product), c.DB.Version.Series(), o.Shown())
	} else if product != "" {
		f = hint(o.Spot, "no release of %s whose options are known has an option %s: the server does not start", string(c.DB.Product), o.Shown()).as(Warning)
	} else {
		f = hint(o.Spot, "no release of MySQL or MariaDB whose options are known has an option %s: the server does not start", o.Shown()).as(Warning)
	}
	if c.DB.Version.Known() && c.hasSuccessor(product, o.Name) {
		return c.withoutOption(f, o), true
	}
	f = f.leave(term("whether it is another option that is meant is not known: `mysqld --verbose --help`, in MariaDB `mariadbd --verbose --help`, lists the names"))
	if meant := option.Meant(product, o.Name); meant != "" {
		return f.fix("%s, if that is meant; or remove %s, or write loose_%s", meant, o.Shown(), o.Shown()), true
	}
	return f.fix("remove %s, or write loose_%s", o.Shown(), o.Shown()), true
}

// hasSuccessor is whether older releases had an option of a name that no asked one has: it is known what replaced it, or
// that nothing did.
func (c *Case) hasSuccessor(product, name string) bool {
	life, known := option.Of(name)
	if !known || life.Until == (option.Release{}) {
		return false
	}
	_, in := c.release()
	standing, _ := option.Stand(product, in, life.Instead)
	return life.Instead == "" || standing == option.Accepted
}
