package kubernetes

import (
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/tarebench/tare/internal/keys"
	"github.com/tarebench/tare/internal/mysqld"
)

// TestOptionsOfManifests: an option is of the manifests where a mounted ConfigMap or the container's arguments have it.
// The image's own files, what the server keeps in its data directory, and sessions are not.
func TestOptionsOfManifests(t *testing.T) {
	for _, c := range []struct {
		name       string
		now, first origin
		args       []string
		want       bool
	}{
		{"a ConfigMap", origin{source: "EXPLICIT", path: "/etc/mysql/conf.d/my.cnf"}, origin{}, nil, true},
		{"a ConfigMap, in MariaDB", origin{source: "CONFIG", path: "/etc/mysql/conf.d/my.cnf"}, origin{}, nil, true},
		{"an argument", origin{source: "COMMAND_LINE"}, origin{}, []string{"--max-connections=300"}, true},
		{"another argument", origin{source: "COMMAND_LINE"}, origin{}, []string{"--sync-binlog=1"}, false},
		{"the image's file", origin{source: "GLOBAL", path: "/etc/my.cnf"}, origin{}, nil, false},
		{"set for good", origin{source: "PERSISTED", path: "/var/lib/mysql/mysqld-auto.cnf"}, origin{}, nil, false},
		{"a file beside the data", origin{source: "CONFIG", path: "/var/lib/mysql/my.cnf"}, origin{}, nil, false},
		{"a session", origin{source: "DYNAMIC", value: "300", user: "root"}, origin{}, nil, false},
		{"a session over a ConfigMap", origin{source: "DYNAMIC", value: "300", user: "root"}, origin{source: "EXPLICIT", path: "/etc/mysql/conf.d/my.cnf", value: "300"}, nil, true},
	} {
		s := &server{
			target: offline(Settings{Manifests: []string{"deploy/"}}), container: "db", account: mysqld.Address{User: "root"},
			pod: &corev1.Pod{Spec: corev1.PodSpec{
				Containers: []corev1.Container{{Name: "db", Args: c.args, VolumeMounts: []corev1.VolumeMount{{Name: "conf", MountPath: "/etc/mysql/conf.d"}, {Name: "data", MountPath: "/var/lib/mysql"}}}},
				Volumes: []corev1.Volume{
					{Name: "conf", VolumeSource: corev1.VolumeSource{ConfigMap: &corev1.ConfigMapVolumeSource{}}},
					{Name: "data", VolumeSource: corev1.VolumeSource{PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: "data"}}},
				},
			}},
		}
		if c.first != (origin{}) {
			s.target.origins = map[string]origin{"max_connections": c.first}
		}
		facts := s.optionsOfManifests(map[string]origin{"max_connections": c.now})
		if got := len(facts) == 1 && facts[0].Key == keys.ManifestsOptionPrefix+"max_connections" && facts[0].Value == "manifests"; got != c.want {
			t.Errorf("%s: %+v", c.name, facts)
		}
	}
}
