package kubernetes

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic/fake"
	clienttesting "k8s.io/client-go/testing"

	"github.com/tarebench/tare/internal/target"
)

var innodbClusters = schema.GroupVersionResource{Group: "mysql.oracle.com", Version: "v2", Resource: "innodbclusters"}

// withCluster is an arm with that operator, and a cluster of these objects. It stands in
// for the operators that cannot be had here: what they make is written down, nothing of
// them runs.
func withCluster(t *testing.T, s Settings, objects ...runtime.Object) *Kubernetes {
	t.Helper()
	scheme := runtime.NewScheme()
	if err := corev1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	client := fake.NewSimpleDynamicClientWithCustomListKinds(scheme, map[schema.GroupVersionResource]string{
		innodbClusters: "InnoDBClusterList", statefulSets: "StatefulSetList", jobs: "JobList",
	}, objects...)
	k := &Kubernetes{
		settings: s.defaulted(), id: "tare-1", password: "secret", owner: "{}",
		cluster: &cluster{holds: &holdings{}, dynamic: client, namespace: "tare"}, kinds: []schema.GroupVersionResource{innodbClusters},
	}
	if !s.isOperator() {
		return k
	}
	d, _, err := k.settings.ordered(nil)
	if err != nil {
		t.Fatal(err)
	}
	k.left = d.Left(k.id)
	return k
}

func named(name string, labels map[string]string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Name: name, Namespace: "tare", Labels: labels}
}

// innodbCluster is the arm's, with this status.
func innodbCluster(status string) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "mysql.oracle.com/v2", "kind": "InnoDBCluster",
		"metadata": map[string]any{"name": "tare-1", "namespace": "tare", "labels": map[string]any{armLabel: "tare-1"}},
		"spec":     map[string]any{"instances": int64(2)}, "status": map[string]any{"cluster": map[string]any{"status": status, "onlineInstances": int64(2)}},
	}}
}

func mysqlPod(name, role, ip string) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: named(name, map[string]string{"mysql.oracle.com/cluster": "tare-1", "component": "mysqld", "mysql.oracle.com/cluster-role": role}),
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "sidecar"}, {Name: "mysql"}}},
		Status:     corev1.PodStatus{PodIP: ip, Conditions: []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}}},
	}
}

