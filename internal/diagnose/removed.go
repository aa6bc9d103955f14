package diagnose

// This file is what M-VER-01 says of options where the server's release is not known: those that later releases have no
// more.

import (
	"github.com/tarebench/tare/internal/manifest"
	"github.com/tarebench/tare/internal/option"
)

// needVersionOrRemoved is the version, without which options can still be known to be removed from some releases.
func needVersionOrRemoved() Need {
	n := needVersion()
	return Need{n.Name, n.Help, func(c *Case) (Phrase, bool) {
		why, skip := n.missing(c)
		if !why.empty() && len(c.removedNames()) > 0 {
			return Phrase{}, skip
		}
		return why, skip
	}}
}

// removedNames are the options that some or all releases of the product do not know, or of both products where none is
// known.
func (c *Case) removedNames() (all []Finding) {
	for _, o := range c.DB.Config.Options {
		if !o.Written() || o.Loose || !c.reads(o.Group) {
			continue
		}
		if f, ok := c.removed(o); ok {
			all = append(all, f)
		} else if f, ok := c.nowhere(o); ok {
			all = append(all, f)
		}
	}
	return all
}

// removed is the finding of one option. It is a warning where no series with maintenance has the option.
func (c *Case) removed(o manifest.Option) (Finding, bool) {
	f, severity, found := hint(o.Spot, "%s: ", o.Name), Warning, false
	for _, p := range []struct {
		product manifest.Product
		key     string
	}{{manifest.MySQL, option.MySQL}, {manifest.MariaDB, option.MariaDB}} {
		if c.DB.Product != "" && c.DB.Product != p.product {
			continue
		}
		r := option.RemovalOf(p.key, o.Name)
		if r.Has || r.Ignored {
			severity = Note
		}
		switch {
		case r.From != option.Release{}:
			if found {
				f = f.and("; ")
			}
			f, found = f.and("%s %s and later do not know it and do not start%s", string(p.product), series(r.From), insteadOf(p.key, o.Name)), true
			if _, _, ended := option.Ended(p.key, r.Last); !ended {
				severity = Note
			}
		case found && r.Has:
			f = f.and("; %s has it", string(p.product))
		case found && r.Ignored:
			f = f.and("; %s ignores it", string(p.product))
		}
	}
	if !found {
		return Finding{}, false
	}
	return f.as(severity).fix("remove %s where the server is of such a release, or write loose_%s (--server-version tells tare the release)", o.Name, o.Name), true
}

// insteadOf says what does the same in releases without an option.
func insteadOf(product, name string) Phrase {
	if life, ok := option.Of(name); ok && life.Instead != "" && product == option.MySQL {
		return phrase("; use %s", life.Instead)
	}
	return Phrase{}
}
