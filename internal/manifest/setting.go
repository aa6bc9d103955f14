package manifest

// This file says what a server's option is: read in the files, set by the operator or the image,
// the default of a release, or unknown. Absence in the files is no fact where something that was
// not read may set the option.

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/tarebench/tare/internal/option"
)

// State is how an option's value is known.
type State string

// The states. Written: the files, arguments or environment set it. Preset: the operator or the image
// does where they do not. Default: nothing sets it, and the release's default is known. Unknown: a
// source was not read, or the release is not known and with it the default.
const (
	Written State = "written"
	Preset  State = "preset"
	Default State = "default"
	Unknown State = "unknown"
)

// Setting is what is known of one option of a server.
type Setting struct {
	State State
	Value string // "" where State is Unknown, or where the release has no such option
	// Absent is whether the release has no such option, where State is Default.
	Absent bool
	// Option is the place where State is Written.
	Option Option
	// From says where the value is from, or why it is unknown. It is empty where State is Written.
	From Text
}

// Setting is what is known of an option.
func (d *Database) Setting(name string) Setting {
	if o, ok := d.Option(name); ok {
		if variable := Unresolved(o.Value); variable != "" {
			if _, sized := d.Size(o); !sized {
				return Setting{State: Unknown, Option: o, From: said("%s=%s: the value is filled in later", name, o.Value)}
			}
		}
		return Setting{State: Written, Value: o.Value, Option: o}
	}
	if why, hidden := d.Hidden(); hidden {
		return Setting{State: Unknown, From: why}
	}
	if preset, ok := d.Preset(name); ok {
		if preset.Value == "" {
			return Setting{State: Unknown, From: said("%s is set by the operator: %s", name, preset.Why)}
		}
		return Setting{State: Preset, Value: preset.Value, From: Text{Format: preset.Why}}
	}
	return d.defaultOf(name)
}

// Hidden is the first source of options that was not read, and whether there is one.
func (d *Database) Hidden() (why Text, hidden bool) {
	if len(d.Config.Missing) == 0 {
		return Text{}, false
	}
	return d.Config.Missing[0], true
}

// placeholder is a value that a script puts another text in place of: @@SERVER_ID@@, __MEMORY__, <size>, $NAME.
var placeholder = regexp.MustCompile(`^(@@?\w+@@?|__\w+__|<[\w -]+>|%[A-Z_]+%|\$\w+)$`)

// Unresolved is the variable or template that an option's value still has: {{ }}, ${VAR}, $(VAR), $VAR, or a placeholder.
func Unresolved(value string) string {
	if placeholder.MatchString(value) {
		return value
	}
	for _, mark := range []string{"{{", "${", "$("} {
		if strings.Contains(value, mark) {
			return mark
		}
	}
	return shellVariable.FindString(value)
}

// defaultOf is an option's default in the server's release.
func (d *Database) defaultOf(name string) Setting {
	span, named := d.releases()
	var def option.Default
	var ok bool
	if named {
		def, ok = option.DefaultIn(span, name)
	} else {
		def, ok = option.DefaultOfAll(name)
	}
	switch {
	case ok && def.Computed:
		return Setting{State: Unknown, From: said("the server computes the default of %s", name)}
	case ok:
		return Setting{State: Default, Value: def.Value, Absent: def.Absent, From: d.ofRelease(def)}
	case d.Version.Known():
		return Setting{State: Unknown, From: said("tare does not know the default of %s in %s %s", name, string(d.Product), d.Version.Series())}
	case d.Tag != "":
		return Setting{State: Unknown, From: said("the image's tag %s can be any of several releases, and the default of %s differs", d.Tag, name)}
	}
	return Setting{State: Unknown, From: said("the server's version is unknown, and with it the default of %s", name)}
}

// releases are those that the server may be of; named is false where its product is not known.
func (d *Database) releases() (s option.Span, named bool) {
	product := option.MySQL
	switch d.Product {
	case MariaDB:
		product = option.MariaDB
	case "":
		return s, false
	}
	v := d.Version
	switch {
	case v.Known() && v.Patch > 0:
		return option.Within(product, v.Major, v.Minor, v.Patch), true
	case v.Known(): // the newest patch release of the series
		s = option.Within(product, v.Major, v.Minor)
		s.From = s.To
		return s, true
	case d.major > 0:
		return option.Within(product, d.major), true
	}
	return option.Within(product), true
}

// ofRelease says whose default a value is.
func (d *Database) ofRelease(def option.Default) Text {
	switch {
	case def.Newer != "":
		return said("the default of %s %s, the newest release that tare knows", string(d.Product), def.Newer)
	case d.Version.Known():
		return said("the default of %s %s", string(d.Product), d.Version.Series())
	case d.Product != "" && d.major > 0:
		return said("the default of every release of %s %s", string(d.Product), fmt.Sprint(d.major))
	case d.Product != "":
		return said("the default of every release of %s", string(d.Product))
	}
	return said("the default of every release of MySQL and MariaDB")
}
