package diagnose

import (
	"slices"
	"strings"

	"github.com/tarebench/tare/internal/manifest"
	"github.com/tarebench/tare/internal/option"
)

func mOPT01() Rule {
	return Rule{
		ID: "M-OPT-01", Title: "A value or a line that the server cannot read", Severity: Error, Needs: []Need{needAny()},
		What: "A number takes one letter of K, M, G, T, P and E behind it, without a blank; what follows the letter is ignored, so that 16Gi is 16G. Any other " +
			"character, as in 75%, 1.5G or \"1 G\", is an error, and so is an option before the first group of a file. A number of seconds or percent with " +
			"a fraction takes a point, and no comma, letter or unit: long_query_time=0.5. MariaDB before 10.6 " +
			"takes such a number for 0, which becomes the smallest value. MySQL 5.7 knows only K, M and G. An option that takes words does not take others: MySQL 8.0 has no " +
			"NO_AUTO_CREATE_USER in sql_mode. The same holds for a character " +
			"set or a collation that the release does not have, and for a collation of another character set. If a number is too large or too small, the server uses the nearest value that it accepts. If the value of a " +
			"Boolean option is another word, such as yes, the server uses OFF.",
		Impact: "With a number or a word that it cannot read, the server does not start; MariaDB before 10.6 takes the smallest value of a number, such as a " +
			"buffer pool of 2 MiB. With a value outside the range, or another word for a Boolean option, it starts with a value that was not asked for.",
		Fix:     "Write a whole number with one letter, such as 6G. Write options below [mysqld] or [mariadb].",
		Sources: []string{sqlModes, measuredParser, valuesOfServers, collationsOfServers, mariadbCollations, "MySQL 8.4 Reference Manual, Using Options to Set Program Variables: https://dev.mysql.com/doc/refman/8.4/en/program-variables.html"},
		Check:   checkReadable,
	}
}

func checkReadable(c *Case) []Finding {
	var all []Finding
	ended := map[string]bool{} // the server ends with the first such line of a file
	for _, b := range c.DB.Config.Broken {
		if ended[b.Spot.File] {
			continue
		}
		ended[b.Spot.File] = true
		f := confirmed(b.Spot, "%s: the server does not start", ofText(b.Says)).fix("write the option below a group such as [mysqld]")
		if b.Fix.Format != "" {
			f = f.fix("%s", ofText(b.Fix))
		}
		all = append(all, f)
	}
	for _, o := range c.DB.Config.Options {
		if kind, ok := option.KindOf(o.Name); ok && kind == option.Number && o.Written() && c.reads(o.Group) {
			if f, wrong := c.unreadableNumber(o); wrong {
				all = append(all, f)
			} else if f, wrong := c.outside(o); wrong {
				all = append(all, f)
			}
		} else if f, wrong := c.unreadableDecimal(o); wrong {
			all = append(all, f)
		} else if f, wrong := c.strangeWord(o); wrong {
			all = append(all, f)
		} else if f, wrong := c.strangeCollation(o); wrong {
			all = append(all, f)
		} else if f, wrong := c.strangeSomewhere(o); wrong {
			all = append(all, f)
		} else if f, wrong := c.absentPlugin(o); wrong {
			all = append(all, f)
		}
	}
	if len(all) == 0 {
		return c.elsewhere()
	}
	for i, f := range all {
		if f.ImpactPhrase.empty() {
			all[i] = f.costs(term("The server does not start. A pod is in CrashLoopBackOff."))
		}
	}
	return all
}

// startsWithOther is the impact of a value in place of which the server takes another.
func startsWithOther() Phrase { return term("The server starts with a value that was not asked for.") }

// unreadableNumber is the finding for a number that the server does not read as one.
func (c *Case) unreadableNumber(o manifest.Option) (Finding, bool) {
	value := o.Value
	if _, sized := c.DB.Size(o); sized && option.ReadsSuffix(c.suffixes(), value) || value == "ON" || value == "OFF" || value == "" || value[0] == '-' || manifest.Unresolved(value) != "" {
		return Finding{}, false // ON and OFF are an option without a value
	}
	product, in := c.release()
	if product == option.MariaDB && c.DB.Version.Known() && compareRelease(in, option.Release{10, 6}) < 0 {
		return confirmed(o.Spot, "%s=%s is not a number that the server reads: it takes the smallest value that %s can have", o.Name, value, o.Name).
			costs(startsWithOther()).
			fix("a whole number with one letter of %s, without a blank", option.Suffixes(product, in)), true
	}
	return confirmed(o.Spot, "%s=%s is not a number that the server reads: it does not start", o.Name, value).
		fix("a whole number with one letter of %s, without a blank", c.suffixes()), true
}

