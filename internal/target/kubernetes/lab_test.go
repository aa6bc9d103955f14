//go:build lab

package kubernetes

// Tests on a real cluster: the lab (make lab-test), or another (make cluster-test).
// They run with the rights of docs/kubernetes-rbac.yaml and no others.

import (
	"bytes"
	stdcmp "cmp"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/tarebench/tare/internal/mysqld"
	"github.com/tarebench/tare/internal/node"
	"github.com/tarebench/tare/internal/target"
	"github.com/tarebench/tare/internal/target/targettest"
)

// settings are those of an arm in the cluster of the tests.
func settings(t *testing.T) Settings {
	t.Helper()
	kubeconfig := os.Getenv("TARE_TEST_KUBECONFIG")
	if kubeconfig == "" {
		t.Fatal("TARE_TEST_KUBECONFIG names no cluster; `make lab-test` brings one up and runs these tests, `make cluster-test` runs them in another")
	}
	image := stdcmp.Or(os.Getenv("TARE_TEST_IMAGE"), "localhost/mysql:1")
	return Settings{Kubeconfig: kubeconfig, Namespace: stdcmp.Or(os.Getenv("TARE_TEST_NAMESPACE"), "tare"), Image: image, VolumeSize: 1 << 30}
}

// nodeNames are two nodes of the cluster, by their host names: one for a server and one for
// what is to be elsewhere. Those of the lab, if TARE_TEST_NODES does not name others.
func nodeNames(t *testing.T) (first, second string) {
	t.Helper()
	names := strings.Fields(stdcmp.Or(os.Getenv("TARE_TEST_NODES"), "n1 n2"))
	if len(names) < 2 {
		t.Fatalf("TARE_TEST_NODES names %d nodes, two are required", len(names))
	}
	return names[0], names[1]
}

// ownImage is tare's own image.
func ownImage() string { return stdcmp.Or(os.Getenv("TARE_TEST_CLIENT_IMAGE"), "localhost/tare:1") }

// labArm makes a target, and releases it at the end of the test: then nothing of it
// may be left.
func labArm(t *testing.T, s Settings) *Kubernetes {
	t.Helper()
	made, err := New(func(into any) error { *into.(*Settings) = s; return nil })
	if err != nil {
		t.Fatal(err)
	}
	k := made.(*Kubernetes)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		for range 2 {
			if err := k.Release(ctx); err != nil {
				t.Errorf("Release: %v", err)
			}
		}
		if left := objects(t, k); len(left) > 0 {
			t.Errorf("left in the cluster: %v", left)
		}
	})
	return k
}

// objects are the names of everything that carries tare's label and the arm's.
func objects(t *testing.T, k *Kubernetes) []string {
	t.Helper()
	var names []string
	for _, kind := range k.all() {
		found, err := k.cluster.scoped(kind).List(context.Background(), metav1.ListOptions{LabelSelector: k.selector()})
		if err != nil {
			t.Fatal(err)
		}
		for _, u := range found.Items {
			names = append(names, kind.Resource+"/"+u.GetName())
		}
	}
	return names
}

// requests are for servers in a cluster: nothing of theirs is on this machine.
func requests(t *testing.T) func() target.Request {
	home := t.TempDir()
	n := 0
	return func() target.Request {
		n++
		name := fmt.Sprintf("kubernetes-%d-%d", os.Getpid(), n)
		r := target.Request{
			Name: name, Dir: filepath.Join(home, name), RunDir: filepath.Join(home, name, "run"), Log: io.Discard,
			Config: map[string]string{"innodb_buffer_pool_size": "64M"}, ReadyWithin: 5 * time.Minute, // copies of files, on a machine that may be busy
		}
		if err := os.MkdirAll(r.RunDir, 0o755); err != nil {
			t.Fatal(err)
		}
		return r
	}
}

// begin starts a server and waits for its answer to a query.
func begin(t *testing.T, k *Kubernetes, r target.Request) target.Server {
	t.Helper()
	s, err := k.Start(context.Background(), r)
	if err != nil {
		t.Fatalf("Start: %v", err)
	}
	t.Cleanup(func() {
		if err := s.Stop(context.Background()); err != nil {
			t.Errorf("Stop: %v", err)
		}
	})
	ready(t, s)
	return s
}