// TestOperatorServer: the server is the pod that takes writes, with the login of the
// operator's Secret, and clients go to its address where the Service has none.
func TestOperatorServer(t *testing.T) {
	k := withCluster(t, Settings{Operator: "innodbcluster"}, innodbCluster("ONLINE"),
		mysqlPod("tare-1-0", "SECONDARY", "10.0.0.1"), mysqlPod("tare-1-1", "PRIMARY", "10.0.0.2"),
		&corev1.Service{ObjectMeta: named("tare-1-instances", nil), Spec: corev1.ServiceSpec{ClusterIP: corev1.ClusterIPNone}},
		&corev1.Secret{ObjectMeta: named("tare-1-login", nil), Data: map[string][]byte{"rootUser": []byte("root"), "rootPassword": []byte("pw")}})
	s := &server{target: k, request: target.Request{Name: "t1"}}
	for _, step := range []func(context.Context) error{s.operatorReady, s.operatorLogIn, s.operatorServer} {
		if err := step(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if s.name != "tare-1-1" || s.container != "mysql" || s.at.host != "10.0.0.2" || s.at.port != 3306 || s.account.User != "root" || s.account.Password != "pw" {
		t.Errorf("pod %s, container %s, %s:%d, user %s", s.name, s.container, s.at.host, s.at.port, s.account.User)
	}
}

// TestRecordedAddressIsDialled: the record has the kind of the address that the load connects to: a headless Service
// has none, and clients in the pod use no address of the network.
func TestRecordedAddressIsDialled(t *testing.T) {
	service := func(ip string) *corev1.Service {
		return &corev1.Service{ObjectMeta: named("tare-1-mysql-primary", nil), Spec: corev1.ServiceSpec{ClusterIP: ip, Ports: []corev1.ServicePort{{Port: 3306}}}}
	}
	for _, c := range []struct {
		settings      Settings
		ip            string
		value, source string
	}{
		{Settings{}, corev1.ClusterIPNone, "pod", "10.0.0.2:3306, Service tare-1-mysql-primary is headless"},
		{Settings{}, "10.97.0.5", "service", "10.97.0.5:3306"},
		{Settings{Address: podAddress}, "10.97.0.5", "pod", "10.0.0.2:3306"},
		{Settings{Client: samePodClient}, "10.97.0.5", "loopback", "127.0.0.1:3306"},
		{Settings{Client: socketClient}, "10.97.0.5", "socket", "/mnt/tare/run/mysqld.sock"},
	} {
		c.settings.Operator, c.settings.Via = "perconaservermysql", "primary"
		s := &server{target: withCluster(t, c.settings, service(c.ip)), resource: &unstructured.Unstructured{Object: map[string]any{}}}
		d, o, err := s.target.settings.ordered(nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.takeOperatorPod(t.Context(), mysqlPod("tare-1-mysql-0", "PRIMARY", "10.0.0.2"), d, o); err != nil {
			t.Fatal(err)
		}
		if f := s.addressFact(); f.Value != c.value || f.Source != c.source {
			t.Errorf("address %q, client %q, Service at %s: recorded %s (%s), want %s (%s)", c.settings.Address, c.settings.Client, c.ip, f.Value, f.Source, c.value, c.source)
		}
	}
}

// TestOperatorFails: a database that its operator calls failed ends the wait, and so
// does the end of a run.
func TestOperatorFails(t *testing.T) {
	k := withCluster(t, Settings{Operator: "innodbcluster"}, innodbCluster("OFFLINE"))
	ended := errors.New("interrupted")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(ended)
	if err := (&server{target: k}).operatorReady(ctx); !errors.Is(err, ended) {
		t.Errorf("an interrupted wait: %v", err)
	}
	s := &server{target: k, request: target.Request{ReadyWithin: time.Millisecond}}
	if err := s.operatorLogIn(t.Context()); err == nil || !strings.Contains(err.Error(), "MySQL Operator has made no Secret tare-1-login") {
		t.Errorf("no Secret: %v", err)
	}
}

// TestOperatorLeavesNothing: what the operator leaves goes, what is others' stays.
func TestOperatorLeavesNothing(t *testing.T) {
	mine, others := map[string]string{"mysql.oracle.com/cluster": "tare-1"}, map[string]string{"mysql.oracle.com/cluster": "shop"}
	k := withCluster(t, Settings{Operator: "innodbcluster"}, innodbCluster("ONLINE"),
		&corev1.PersistentVolumeClaim{ObjectMeta: named("datadir-tare-1-0", mine)}, &corev1.PersistentVolumeClaim{ObjectMeta: named("datadir-shop-0", others)},
		&corev1.Secret{ObjectMeta: named("tare-1-privsecrets", nil)}, &corev1.Secret{ObjectMeta: named("shop-privsecrets", nil)})
	synctest.Test(t, func(t *testing.T) {
		for range 2 { // the second finds nothing, and that is not an error
			if err := k.removeOperator(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
	})
	if left := leftIn(t, k); left != "datadir-shop-0 shop-privsecrets" {
		t.Errorf("left: %v", left)
	}
}

// TestClaimMadeAtTheEnd: a volume claim that the controller of StatefulSets makes while the database is removed goes as
// well, and so does every Secret that an operator makes without an owner or a label.
func TestClaimMadeAtTheEnd(t *testing.T) {
	for operator, c := range map[string]struct {
		secrets []string
		labels  map[string]string
	}{
		"perconaservermysql": {[]string{"tare-1-secrets", "internal-tare-1", "tare-1-ssl", "tare-1-psuser-root"}, map[string]string{"app.kubernetes.io/instance": "tare-1"}},
		"mariadb":            {[]string{"tare-1-repl-password", "tare-1-agent-auth"}, map[string]string{"app.kubernetes.io/instance": "tare-1"}},
	} {
		objects := []runtime.Object{innodbCluster("ONLINE"), &corev1.PersistentVolumeClaim{ObjectMeta: named("datadir-tare-1-0", c.labels)}}
		for _, name := range c.secrets {
			objects = append(objects, &corev1.Secret{ObjectMeta: named(name, nil)})
		}
		k := withCluster(t, Settings{Operator: operator}, objects...)
		client := k.cluster.dynamic.(*fake.FakeDynamicClient)
		late := false
		client.PrependReactor("delete", "secrets", func(clienttesting.Action) (bool, runtime.Object, error) {
			if !late {
				late = true
				return false, nil, client.Tracker().Add(&corev1.PersistentVolumeClaim{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: claimKind}, ObjectMeta: named("datadir-tare-1-1", c.labels)})
			}
			return false, nil, nil
		})
		synctest.Test(t, func(t *testing.T) {
			if err := k.removeOperator(t.Context()); err != nil {
				t.Fatal(err)
			}
		})
		if left := leftIn(t, k); !late || left != "" {
			t.Errorf("%s: left: %s", operator, left)
		}
	}
}

// leftIn are the names of the objects in the arm's cluster.
func leftIn(t *testing.T, k *Kubernetes) string {
	t.Helper()
	var left []string
	for _, kind := range []schema.GroupVersionResource{innodbClusters, claims, secrets} {
		list, err := k.cluster.scoped(kind).List(t.Context(), metav1.ListOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for _, u := range list.Items {
			left = append(left, u.GetName())
		}
	}
	return strings.Join(left, " ")
}

// TestStandInDescriptor: the descriptor of the lab's stand-in operator makes a resource
// with the arm's settings where its definition has them.
func TestStandInDescriptor(t *testing.T) {
	k := &Kubernetes{id: "tare-0", settings: Settings{Operator: "../../../lab/operator/descriptor.yaml", Members: 1, VolumeSize: 2 << 30, Address: nodeAddress}}
	b, err := k.build("mine", map[string]string{"sync_binlog": "100"})
	if err != nil || len(b.objects) != 1 {
		t.Fatalf("%d objects, %v", len(b.objects), err)
	}
	u := b.objects[0]
	for path, want := range map[string]string{"expose": nodePort, "image": "localhost/mysql:1", "config": "[mysqld]\nsync_binlog=100\n"} {
		if got := at(u, "spec", path); got != want {
			t.Errorf("spec.%s is %q, want %q", path, got, want)
		}
	}
	if got := at(u, "spec", "storage", "size"); got != "2Gi" {
		t.Errorf("spec.storage.size is %q", got)
	}
}