// outside is the finding for a number instead of which the server takes another.
func (c *Case) outside(o manifest.Option) (Finding, bool) {
	values, newest, known := c.values(o)
	n, ok := option.Bytes(o.Value)
	taken, adjusted := values.Adjusted(n)
	if !ok || !known || !adjusted {
		return Finding{}, false
	}
	f := confirmed(o.Spot, "%s=%s is outside of what the server accepts: it takes %d", o.Name, o.Value, taken)
	if newest != "" {
		f = hint(o.Spot, "%s=%s is outside of what %s %s, the newest release that tare knows, accepts: it takes %d", o.Name, o.Value, string(c.DB.Product), newest, taken)
	}
	return f.as(Warning).costs(startsWithOther()).fix("a value of %s that the server accepts", o.Name), true
}

// values are what an option takes in the release of the server. Of a release newer than all that tare knows they are
// those of the newest known one, which is named: most options stay as they are.
func (c *Case) values(o manifest.Option) (v option.Values, newest string, known bool) {
	if c.DB.Product == "" || !c.DB.Version.Known() {
		return option.Values{}, "", false
	}
	product, in := c.release()
	if v, known = option.ValuesIn(product, in, o.Name); known {
		return v, "", true
	}
	last := slices.MaxFunc(option.Asked(product), func(a, b option.Release) int { return slices.Compare(a[:], b[:]) })
	if slices.Compare(in[:], last[:]) < 0 {
		return option.Values{}, "", false
	}
	v, known = option.ValuesIn(product, last, o.Name)
	return v, series(last), known
}

// withoutWord is a list of words without one of them.
func withoutWord(list, word string) string {
	words := slices.DeleteFunc(strings.Split(list, ","), func(w string) bool { return strings.EqualFold(strings.TrimSpace(w), word) })
	return strings.TrimSpace(strings.Join(words, ","))
}

// strangeWord is the finding for a word that the release does not have for an option, and for a Boolean option that it
// reads as OFF.
func (c *Case) strangeWord(o manifest.Option) (Finding, bool) {
	if !o.Written() || o.Loose || !c.reads(o.Group) || manifest.Unresolved(o.Value) != "" {
		return Finding{}, false
	}
	values, newest, known := c.values(o)
	if !known {
		return Finding{}, false
	}
	if o.Value != "" && values.Misread(o.Value) {
		says := confirmed
		if newest != "" {
			says = hint
		}
		return says(o.Spot, "%s=%s is not a valid value of a Boolean option: the server takes OFF", o.Name, o.Value).as(Warning).costs(startsWithOther()).fix("%s=ON or %s=OFF", o.Name, o.Name), true
	}
	word := values.Strange(o.Value)
	if word == "" {
		return Finding{}, false
	}
	f := confirmed(o.Spot, "%s %s does not have %s for %s: the server does not start", string(c.DB.Product), c.DB.Version.Series(), word, o.Name)
	if newest != "" {
		f = hint(o.Spot, "%s %s, the newest release that tare knows, does not have %s for %s and does not start", string(c.DB.Product), newest, word, o.Name)
	}
	if rest := withoutWord(o.Value, word); c.Named && word == "NO_AUTO_CREATE_USER" && rest != "" { // a mode that changes nothing in a release without it
		f = f.edit(o.Spot, rest)
	}
	if values.Partial {
		return f.fix("%s without %s", o.Name, word), true
	}
	has := slices.DeleteFunc(slices.Clone(values.Words), func(w string) bool { return w == "NOT_USED" })
	if near := option.NearWord(has, word); near != "" {
		return f.fix("%s instead of %s, if that is meant; the server has %s", near, word, strings.Join(has, ", ")), true
	}
	return f.fix("%s without %s; the server has %s", o.Name, word, strings.Join(has, ", ")), true
}

// absentPlugin is the finding for an authentication plugin that the release does not have. Of other names it is not
// known whether something loads them. An option that the release refuses is M-VER-01's, whatever its value.
func (c *Case) absentPlugin(o manifest.Option) (Finding, bool) {
	if o.Name != "authentication_policy" && o.Name != "default_authentication_plugin" || !o.Written() || o.Loose || !c.reads(o.Group) || c.DB.Product != manifest.MySQL || !c.DB.Version.Known() {
		return Finding{}, false
	}
	if _, refused := c.refusal(o.Name); refused {
		return Finding{}, false
	}
	for name := range strings.SplitSeq(o.Value, ",") {
		name, _, _ = strings.Cut(strings.TrimSpace(name), ":")
		old, v := strings.ToLower(name), c.DB.Version
		if old == "mysql_native_password" && v.AtLeast(9, 0, 0) || old == "caching_sha2_password" && !v.AtLeast(8, 0, 0) {
			return confirmed(o.Spot, "%s %s does not have the plugin %s: the server does not start", string(c.DB.Product), v.Series(), name).fix("%s without %s", o.Name, name), true
		}
	}
	return Finding{}, false
}

// suffixes are the letters that the server reads; all where its release is not known.
func (c *Case) suffixes() string {
	product, in := c.release()
	if !c.DB.Version.Known() {
		in = option.Release{latestPatch}
	}
	return option.Suffixes(product, in)
}
