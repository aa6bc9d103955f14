//go:build lab

package kubernetes

// The user's own manifests.

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/tarebench/tare/internal/target"
)

// ownSettings are of the user's own manifests in the cluster of the tests.
func ownSettings(t *testing.T) Settings {
	t.Helper()
	s, base := patched(), settings(t)
	s.Kubeconfig, s.Namespace = base.Kubeconfig, base.Namespace
	first, _ := nodeNames(t)
	for i := range s.Patches {
		s.Patches[i].Patch = strings.ReplaceAll(s.Patches[i].Patch, `"n1"`, strconv.Quote(first))
	}
	return s
}

// TestOwn: the user's own manifests, patched: what is measured is their server,
// its data stay from trial to trial, and nothing of them is left at the end.
func TestOwn(t *testing.T) {
	s := ownSettings(t)
	k, request := labArm(t, s), requests(t)
	if errs := k.Check(context.Background()); errs != nil {
		t.Fatalf("Check: %v", errs)
	}
	first, _ := nodeNames(t)
	for trial := range 2 {
		r := request()
		r.Config = nil
		server := begin(t, k, r)
		at := target.ClientOf(server).Address
		if trial == 0 {
			run(t, at, "CREATE TABLE t (i INT)", "INSERT INTO t VALUES (1)")
		}
		if got := query(t, at, "SELECT COUNT(*) FROM t"); got != "1" {
			t.Errorf("trial %d begins with %s rows, want 1", trial, got)
		}
		for key, want := range map[string]string{"pod.qos": "Guaranteed", "pod.cpu.limit": "500m", "pod.node": first} {
			if got := factOf(server, key); got != want {
				t.Errorf("%s is %s, want %s", key, got, want)
			}
		}
		if err := server.Stop(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	if err := k.Release(context.Background()); err != nil {
		t.Fatal(err)
	}
	left, err := k.cluster.scoped(statefulSets).List(context.Background(), metav1.ListOptions{})
	if err != nil || len(left.Items) > 0 {
		t.Errorf("left after Release: %v, %v", left, err)
	}
}

// TestFirstStudyRuns: the manifests of the first study run as they were printed, in each of its
// QoS classes by a patch. What another patch changes is what the cluster of the tests lacks: the
// study's image and host.
func TestFirstStudyRuns(t *testing.T) {
	base, dir := settings(t), t.TempDir()
	first, _ := nodeNames(t)
	const start = `printf "ALTER USER root@localhost IDENTIFIED BY '%s';\nCREATE USER IF NOT EXISTS root@'%%' IDENTIFIED BY '%s';\nGRANT ALL ON *.* TO root@'%%' WITH GRANT OPTION;\n" "$MYSQL_ROOT_PASSWORD" "$MYSQL_ROOT_PASSWORD" >/tmp/accounts.sql
[ -d /var/lib/mysql/data ] || mysqld --no-defaults --user=root --datadir=/var/lib/mysql/data --initialize-insecure
exec mysqld --no-defaults --user=root --datadir=/var/lib/mysql/data --socket=/tmp/mysqld.sock --mysqlx=0 --secure-file-priv=NULL --innodb-buffer-pool-size=64M --init-file=/tmp/accounts.sql`
	deployment := func(spec string) Patch {
		return Patch{Patch: "{apiVersion: apps/v1, kind: Deployment, metadata: {name: mysql}, spec: {template: {spec: " + spec + "}}}"}
	}
	here := deployment(fmt.Sprintf(`{nodeSelector: {kubernetes.io/hostname: %q}, volumes: [{name: mysql-persistent-storage, hostPath: {path: %q, type: DirectoryOrCreate}}],
		containers: [{name: mysql, image: %q, imagePullPolicy: IfNotPresent, command: [sh, -c, %q]}]}`, first, dir, base.Image, start))
	for _, c := range []struct{ qos, resources string }{
		{"BestEffort", "{}"},
		{"Burstable", "{requests: {cpu: 100m, memory: 256Mi}}"},
		{"Guaranteed", "{requests: {cpu: 500m, memory: 512Mi}, limits: {cpu: 500m, memory: 512Mi}}"},
	} {
		t.Run(c.qos, func(t *testing.T) {
			k, request := labArm(t, Settings{Kubeconfig: base.Kubeconfig, Namespace: base.Namespace, Manifests: []string{"testdata/first-study.yaml"},
				Patches: []Patch{here, deployment("{containers: [{name: mysql, resources: " + c.resources + "}]}")}}), requests(t)
			if errs := k.Check(context.Background()); errs != nil {
				t.Fatalf("Check: %v", errs)
			}
			r := request()
			r.Config = nil
			server := begin(t, k, r)
			if got := query(t, target.ClientOf(server).Address, "SELECT CURRENT_USER()"); got != "root@%" {
				t.Errorf("logged in as %s", got)
			}
			if got := factOf(server, "pod.qos"); got != c.qos {
				t.Errorf("pod.qos is %s", got)
			}
			if err := errors.Join(server.Stop(context.Background()), k.Release(context.Background())); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// TestOwnSays: manifests that cannot be run are explained before or within the
// time limit, and what others have made is left as it is.
func TestOwnSays(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*Settings)
		says   string
	}{
		{"image", func(s *Settings) {
			s.Patches = []Patch{{Patch: "{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: db}, spec: {template: {spec: {containers: [{name: server, image: 'localhost:1/none:1', imagePullPolicy: Always}]}}}}"}}
		}, "ErrImagePull"},
		{"never ready", func(s *Settings) {
			s.Patches = []Patch{{Patch: "{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: db}, spec: {template: {spec: {containers: [{name: server, command: [sleep, '100']}]}}}}"}}
		}, "Unhealthy: Readiness probe failed"},
		{"no password", func(s *Settings) { s.Server.PasswordKey = "absent" }, `Secret db-login has no key "absent"`},
		{"no Service", func(s *Settings) { s.Server.Service = "absent" }, "get services absent"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := ownSettings(t)
			c.change(&s)
			k, r := labArm(t, s), requests(t)()
			r.Config, r.ReadyWithin = nil, 20*time.Second
			if _, err := k.Start(context.Background(), r); err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("Start: %v; want %q", err, c.says)
			}
		})
	}
	t.Run("of others", func(t *testing.T) {
		s := ownSettings(t)
		k := labArm(t, s)
		others := &corev1.Service{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Service"}, ObjectMeta: metav1.ObjectMeta{Name: "db", Namespace: s.Namespace},
			Spec: corev1.ServiceSpec{Ports: []corev1.ServicePort{{Port: 1}}}}
		if err := k.cluster.apply(context.Background(), services, "db", others); err != nil {
			t.Fatal(err)
		}
		defer func() {
			if err := k.cluster.remove(context.Background(), services, "db"); err != nil {
				t.Error(err)
			}
		}()
		if err := errors.Join(k.Check(context.Background())...); err == nil || !strings.Contains(err.Error(), "there is a Service db in namespace tare that tare did not make") {
			t.Errorf("Check: %v", err)
		}
	})
}
