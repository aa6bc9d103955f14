package diagnose

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tarebench/tare/internal/manifest"
)

// TestUnresolvedOptions: a rule makes no finding of the text of an option whose variable was not filled in, whichever of
// the options that rules read it is.
func TestUnresolvedOptions(t *testing.T) {
	for name := range strings.FieldsSeq("datadir tmpdir innodb-tmpdir log-bin relay-log innodb-log-group-home-dir innodb-undo-directory socket " +
		"innodb-buffer-pool-size innodb-log-buffer-size innodb-redo-log-capacity innodb-log-file-size innodb-log-files-in-group key-buffer-size " +
		"sort-buffer-size join-buffer-size read-buffer-size max-connections innodb-flush-log-at-trx-commit sync-binlog innodb-doublewrite " +
		"innodb-flush-method innodb-io-capacity innodb-io-capacity-max innodb-dedicated-server innodb-use-native-aio innodb-read-io-threads " +
		"innodb-write-io-threads innodb-log-writer-threads thread-handling skip-name-resolve long-query-time slow-query-log general-log " +
		"open-files-limit table-open-cache large-pages performance-schema binlog-format binlog-expire-logs-seconds binlog-cache-size") {
		text := fmt.Sprintf(`apiVersion: v1
kind: Pod
metadata: {name: db}
spec:
  terminationGracePeriodSeconds: 600
  volumes: [{name: data, persistentVolumeClaim: {claimName: data}}, {name: tmp, emptyDir: {}}]
  containers:
  - name: mysql
    image: mysql:8.4.3
    command: [sh, -c]
    args: ["V=$(compute); exec docker-entrypoint.sh mysqld --%s=$V"]
    resources: {requests: {cpu: 2, memory: 8Gi}, limits: {cpu: 2, memory: 8Gi}}
    volumeMounts: [{name: data, mountPath: /var/lib/mysql}, {name: tmp, mountPath: /tmp}]
`, name)
		set, problems := manifest.Read([]manifest.Source{{Name: "db.yaml", Text: []byte(text)}}, nil)
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		for _, f := range Lint(set, Facts{}, Rules()).Findings {
			if f.Found() && strings.Contains(f.Says, "$V") {
				t.Errorf("--%s=$V: %s: %s", name, f.Rule, f.Says)
			}
		}
	}
}

// TestAnsweredDataDirectory: of a pod whose server has answered, its own data directory holds and not the text of the
// resource.
func TestAnsweredDataDirectory(t *testing.T) {
	const text = `apiVersion: v1
kind: Pod
metadata: {name: db}
spec:
  volumes: [{name: data, persistentVolumeClaim: {claimName: data}}, {name: own, emptyDir: {}}]
  containers:
  - name: mysql
    image: mysql:8.4.3
    command: [sh, -c]
    args: ["exec mysqld --datadir=$(compute)"]
    volumeMounts: [{name: data, mountPath: /srv/data}, {name: own, mountPath: /srv/own}]
    ports: [{containerPort: 3306}]
`
	for dir, want := range map[string]string{"/srv/data/": "", "/srv/own/": "emptyDir", "/var/lib/mysql/": "no volume is mounted at /var/lib/mysql:"} {
		set, _ := manifest.Read([]manifest.Source{{Name: "pod", Text: []byte(text)}}, nil)
		set.Answered = map[string]string{"datadir": dir}
		got := ""
		for _, f := range Lint(set, Facts{}, Rules()).Findings {
			if f.Found() && f.Rule == "K-STO-01" {
				got += f.Says
			}
		}
		if want == "" && got != "" || !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q", dir, got, want)
		}
	}
}
