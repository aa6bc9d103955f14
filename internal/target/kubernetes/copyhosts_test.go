package kubernetes

import (
	"encoding/base64"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// renamed is a text of a copy of StatefulSet db with three replicas in namespace shop, with Services db and db-peers, and a
// Service db-writer of one role.
func renamed(t *testing.T, key, text string) (after, notes, unclear string) {
	t.Helper()
	h := &hostNames{
		services: map[string]string{"db": "db-tare", "db-peers": "db-peers-tare", "db-writer": "", "mysql": "mysql-tare"},
		set:      "db", replicas: 3, namespace: "shop", names: []string{"db-writer", "db-peers", "mysql", "db"},
	}
	of := copyText{object: "StatefulSet db", path: "args[0]", key: key, text: text}
	after, _, wrong := h.rename(of)
	of.text = after
	wrong = append(wrong, h.peers(of)...)
	return after, strings.Join(h.others(of), "\n"), strings.Join(wrong, "\n")
}

// TestHostsOfCopy: a name that is a host of the running database for certain becomes that of the copy, and everything else
// stays.
func TestHostsOfCopy(t *testing.T) {
	for _, c := range []struct{ key, text, want string }{
		{"", "--wsrep-cluster-address=gcomm://db-0.db,db-1.db,db-2.db", "--wsrep-cluster-address=gcomm://db-tare-0.db-tare,db-tare-1.db-tare,db-tare-2.db-tare"},
		{"--wsrep-cluster-address", "gcomm://db-peers", "gcomm://db-peers-tare"},
		{"", "gcomm://db-0.db-peers:4567,db-peers?pc.wait_prim=no", "gcomm://db-tare-0.db-peers-tare:4567,db-peers-tare?pc.wait_prim=no"},
		{"", "ncat --recv-only db-$((n-1)).db 3307 | xbstream", "ncat --recv-only db-tare-$((n-1)).db-tare 3307 | xbstream"},
		{"", `ncat db-"$i".db 3307; ping ${HOSTNAME}.db-peers`, `ncat db-tare-"$i".db-tare 3307; ping ${HOSTNAME}.db-peers-tare`},
		{"MASTER_HOST", "db-0.db", "db-tare-0.db-tare"},
		{"MASTER_HOST", "db", "db-tare"},
		{"MY_SERVICE_NAME", "db-peers", "db-peers-tare"},
		{"", "CHANGE MASTER TO MASTER_HOST='db-0.db.shop.svc.cluster.local', MASTER_USER='db'", "CHANGE MASTER TO MASTER_HOST='db-tare-0.db-tare', MASTER_USER='db'"},
		{"", "$(POD_NAME).db.$(NAMESPACE).svc.cluster.local", "$(POD_NAME).db-tare.$(NAMESPACE).svc.cluster.local"},
		{"", "mysql -hdb -P3306 --user=db; mysqladmin -h db ping; nc -z db 3306", "mysql -hdb-tare -P3306 --user=db; mysqladmin -h db-tare ping; nc -z db-tare 3306"},
		{"", "mysql://app:pw@db:3306/db", "mysql://app:pw@db-tare:3306/db"},
		{"", "[[ $HOSTNAME == db-0 ]] && exit; for i in db-{0..2}; do ping $i; done", "[[ $HOSTNAME == db-tare-0 ]] && exit; for i in db-tare-{0..2}; do ping $i; done"},
		{"", "ping $DB_SERVICE_HOST $DB_PEERS_PORT_3306_TCP_ADDR", "ping $DB_TARE_SERVICE_HOST $DB_PEERS_TARE_PORT_3306_TCP_ADDR"},
		{"", "# joins db-0.db\nhost: db", "# joins db-0.db\nhost: db-tare"},
		{"MYSQL_DATABASE", "db", "db"}, {"", "--wsrep_cluster_name=db", "--wsrep_cluster_name=db"}, {"", "CREATE DATABASE IF NOT EXISTS db; USE db;", "CREATE DATABASE IF NOT EXISTS db; USE db;"},
		{"", "chown -R mysql:mysql /var/lib/mysql /srv/db && mysql -e 'SELECT 1 FROM mysql.user' > /tmp/db-0", "chown -R mysql:mysql /var/lib/mysql /srv/db && mysql -e 'SELECT 1 FROM mysql.user' > /tmp/db-0"},
		{"", "[mysql]\ndb=$db ${db} db.cnf my-db dbs", "[mysql]\ndb=$db ${db} db.cnf my-db dbs"},
		{"", "gcomm://", "gcomm://"}, {"", "group_replication_group_seeds=127.0.0.1:33061", "group_replication_group_seeds=127.0.0.1:33061"},
		{"", "gcomm://db-tare-0.db-tare", "gcomm://db-tare-0.db-tare"},
	} {
		after, notes, unclear := renamed(t, c.key, c.text)
		if after != c.want || unclear != "" || strings.Contains(notes, "-tare") {
			t.Errorf("%s %q\n is %q\nwant %q\nunclear: %s\nnotes: %s", c.key, c.text, after, c.want, unclear, notes)
		}
	}
}

// TestHostsInDoubt: what may be the running database, or is a cluster or a source outside of the copies, is an error with the
// text; other hosts outside are noted.
func TestHostsInDoubt(t *testing.T) {
	for _, c := range []struct{ key, text, unclear string }{
		{"", "start --with db", "\"db\" in `start --with db` may be Service db of the running database, which is db-tare in the copy"},
		{"CLUSTER", "db", `"db" may be Service db`},
		{"", "ncat db-0.db.prod.svc 3307", "\"db-0.db.prod.svc\" in `ncat db-0.db.prod.svc 3307` names the namespace prod, and the manifests are of namespace shop"},
		{"", "mysql -h db-writer", "is Service db-writer, which has some of the running database's pods by a label that the copy does not have"},
		{"", "ping db-0.other", "is a pod of the running database by a name that is not of a copied Service"},
		{"", "ping shard-1.db", "with a name before it that is not of a copied pod"},
		{"MASTER_HOST", "primary.example.com", `"primary.example.com" is a host of a cluster or a source of replication that is not among the copies`},
		{"", "wsrep_cluster_address = gcomm://db-0.db,10.0.0.7", `"10.0.0.7" is a host of a cluster`},
		{"", "loose-group-replication-group-seeds: 'mgr-0:33061,db-1.db:33061'", `"mgr-0:33061" is a host of a cluster`},
		{"", `CHANGE REPLICATION SOURCE TO SOURCE_HOST="shop-primary"`, `"shop-primary" is a host of a cluster`},
	} {
		if _, _, unclear := renamed(t, c.key, c.text); !strings.Contains(unclear, c.unclear) {
			t.Errorf("%s %q: %q, want %q", c.key, c.text, unclear, c.unclear)
		}
	}
	for _, c := range []struct{ key, text, host string }{
		{"", "curl -O https://backup.example.com/x", "backup.example.com"}, {"BACKUP_HOST", "minio", "minio"}, {"", "ping 10.1.2.3", "10.1.2.3"},
		{"", "nc -z cache.web.svc.cluster.local 80", "cache.web.svc"}, {"", "mysqldump -h reports db.t", "reports"},
	} {
		if _, notes, _ := renamed(t, c.key, c.text); !strings.Contains(notes, "the host "+c.host+" is not among the copies: the copy uses the same one") {
			t.Errorf("%s %q: %q, want %q", c.key, c.text, notes, c.host)
		}
	}
	for _, text := range []string{"character-set-server=utf8mb4", "bind-address=0.0.0.0", "mysqladmin -h localhost ping", "http://127.0.0.1:9104"} {
		if _, notes, unclear := renamed(t, "", text); notes+unclear != "" {
			t.Errorf("%q: %s%s", text, notes, unclear)
		}
	}
	if _, notes, unclear := renamed(t, "", `mysqld --wsrep-cluster-address="gcomm://$PEERS"`); unclear != "" || !strings.Contains(notes, "computed in the pod") {
		t.Errorf("computed: %q, %q", notes, unclear)
	}
}

// TestCopyOfCluster: every text of the copied objects is looked at, and what is refused has its object, its field and its
// text, but the text of a Secret.
func TestCopyOfCluster(t *testing.T) {
	copyOf := func(text string) (Copied, error) {
		file := filepath.Join(t.TempDir(), "cluster.yaml")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		objects, err := Manifests([]string{file})
		if err != nil {
			t.Fatal(err)
		}
		return Copy(objects, "StatefulSet", "db")
	}
	text, err := os.ReadFile("testdata/cluster.yaml")
	if err != nil {
		t.Fatal(err)
	}
	c, err := copyOf(string(text))
	if err != nil {
		t.Fatal(err)
	}
	secret := base64.StdEncoding.EncodeToString([]byte("db-tare-0.db-tare"))
	for _, want := range []string{
		"--wsrep-cluster-address=gcomm://db-tare-0.db-tare,db-tare-1.db-tare,db-tare-2.db-tare", "wsrep_cluster_address=gcomm://db-tare-0.db-tare,db-tare-1.db-tare",
		"ncat --recv-only db-tare-$((n-1)).db-tare 3307 | xbstream", "value: db-tare-0.db-tare", "host: db-tare", "pre-stop db-tare-0.db-tare", secret,
	} {
		if !strings.Contains(string(c.Text), want) {
			t.Errorf("the copy has no %q", want)
		}
	}
	if notes := strings.Join(c.Notes, "\n"); !strings.Contains(notes, "are those of the copy, in 10 places") || !strings.Contains(notes, "ConfigMap options, data.my.cnf: the host 10.9.8.7 is not among the copies") {
		t.Errorf("notes: %s", notes)
	}
	for _, c := range [][3]string{
		{"ncat --recv-only db-$((n-1)).db 3307", "start --with db", "StatefulSet db, spec.template.spec.initContainers[0].command[2]: \"db\" in `start --with db | xbstream` may be Service db"},
		{"value: db-0.db", "value: db-0.elsewhere", `StatefulSet db, spec.template.spec.containers[0].env[0].value: "db-0.elsewhere" is a pod of the running database`},
		{"source: ZGItMC5kYg==", "source: " + base64.StdEncoding.EncodeToString([]byte("hidden db")), `Secret login, data.source: "db" may be Service db`},
	} {
		if _, err := copyOf(strings.Replace(string(text), c[0], c[1], 1)); err == nil || !strings.Contains(err.Error(), c[2]) || strings.Contains(err.Error(), "hidden") {
			t.Errorf("%v\nwant %s", err, c[2])
		}
	}
}
