package mysqld

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Options are what one instance needs. All paths are as seen inside the
// distribution's Root.
type Options struct {
	// DefaultsFile is where the text of Defaults is put; it must not be
	// writable for everyone, or the server ignores it.
	DefaultsFile string
	// DataDir, Socket, PIDFile and TmpDir belong to this instance alone.
	DataDir string
	Socket  string
	PIDFile string
	TmpDir  string
	// Port makes the server listen on TCP; 0: it answers on its socket only.
	Port int
	// Bind is the address to listen on, "" with a port: 127.0.0.1.
	Bind string
	// InitFile holds statements that the server carries out when it starts, one a
	// line, before it takes connections; "" for none.
	InitFile string
	// Member are the options of a member of a replicated database, which differ from
	// member to member; nil for a server alone. The user's come after them and win.
	Member map[string]string
	// Config are the user's options; they win over what tare would set.
	Config map[string]string
}

// Arguments is the command line of the server, its own path first.
//
// The options are in the file and not here, so that the command line is the
// same for every instance and holds nothing secret. --defaults-file has to be
// the first argument (my_default.cc) and keeps the host's my.cnf out.
func Arguments(d Distribution, o Options) []string {
	return []string{d.Server, "--defaults-file=" + o.DefaultsFile}
}

// Defaults is the text of the options file: tare's own settings, which are few
// because a server is to be measured as its users run it, then the user's.
// The order is the same every time. All that is wrong with the user's options
// is one error.
func Defaults(d Distribution, o Options) (string, error) {
	if err := Validate(d, o.Config); err != nil {
		return "", err
	}
	if err := o.complete(); err != nil {
		return "", err
	}
	user := normalise(o.Config)
	var b strings.Builder
	b.WriteString("# Written by tare; every start writes it again.\n[mysqld]\n")
	for _, s := range own(d, o) {
		if !user.has(s.name) {
			b.WriteString(s.line())
		}
	}
	for _, name := range slices.Sorted(maps.Keys(o.Member)) {
		b.WriteString(setting{name, o.Member[name]}.line())
	}
	b.WriteString("# From the experiment:\n")
	for _, name := range slices.Sorted(maps.Keys(o.Config)) {
		b.WriteString(setting{strings.ReplaceAll(name, "-", "_"), o.Config[name]}.line())
	}
	return b.String(), nil
}

// complete refuses options that would let a server reach for another's files.
func (o Options) complete() error {
	var errs []error
	for _, p := range []struct{ name, value string }{
		{"data directory", o.DataDir}, {"socket", o.Socket}, {"pid file", o.PIDFile},
		{"temporary directory", o.TmpDir}, {"defaults file", o.DefaultsFile},
	} {
		if !strings.HasPrefix(p.value, "/") {
			errs = append(errs, fmt.Errorf("set %s of server: %q is not an absolute path", p.name, p.value))
		}
		if err := checkValue(p.name, p.value); err != nil {
			errs = append(errs, err)
		}
	}
	// sun_path holds 108 bytes with the final NUL (unix(7)); MySQL cuts a
	// longer one off or refuses it, with an error that does not say so.
	if len(o.Socket) > 107 {
		errs = append(errs, fmt.Errorf("set socket of server: %q is longer than 107 bytes, the most that Linux takes", o.Socket))
	}
	return errors.Join(errs...)
}

// setting is one line of the options file. A setting without a value whose name
// starts with skip_ is a switch.
type setting struct{ name, value string }

// own are tare's settings.
func own(d Distribution, o Options) []setting {
	s := []setting{
		{"datadir", o.DataDir},
		{"socket", o.Socket},
		{"pid_file", o.PIDFile},
		{"tmpdir", o.TmpDir},
		// The compiled-in directory need not exist in Root, and then MySQL
		// does not start; only tare connects.
		{"secure_file_priv", ""},
		// A name server must never be part of a measurement.
		{"skip_name_resolve", "ON"},
	}
	for _, p := range []setting{
		{"basedir", d.Paths.Base}, {"lc_messages_dir", d.Paths.Messages}, {"plugin_dir", d.Paths.Plugins},
	} {
		if p.value != "" {
			s = append(s, p)
		}
	}
	if d.Flavour == MySQL {
		// A second protocol with a port and socket of its own; loose, as
		// builds without it refuse the name.
		s = append(s, setting{"loose_mysqlx", "OFF"})
	}
	if o.InitFile != "" {
		s = append(s, setting{"init_file", o.InitFile})
	}
	if o.Port == 0 {
		return append(s, setting{"skip_networking", "ON"})
	}
	bind := o.Bind
	if bind == "" {
		bind = "127.0.0.1"
	}
	return append(s, setting{"bind_address", bind}, setting{"port", strconv.Itoa(o.Port)})
}

// plain are values that need no quotes in an options file.
var plain = regexp.MustCompile(`^[A-Za-z0-9_./:,+=%@-]*$`)

// line writes a setting so that the server reads back exactly the value: it
// cuts at #, trims blanks, and knows backslash escapes (my_default.cc,
// search_default_file_with_ext).
func (s setting) line() string {
	switch {
	case s.value == "" && strings.HasPrefix(s.name, "skip_"):
		return s.name + "\n"
	case plain.MatchString(s.value):
		return s.name + "=" + s.value + "\n"
	}
	escape := strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\t", `\t`)
	return s.name + `="` + escape.Replace(s.value) + "\"\n"
}