// ready waits for the server's answer to a query.
func ready(t *testing.T, s target.Server) {
	t.Helper()
	if err := mysqld.Ready(context.Background(), s.Address(), 5*time.Minute, s.Alive); err != nil {
		t.Fatalf("server is not ready: %v", err)
	}
}

// TestKubernetes: the suite that every target passes.
func TestKubernetes(t *testing.T) {
	s := settings(t)
	s.QoS, s.CPURequest, s.MemoryRequest = node.Burstable, 100, 256<<20
	k := labArm(t, s)
	targettest.Run(t, func(t *testing.T) (target.Target, func() target.Request) { return k, requests(t) })
}

// query asks the server at an address for one value.
func query(t *testing.T, at mysqld.Address, sql string) string {
	t.Helper()
	db, err := mysqld.Open(at)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var value string
	if err := db.QueryRow(sql).Scan(&value); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return value
}

func run(t *testing.T, at mysqld.Address, statements ...string) {
	t.Helper()
	db, err := mysqld.Open(at)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, sql := range statements {
		if _, err := db.Exec(sql); err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
	}
}

// TestSameData: every trial begins with what the preparation left, on a claim
// and on a directory of the node, and the class is the one asked for.
func TestSameData(t *testing.T) {
	base := settings(t)
	_, second := nodeNames(t)
	for _, c := range []struct {
		name   string
		change func(*Settings)
		qos    string
	}{
		{"claim, Service, BestEffort, host network", func(s *Settings) { s.Address, s.HostNetwork = serviceAddress, true }, "BestEffort"},
		{"hostPath, node, Guaranteed", func(s *Settings) {
			s.Volume, s.VolumeSize, s.Node, s.Address = hostPathVolume, 0, second, nodeAddress
			s.QoS, s.CPU, s.Memory = node.Guaranteed, 500, 512<<20
		}, "Guaranteed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := base
			c.change(&s)
			k, request := labArm(t, s), requests(t)
			r := request()
			r.Initialize = true
			server := begin(t, k, r)
			at := target.ClientOf(server).Address
			run(t, at, "CREATE DATABASE app", "CREATE TABLE app.t (i INT)", "INSERT INTO app.t VALUES (1)")
			if got := factOf(server, "pod.qos"); got != c.qos {
				t.Errorf("the pod is %s, want %s", got, c.qos)
			}
			if err := server.Stop(context.Background()); err != nil {
				t.Fatal(err)
			}
			for trial := range 2 {
				server := begin(t, k, request())
				at := target.ClientOf(server).Address
				if got := query(t, at, "SELECT COUNT(*) FROM app.t"); got != "1" {
					t.Errorf("trial %d begins with %s rows, want 1", trial, got)
				}
				run(t, at, "INSERT INTO app.t VALUES (2)")
				if err := server.Stop(context.Background()); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// TestClean: an arm whose tare runs is left alone; with force it goes, the
// directory on its node too.
func TestClean(t *testing.T) {
	s := settings(t)
	s.Volume, s.VolumeSize = hostPathVolume, 0
	s.Node, _ = nodeNames(t)
	k := labArm(t, s)
	begin(t, k, requests(t)())
	at := Where{Kubeconfig: s.Kubeconfig, Namespace: s.Namespace}
	before := objects(t, k)
	var log bytes.Buffer
	if n, err := Clean(context.Background(), at, false, &log, func(string) {}); err != nil || n != 0 || !strings.Contains(log.String(), k.id) {
		t.Errorf("Clean: %d arms, %v; log %q", n, err, log.String())
	}
	if diff := cmp.Diff(before, objects(t, k)); diff != "" {
		t.Errorf("a running arm has changed (-before +after):\n%s", diff)
	}
	if n, err := Clean(context.Background(), at, true, io.Discard, func(string) {}); err != nil || n != 1 {
		t.Errorf("Clean with force: %d arms, %v; want 1", n, err)
	}
	if left := objects(t, k); len(left) > 0 {
		t.Errorf("left after Clean: %v", left)
	}
}
