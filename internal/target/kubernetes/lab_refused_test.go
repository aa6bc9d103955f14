//go:build lab

package kubernetes

// What a cluster does not take, and what tare says of it.

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/tarebench/tare/internal/mysqld"
	"github.com/tarebench/tare/internal/node"
)

// TestCheckSays: what will not work is said before anything is made.
func TestCheckSays(t *testing.T) {
	base := settings(t)
	for _, c := range []struct {
		name   string
		change func(*Settings)
		says   string
	}{
		{"it fits", func(*Settings) {}, ""},
		{"as much as there is", func(s *Settings) { s.QoS, s.Memory = node.Guaranteed, 1<<30 }, ""},
		{"too many CPUs", func(s *Settings) { s.CPURequest = 56000 }, "cpu: 0 of 3 nodes have enough free resources: requested 56000m CPU"},
		{"no such node", func(s *Settings) { s.Node = "n9" }, "node: no node has the labels kubernetes.io/hostname=n9"},
		{"no rights", func(s *Settings) { s.Namespace = "kube-system" }, "kubeconfig: these credentials have no permissions in namespace kube-system. Does the namespace exist?"},
		{"no such file", func(s *Settings) { s.Kubeconfig = "/no/such/file" }, "kubeconfig: find cluster"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := base
			c.change(&s)
			made, err := New(func(into any) error { *into.(*Settings) = s; return nil })
			if err != nil {
				t.Fatal(err)
			}
			err = errors.Join(made.Check(context.Background())...)
			if (err == nil) != (c.says == "") || err != nil && !strings.Contains(err.Error(), c.says) {
				t.Errorf("Check: %v; want %q", err, c.says)
			}
		})
	}
}

// TestStartSays: a pod that cannot run is explained within its time limit, and
// nothing of it is left but the claim, which Release takes.
func TestStartSays(t *testing.T) {
	base := settings(t)
	for _, c := range []struct {
		name   string
		change func(*Settings)
		says   string
	}{
		{"image", func(s *Settings) { s.Image = "localhost:1/no-such-image:1" }, "ErrImagePull"},
		{"no class of volumes", func(s *Settings) { s.StorageClass = "no-such-class" }, "was not scheduled within"},
		{"no priority", func(s *Settings) { s.PriorityClass = "no-such-class" }, "no PriorityClass with name no-such-class was found"},
		{"option", func(s *Settings) {}, "the container ended"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := base
			c.change(&s)
			k, r := labArm(t, s), requests(t)()
			r.ReadyWithin = 8 * time.Second
			if c.name == "option" {
				r.ReadyWithin, r.Config = time.Minute, map[string]string{"no_such_option": "1"}
			}
			server, err := k.Start(context.Background(), r)
			if err == nil {
				err = mysqld.Ready(context.Background(), server.Address(), r.ReadyWithin, server.Alive)
				if err := server.Stop(context.Background()); err != nil {
					t.Errorf("Stop: %v", err)
				}
			}
			if err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("Start: %v; want %q", err, c.says)
			}
		})
	}
}

// administrator is the cluster's, for what tare itself may not do.
func administrator(t *testing.T) *cluster {
	t.Helper()
	file := os.Getenv("TARE_TEST_ADMIN")
	if file == "" {
		t.Skip("TARE_TEST_ADMIN names no kubeconfig of an administrator, who makes what a pod is refused for")
	}
	c, err := connect(Where{Kubeconfig: file, Namespace: "tare"})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestRefused: what an admission does not let in is said long before the time is
// up, with the next step, and leaves nothing.
func TestRefused(t *testing.T) {
	base, admin := settings(t), administrator(t)
	ctx := context.Background()
	refused := func(t *testing.T, says, next string) {
		t.Helper()
		s := base
		s.QoS, s.CPU, s.Memory = node.Guaranteed, 500, 512<<20
		r := requests(t)()
		r.ReadyWithin = 5 * time.Minute
		limit, cancel := context.WithTimeout(ctx, 2*time.Minute)
		defer cancel()
		_, err := labArm(t, s).Start(limit, r)
		if err == nil || !strings.Contains(err.Error(), says) || !strings.Contains(err.Error(), "; next: "+next) {
			t.Errorf("Start: %v; want %q and %q", err, says, next)
		}
	}
	t.Run("quota", func(t *testing.T) {
		quotas := corev1.SchemeGroupVersion.WithResource("resourcequotas")
		quota := &corev1.ResourceQuota{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "ResourceQuota"}, ObjectMeta: metav1.ObjectMeta{Name: "small", Namespace: "tare"},
			Spec: corev1.ResourceQuotaSpec{Hard: corev1.ResourceList{corev1.ResourceLimitsCPU: resource.MustParse("100m")}}}
		if err := admin.apply(ctx, quotas, "small", quota); err != nil {
			t.Fatal(err)
		}
		defer func() {
			if err := admin.remove(ctx, quotas, "small"); err != nil {
				t.Error(err)
			}
		}()
		// Its controller counts first what there is.
		for range 100 {
			if q, err := get[corev1.ResourceQuota](ctx, admin, quotas, "small"); err == nil && len(q.Status.Hard) > 0 {
				break
			}
			time.Sleep(100 * time.Millisecond)
		}
		refused(t, "exceeded quota: small", "reduce cpu and memory")
	})
	t.Run("Pod Security", func(t *testing.T) {
		level := func(value string) {
			patch := `{"metadata":{"labels":{"pod-security.kubernetes.io/enforce":` + value + `}}}`
			spaces := admin.dynamic.Resource(corev1.SchemeGroupVersion.WithResource("namespaces"))
			if _, err := spaces.Patch(ctx, "tare", types.MergePatchType, []byte(patch), metav1.PatchOptions{}); err != nil {
				t.Fatal(err)
			}
		}
		level(`"restricted"`)
		defer level("null")
		refused(t, "violates PodSecurity", "the namespace's Pod Security level forbids this pod")
	})
}
