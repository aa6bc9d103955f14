package kubernetes

// Where the options of an operator's server, or of one of the user's manifests, come from, and whose they are: the operator's are those in files that are
// mounted into the pod, on the command line that its pod or a mounted script gives, and what its accounts set.

import (
	"context"
	"database/sql"
	"fmt"
	"path"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/tarebench/tare/internal/mysqld"
	"github.com/tarebench/tare/internal/operator"
	"github.com/tarebench/tare/internal/option"
)

// origin is where the server says that the value of one option comes from.
type origin struct {
	source string // VARIABLE_SOURCE of MySQL, GLOBAL_VALUE_ORIGIN of MariaDB
	path   string // of the option file; "" for none
	value  string // the global one
	user   string // who set it while the server ran; "" if it was not set, and in MariaDB
	host   string
}

// words are the origin in a record.
func (o origin) words() string {
	if o.user != "" {
		return o.source + " by " + o.user + "@" + o.host
	}
	return strings.TrimSpace(o.source + " " + o.path)
}

// owner is who has set an option of the server.
type owner int

const (
	ofNobody   owner = iota // the server itself, a session of tare's account, or the experiment
	ofOperator              // the operator
	ofImage                 // the image that the operator runs
)

// originsQuery reads the variables that are not compiled-in defaults (MySQL: performance_schema.variables_info, refman
// 29.12.14.2; MariaDB: information_schema.SYSTEM_VARIABLES).
func originsQuery(product string) string {
	if product == "mariadb" {
		return "SELECT LOWER(VARIABLE_NAME), GLOBAL_VALUE_ORIGIN, COALESCE(GLOBAL_VALUE_PATH, ''), COALESCE(GLOBAL_VALUE, ''), '', '' FROM information_schema.SYSTEM_VARIABLES WHERE GLOBAL_VALUE_ORIGIN NOT IN ('COMPILE-TIME', 'AUTO')"
	}
	return "SELECT LOWER(i.VARIABLE_NAME), i.VARIABLE_SOURCE, COALESCE(i.VARIABLE_PATH, ''), COALESCE(g.VARIABLE_VALUE, ''), COALESCE(i.SET_USER, ''), COALESCE(i.SET_HOST, '') FROM performance_schema.variables_info i LEFT JOIN performance_schema.global_variables g ON g.VARIABLE_NAME = i.VARIABLE_NAME WHERE i.VARIABLE_SOURCE <> 'COMPILED'"
}

// optionOrigins are the origins of a server's variables, by name. Without a product the server is asked which it is.
func optionOrigins(ctx context.Context, at mysqld.Address, product string) (map[string]origin, error) {
	db, err := mysqld.Open(at)
	if err != nil {
		return nil, err
	}
	defer func(db *sql.DB) { _ = db.Close() }(db) // only reads would be lost
	if product == "" {
		if _, product, err = mysqld.Version(ctx, db); err != nil {
			return nil, fmt.Errorf("ask where options come from: %w", err)
		}
	}
	rows, err := db.QueryContext(ctx, originsQuery(product))
	if err != nil {
		return nil, fmt.Errorf("ask where options come from: %w", err)
	}
	defer rows.Close()
	origins := map[string]origin{}
	for rows.Next() {
		var name string
		var o origin
		if err := rows.Scan(&name, &o.source, &o.path, &o.value, &o.user, &o.host); err != nil {
			return nil, fmt.Errorf("ask where options come from: %w", err)
		}
		origins[name] = o
	}
	return origins, rows.Err()
}

// firstOrigins reads the origins before tare sets anything in a session: in MySQL a SET SESSION replaces the origin
// that the server tells of the global value (sql/set_var.cc, set_var::update). Facts read them again, and say why they
// cannot be read.
func (s *server) firstOrigins(ctx context.Context) error {
	if s.target.origins != nil {
		return nil
	}
	product := ""
	if s.target.settings.isOperator() {
		d, _, err := s.target.settings.ordered(nil)
		if err != nil { // facts say so
			return nil //nolint:nilerr // nothing is lost but the origins
		}
		product = d.Product
	}
	s.target.origins, _ = optionOrigins(ctx, s.Address(), product)
	return nil
}

// ownerOf is who has set one option, as its origin tells.
func (s *server) ownerOf(name string, o origin, known []operator.Setting) owner {
	if asked(s.request.Config, name, o.value) {
		return ofNobody
	}
	switch o.source {
	case "COMMAND_LINE", "COMMAND-LINE":
		if s.startedBy(name) {
			return ofOperator
		}
		return ofImage
	case "DYNAMIC":
		switch {
		case o.user == "": // the server, at its start
			return ofNobody
		case o.user != s.account.User, states(known, name, o.value):
			return ofOperator
		}
		return ofNobody // a session of tare or of the load, which have one account
	case "SQL": // SET GLOBAL in MariaDB, which tare does in no operator's server
		return ofOperator
	}
	if o.path == "" || s.mounted(o.path) { // SET PERSIST writes into the data directory
		return ofOperator
	}
	return ofImage
}

// asked is whether the experiment has asked for the value that an option has.
func asked(config map[string]string, name, value string) bool {
	for set, want := range config {
		if option.VariableName(set) == name {
			return option.Same(want, value)
		}
	}
	return false
}

// states is whether the descriptor says that the operator sets an option to a value.
func states(known []operator.Setting, name, value string) bool {
	return slices.ContainsFunc(known, func(k operator.Setting) bool {
		return option.VariableName(k.Option) == name && (k.Value == "" || option.Same(k.Value, value))
	})
}

// serverContainer is the pod's with the server.
func (s *server) serverContainer() corev1.Container {
	if c := containerOf(s.pod, s.container); c != nil {
		return *c
	}
	return corev1.Container{}
}

// mounted is whether a file of the server's container is in a volume, and not in its image.
func (s *server) mounted(file string) bool {
	return slices.ContainsFunc(s.serverContainer().VolumeMounts, func(m corev1.VolumeMount) bool { return isUnder(file, m.MountPath) })
}

// isUnder is whether a file is at a mount path or below it.
func isUnder(file, mount string) bool {
	at := path.Clean(mount)
	return file == at || strings.HasPrefix(file, strings.TrimSuffix(at, "/")+"/")
}

// startedBy is whether the operator's pod gives an option on the command line: in the container's command, or by a
// program or a script of a volume that the command starts.
func (s *server) startedBy(name string) bool {
	c := s.serverContainer()
	for _, word := range slices.Concat(c.Command, c.Args) {
		if s.mounted(word) || strings.Contains(strings.ReplaceAll(strings.ToLower(word), "-", "_"), "__"+name) {
			return true
		}
	}
	return false
}
