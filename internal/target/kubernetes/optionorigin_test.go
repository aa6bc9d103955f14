package kubernetes

import (
	"maps"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/tarebench/tare/internal/keys"
	"github.com/tarebench/tare/internal/mysqld"
	"github.com/tarebench/tare/internal/mysqld/mysqldtest"
	"github.com/tarebench/tare/internal/operator"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/target"
)

// inOperatorsPod is a server in a pod of an operator, whose files in /etc/my.cnf.d and /opt/operator and whose data are
// on volumes.
func inOperatorsPod(command ...string) *server {
	return &server{
		target: &Kubernetes{settings: Settings{Operator: "mariadb"}}, container: "mysql", account: mysqld.Address{User: "root"},
		request: target.Request{Config: map[string]string{"innodb-buffer-pool-size": "256M", "sync_binlog": "100"}},
		pod: &corev1.Pod{Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "sidecar"}, {
			Name: "mysql", Image: "mysql:1", Command: command,
			VolumeMounts: []corev1.VolumeMount{{MountPath: "/etc/my.cnf.d/"}, {MountPath: "/opt/operator"}, {MountPath: "/var/lib/mysql"}},
		}}}},
	}
}

// ownersIn are the owners that facts name: option=operator or option=image.
func ownersIn(facts []record.Fact) map[string]string {
	all := map[string]string{}
	for _, f := range facts {
		if name, ok := strings.CutPrefix(f.Key, keys.OperatorOptionPrefix); ok {
			all[name] = "operator"
		}
		if name, ok := strings.CutPrefix(f.Key, keys.ImageOptionPrefix); ok {
			all[name] = "image"
		}
	}
	return all
}

// TestOptionOwners: an operator owns what it writes, starts the server with and sets itself. The image's own files,
// options that the experiment asks for and sessions of tare's account are not the operator's.
func TestOptionOwners(t *testing.T) {
	known := []operator.Setting{{Option: "read_only", Value: "OFF"}, {Option: "binlog_format", Value: "ROW"}}
	for _, c := range []struct {
		name, option string
		now, first   origin
		command      []string
		want         string
	}{
		{"a mounted file", "max_connections", origin{source: "EXPLICIT", path: "/etc/my.cnf.d/node.cnf", value: "333"}, origin{}, nil, "operator"},
		{"a mounted file, in MariaDB", "max_connections", origin{source: "CONFIG", path: "/etc/my.cnf.d/0-default.cnf", value: "333"}, origin{}, nil, "operator"},
		{"a file of the image", "skip_name_resolve", origin{source: "GLOBAL", path: "/etc/my.cnf", value: "ON"}, origin{}, nil, "image"},
		{"a folder with a similar name", "skip_name_resolve", origin{source: "GLOBAL", path: "/etc/my.cnf.d-image/a.cnf", value: "ON"}, origin{}, nil, "image"},
		{"set for good", "auto_increment_offset", origin{source: "PERSISTED", path: "/var/lib/mysql/mysqld-auto.cnf", value: "2", user: "operator"}, origin{}, nil, "operator"},
		{"the experiment's", "innodb_buffer_pool_size", origin{source: "EXPLICIT", path: "/etc/my.cnf.d/node.cnf", value: "268435456"}, origin{}, nil, ""},
		{"the experiment's, reverted", "sync_binlog", origin{source: "EXPLICIT", path: "/etc/my.cnf.d/node.cnf", value: "1"}, origin{}, nil, "operator"},
		{"the pod's command", "report_host", origin{source: "COMMAND_LINE", value: "a"}, origin{}, []string{"mysqld", "--report-host=a"}, "operator"},
		{"a mounted script", "report_host", origin{source: "COMMAND_LINE", value: "a"}, origin{}, []string{"sh", "/opt/operator/start.sh"}, "operator"},
		{"the image's entrypoint", "report_host", origin{source: "COMMAND-LINE", value: "a"}, origin{}, nil, "image"},
		{"the server's start", "foreign_key_checks", origin{source: "DYNAMIC", value: "ON"}, origin{}, nil, ""},
		{"an account of the operator", "super_read_only", origin{source: "DYNAMIC", value: "OFF", user: "operator", host: "10.1.1.1"}, origin{}, nil, "operator"},
		{"tare's session", "wait_timeout", origin{source: "DYNAMIC", value: "28800", user: "root", host: "localhost"}, origin{}, nil, ""},
		{"known of the operator", "read_only", origin{source: "DYNAMIC", value: "OFF", user: "root", host: "localhost"}, origin{}, nil, "operator"},
		{"a session over a mounted file", "wait_timeout", origin{source: "DYNAMIC", value: "600", user: "root", host: "localhost"}, origin{source: "EXPLICIT", path: "/etc/my.cnf.d/node.cnf", value: "600"}, nil, "operator"},
		{"SET GLOBAL in MariaDB", "read_only", origin{source: "SQL", value: "ON"}, origin{}, nil, "operator"},
	} {
		s := inOperatorsPod(c.command...)
		if c.first != (origin{}) {
			s.target.origins = map[string]origin{c.option: c.first}
		}
		want := map[string]string{}
		if c.want != "" {
			want[c.option] = c.want
		}
		if diff := cmp.Diff(want, ownersIn(s.optionOwners("an operator", map[string]origin{c.option: c.now}, known))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

// TestOptionOrigins: real servers of both products tell where options come from. What a session sets replaces the
// origin that MySQL tells, and the first reading keeps it.
func TestOptionOrigins(t *testing.T) {
	for _, flavour := range []string{"mysql", "mariadb"} {
		t.Run(flavour, func(t *testing.T) {
			server := mysqldtest.Start(t, mysqldtest.Flavour(t, flavour), map[string]string{"max_connections": "333", "wait_timeout": "600"})
			s := inOperatorsPod()
			s.pod.Spec.Containers[1].VolumeMounts = []corev1.VolumeMount{{MountPath: filepath.Dir(server.Options.DefaultsFile)}}
			origins, err := optionOrigins(t.Context(), server.Address, flavour)
			if err != nil {
				t.Fatal(err)
			}
			s.target.origins = maps.Clone(origins)
			db, err := mysqld.Open(server.Address)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = db.Close() }()
			for _, sql := range []string{"SET SESSION sort_buffer_size = 1048576", "SET SESSION wait_timeout = 77"} {
				if _, err := db.ExecContext(t.Context(), sql); err != nil {
					t.Fatal(err)
				}
			}
			if origins, err = optionOrigins(t.Context(), server.Address, flavour); err != nil {
				t.Fatal(err)
			}
			got := ownersIn(s.optionOwners("an operator", origins, nil))
			for option, want := range map[string]string{"max_connections": "operator", "wait_timeout": "operator", "sort_buffer_size": ""} {
				if got[option] != want {
					t.Errorf("%s is of %q, want %q (%+v)", option, got[option], want, origins[option])
				}
			}
		})
	}
}
