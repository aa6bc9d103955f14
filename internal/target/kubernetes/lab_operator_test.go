//go:build lab

package kubernetes

// A database that an operator runs: the stand-in of the lab (lab/operator), which behaves
// as operators do. It says nothing about any operator.

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/tarebench/tare/internal/loadgen"
	"github.com/tarebench/tare/internal/mysqld"
	"github.com/tarebench/tare/internal/operator"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/target"
)

// standInDescriptor is what tare and the stand-in are driven by.
const standInDescriptor = "../../../lab/operator/descriptor.yaml"

// standIn starts the stand-in operator until the test ends, and is the settings of an arm
// with it.
func standIn(t *testing.T) Settings {
	t.Helper()
	program, admin := os.Getenv("TARE_TEST_OPERATOR"), os.Getenv("TARE_TEST_ADMIN")
	if program == "" || admin == "" {
		t.Skip("TARE_TEST_OPERATOR names no stand-in operator (lab/operator), or TARE_TEST_ADMIN no kubeconfig for it")
	}
	c := exec.Command(program, "-kubeconfig", admin, "-descriptor", standInDescriptor)
	c.Stderr = os.Stderr
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = c.Process.Signal(os.Interrupt) // Wait says how it ended
		if err := c.Wait(); err != nil {
			t.Errorf("the stand-in ended: %v", err)
		}
	})
	base := settings(t)
	return Settings{Kubeconfig: base.Kubeconfig, Namespace: base.Namespace, Operator: standInDescriptor, Image: base.Image, Members: 1,
		CPU: 500, Memory: 1 << 30, VolumeSize: 1 << 30}
}

// leftOfStandIn are the objects that the stand-in leaves, which an arm must not.
func leftOfStandIn(t *testing.T, k *Kubernetes) []string {
	t.Helper()
	d, err := operator.Find(standInDescriptor)
	if err != nil {
		t.Fatal(err)
	}
	var left []string
	custom := schema.GroupVersionResource{Group: d.Group, Version: d.Version, Resource: "databases"}
	if _, err := k.cluster.scoped(custom).Get(context.Background(), k.id, metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		left = append(left, "databases/"+k.id)
	}
	for _, kind := range made {
		found, err := k.cluster.scoped(kind).List(context.Background(), metav1.ListOptions{LabelSelector: "lab.tarebench.io/database=" + k.id})
		if err != nil {
			t.Fatal(err)
		}
		for _, u := range found.Items {
			left = append(left, kind.Resource+"/"+u.GetName())
		}
	}
	if _, err := k.cluster.scoped(secrets).Get(context.Background(), k.id+"-root", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		left = append(left, "secrets/"+k.id+"-root")
	}
	return left
}

