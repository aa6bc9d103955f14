package external

import (
	"fmt"
	"net"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/mysqld"
	"github.com/tarebench/tare/internal/node"
	"github.com/tarebench/tare/internal/replication"
	"github.com/tarebench/tare/internal/target"
)

// Settings are an arm's own: where the server is and who we are there.
type Settings struct {
	Host string `yaml:"host"`
	// Port is 3306 without one.
	Port int `yaml:"port"`
	// Socket is a Unix socket of this machine, instead of host and port.
	Socket string `yaml:"socket"`
	User   string `yaml:"user"`
	// PasswordEnv names an environment variable with the password, PasswordFile
	// a file whose first line it is. Neither: there is none.
	PasswordEnv  string `yaml:"passwordEnv"`
	PasswordFile string `yaml:"passwordFile"`
	// Password is refused: the experiment file is kept with every run.
	Password inline `yaml:"password"`
	// TLS is verify-identity, verify-ca, required or off. Without it, the
	// server's certificate and name are verified unless the server is on this
	// machine.
	TLS string `yaml:"tls"`
	// CA is a file with the certificates that are trusted; without one, those
	// this system trusts.
	CA string `yaml:"ca"`
	// Schema is tare's own: it is made, and dropped at the end of the run. A
	// schema that tare did not make is never touched.
	Schema string `yaml:"schema"`
	// KeepSchema: the schema is there and empty. tare makes its tables in it, drops all tables in it at
	// the end of the run, and keeps the schema: for an account that cannot create one.
	KeepSchema bool `yaml:"keepSchema"`
	// Instance is what the server runs on, as its owner says: tare cannot read it there.
	Instance Instance `yaml:"instance"`
	// Shared accepts other clients on the server while it is measured.
	Shared bool `yaml:"shared"`
	// Replication is refused: it is the server's owner's.
	Replication *replication.Settings `yaml:"replication"`
	// Price is what it costs, such as 1.72/h.
	Price experiment.Price `yaml:"price"`
}

// Instance is a machine, or a cluster of them, that tare has no access to. What is 0 is
// unknown.
type Instance struct {
	Type   string     `yaml:"type"`
	CPU    node.CPU   `yaml:"cpu"`
	Memory node.Bytes `yaml:"memory"`
	IOPS   int        `yaml:"iops"`
	// Zones are those that the data are in.
	Zones int `yaml:"zones"`
}

// inline is a password in the file. It is forgotten as it is read, so that no
// later message can hold it.
type inline bool

// UnmarshalText notes that there was one.
func (p *inline) UnmarshalText([]byte) error {
	*p = true
	return nil
}

const (
	defaultPort   = 3306
	defaultSchema = "tare_bench"
)

// schemaName is what mysqld.CreateSchema takes.
var schemaName = regexp.MustCompile(`^[A-Za-z0-9_]{1,64}$`)

// contradictions are settings that no server can satisfy.
func (s Settings) contradictions() []error {
	var errs []error
	wrong := func(field, format string, args ...any) {
		errs = append(errs, target.Wrong(field, format, args...))
	}
	if s.Password {
		wrong("password", "a password in the file would be kept with every run; write passwordEnv: NAME for an environment variable, or passwordFile: PATH, and change this password, as it has been in a file")
	}
	if s.Replication != nil {
		wrong("replication", "tare does not set up the replication of an external server; leave replication out")
	}
	switch {
	case s.Host == "" && s.Socket == "":
		wrong("host", "the address is missing; write host: db.example.com, or socket: /path for a server on this machine")
	case s.Host != "" && s.Socket != "":
		wrong("socket", "host and socket exclude each other; leave one out")
	case s.Socket != "" && (s.Port != 0 || s.CA != "" || (s.TLS != "" && s.TLS != mysqld.TLSOff)):
		wrong("socket", "a Unix socket has no port and no TLS; leave port, tls and ca out")
	}
	if s.Host != "" && strings.ContainsAny(s.Host, ":/ ") && net.ParseIP(s.Host) == nil {
		wrong("host", "%.100q is not a host name or address; the port is a field of its own", s.Host)
	}
	if s.Port < 0 || s.Port > 65535 {
		wrong("port", "%d is not a port; write one from 1 to 65535", s.Port)
	}
	if s.User == "" {
		wrong("user", "the user is missing; write user: tare")
	}
	if s.PasswordEnv != "" && s.PasswordFile != "" {
		wrong("passwordFile", "passwordEnv and passwordFile exclude each other; leave one out")
	}
	if s.TLS != "" && !slices.Contains(mysqld.TLSModes, s.TLS) {
		wrong("tls", "%.40q is not a TLS mode; write one of %s", s.TLS, strings.Join(mysqld.TLSModes, ", "))
	}
	if s.Schema != "" && !schemaName.MatchString(s.Schema) {
		wrong("schema", "%.80q is not an accepted schema name; use letters, digits and _, at most 64", s.Schema)
	}
	if slices.Contains([]string{"mysql", "sys", "information_schema", "performance_schema"}, strings.ToLower(s.Schema)) {
		wrong("schema", "%s is the server's own; name one that does not exist yet", s.Schema)
	}
	if s.Instance.CPU == node.MaxCPU {
		wrong("instance.cpu", "expected an amount, such as 4")
	}
	if s.Instance.IOPS < 0 || s.Instance.Zones < 0 {
		wrong("instance", "iops and zones are 0 or more")
	}
	return errs
}

// defaulted fills in what was left out.
func (s Settings) defaulted() Settings {
	if s.Port == 0 && s.Socket == "" {
		s.Port = defaultPort
	}
	if s.Schema == "" {
		s.Schema = defaultSchema
	}
	if s.TLS == "" {
		s.TLS = mysqld.TLSIdentity
		if (mysqld.Address{Host: s.Host, Socket: s.Socket}).OnThisMachine() {
			s.TLS = mysqld.TLSOff
		}
	}
	return s
}

// passwordVariable is read where the settings name no other source, as the clients of MySQL do.
const passwordVariable = "MYSQL_PWD"

// password fetches the password.
func (s Settings) password() (string, error) {
	switch {
	case s.PasswordEnv != "":
		p, ok := os.LookupEnv(s.PasswordEnv)
		if !ok {
			return "", target.FieldError{Field: "passwordEnv", Err: fmt.Errorf("the environment variable %s is not set", s.PasswordEnv)}
		}
		return p, nil
	case s.PasswordFile != "":
		p, err := mysqld.ReadPassword(s.PasswordFile)
		if err != nil {
			return "", target.FieldError{Field: "passwordFile", Err: err}
		}
		return p, nil
	}
	return os.Getenv(passwordVariable), nil
}