// TestStandInOperator: the database of an operator is made once, whatever is late; every
// trial finds the same server; what the operator set and reverted is recorded; the load of
// 25 threads comes from two pods; and nothing is left.
func TestStandInOperator(t *testing.T) {
	set := standIn(t)
	k, request := labArm(t, set), requests(t)
	if err := errors.Join(k.Check(context.Background())...); err != nil {
		t.Fatalf("Check: %v", err)
	}
	config := map[string]string{"sync_binlog": "100", "innodb_flush_log_at_trx_commit": "2"}
	uid := ""
	for trial := range 2 {
		r := request()
		r.Config = config
		s := begin(t, k, r).(*server)
		at := target.ClientOf(s).Address
		for variable, want := range map[string]string{"sync_binlog": "1", "innodb_flush_log_at_trx_commit": "2", "max_connections": "333"} {
			if got := query(t, at, "SELECT @@"+variable); got != want {
				t.Errorf("trial %d: %s is %s, want %s", trial, variable, got, want)
			}
		}
		for option, want := range map[string]string{"max_connections": "stand-in operator", "sync_binlog": "stand-in operator", "init_file": "stand-in operator", "innodb_flush_log_at_trx_commit": "", "wait_timeout": ""} {
			if got := factOf(s, "operator.option."+option); got != want {
				t.Errorf("%s is owned by %q, want %q", option, got, want)
			}
		}
		if got := factOf(s, "pod.uid"); uid != "" && got != uid {
			t.Errorf("trial %d has another server: pod %s, want %s", trial, got, uid)
		} else {
			uid = got
		}
		if trial == 0 {
			loadedFromPods(t, set, s.request.Name, at)
		}
		if err := s.Stop(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	if err := k.Release(context.Background()); err != nil {
		t.Fatal(err)
	}
	if left := leftOfStandIn(t, k); len(left) > 0 {
		t.Errorf("left of the operator's database: %v", left)
	}
}

// TestStandInMembers: a database of three members is one that replicates: the Service leads to
// the source, whose two replicas are on two other nodes and have its rows.
func TestStandInMembers(t *testing.T) {
	set := standIn(t)
	set.Members = 3
	k := labArm(t, set)
	s := begin(t, k, requests(t)()).(*server)
	at := target.ClientOf(s).Address
	if got := query(t, at, "SELECT @@server_id"); got != "1" {
		t.Errorf("the Service leads to server %s", got)
	}
	replicas := func() string {
		return query(t, at, "SELECT VARIABLE_VALUE FROM performance_schema.global_status WHERE VARIABLE_NAME = 'Rpl_semi_sync_source_clients'")
	}
	for deadline := time.Now().Add(time.Minute); replicas() != "2"; time.Sleep(time.Second) {
		if time.Now().After(deadline) {
			t.Fatalf("the source has %s replicas", replicas())
		}
	}
	if got := factOf(s, "operator.members"); got != "3" {
		t.Errorf("operator.members is %q", got)
	}
	found, err := k.cluster.scoped(pods).List(context.Background(), metav1.ListOptions{LabelSelector: "lab.tarebench.io/database=" + k.id})
	if err != nil {
		t.Fatal(err)
	}
	nodes := map[any]bool{}
	for _, p := range found.Items {
		nodes[p.Object["spec"].(map[string]any)["nodeName"]] = true
	}
	if len(found.Items) != 3 || len(nodes) != 3 {
		t.Errorf("%d members on nodes %v", len(found.Items), nodes)
	}
	if err := errors.Join(s.Stop(context.Background()), k.Release(context.Background())); err != nil {
		t.Fatal(err)
	}
	if left := leftOfStandIn(t, k); len(left) > 0 {
		t.Errorf("left of the operator's database: %v", left)
	}
	// A run that repeats rounds releases the arm before, and makes the database once more.
	again := begin(t, k, requests(t)()).(*server)
	if got := query(t, target.ClientOf(again).Address, "SELECT @@server_id"); got != "1" {
		t.Errorf("after a release the Service leads to server %s", got)
	}
	if err := errors.Join(again.Stop(context.Background()), k.Release(context.Background())); err != nil {
		t.Fatal(err)
	}
}

// loadedFromPods loads a server by 25 threads from two pods that are not the arm's.
func loadedFromPods(t *testing.T, set Settings, trial string, at mysqld.Address) {
	t.Helper()
	l, err := loadOf(FromSettings{Kubeconfig: set.Kubeconfig, Namespace: set.Namespace, Image: ownImage(), Clients: 2})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := l.Release(context.Background()); err != nil {
			t.Error(err)
		}
	}()
	if err := errors.Join(l.Check(context.Background())...); err != nil {
		t.Fatalf("Check: %v", err)
	}
	j := loadgen.Job{Workload: "oltp_read_only", Tables: 1, Rows: 500, Threads: 25, Measure: 2 * time.Second, Seed: 1, Server: at}
	if err := loadgen.BuiltIn("").Prepare(context.Background(), j, io.Discard); err != nil {
		t.Fatal(err)
	}
	var window *record.Window
	generate := func(ctx context.Context, job []byte, line func(int, []byte) error) error {
		return l.Generate(ctx, trial, job, line)
	}
	outcome, reason, err := loadgen.Distribute(context.Background(), j, l.Generators, trial, generate, func(line record.Line) error {
		if line.Window != nil {
			window = line.Window
		}
		return nil
	})
	if err != nil || outcome != record.Measured || window == nil || window.Counts.Transactions == 0 {
		t.Fatalf("%s %s, %v; %+v", outcome, reason, err, window)
	}
	var nodes []string
	for _, f := range l.Facts(context.Background(), trial) {
		if strings.HasSuffix(f.Key, ".node") && f.Value != "" {
			nodes = append(nodes, f.Value)
		}
	}
	if len(nodes) != 2 {
		t.Errorf("the load's pods were on nodes %v", nodes)
	}
}

// TestStandInKilled: a tare that is killed after any step leaves nothing that `tare clean`
// does not remove, what the operator made among it.
func TestStandInKilled(t *testing.T) {
	set := standIn(t)
	for i, name := range []string{"resource applied", "database ready", "logged in"} {
		t.Run(name, func(t *testing.T) {
			k := labArm(t, set)
			s := &server{target: k, request: requests(t)()}
			s.request.Config = nil
			for _, step := range []func(context.Context) error{s.applyOperator, s.operatorReady, s.operatorLogIn}[:i+1] {
				if err := step(context.Background()); err != nil {
					t.Fatal(err)
				}
			}
			n, err := Clean(context.Background(), Where{Kubeconfig: set.Kubeconfig, Namespace: set.Namespace}, true, io.Discard, func(string) {})
			if err != nil || n != 1 {
				t.Errorf("Clean removed %d arms, %v", n, err)
			}
			if left := leftOfStandIn(t, k); len(left) > 0 {
				t.Errorf("left: %v", left)
			}
		})
	}
}
