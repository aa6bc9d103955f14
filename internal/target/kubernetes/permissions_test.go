package kubernetes

import (
	"context"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"github.com/google/go-cmp/cmp"

	"github.com/tarebench/tare/internal/node"
	"github.com/tarebench/tare/internal/target"
)

// grantedRole is a Role or ClusterRole of docs/kubernetes-rbac.yaml, and the permissions that it is made from.
type grantedRole struct {
	kind, name string
	table      []permission
}

func grantedRoles() []grantedRole {
	return []grantedRole{
		{"Role", "tare", runPermissions()},
		{"ClusterRole", "tare-sees-nodes", clusterPermissions()},
		{"Role", "tare-probe", probePermissions()},
		{"Role", "tare-manifests", ownPermissions()},
		{"Role", "tare-in-cluster", inClusterPermissions()},
		{"ClusterRole", "tare-asks-kubelets", kubeletPermissions()},
		{"ClusterRole", "tare-sees-network", networkPermissions()},
	}
}

// TestPermissions: the file in docs/ grants what `check` asks for, and nothing else.
func TestPermissions(t *testing.T) {
	for _, g := range grantedRoles() {
		rulesOf := regexp.MustCompile(`(?s)(kind: ` + g.kind + `\nmetadata: \{name: ` + g.name + `, [^\n]*\nrules:\n)((?:  - [^\n]*\n)+)`)
		file := "../../../docs/kubernetes-rbac.yaml"
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		found := rulesOf.FindSubmatch(b)
		if found == nil {
			t.Errorf("%s has no %s %s with rules", file, g.kind, g.name)
			continue
		}
		want := "  " + strings.Join(ruleLines(policyRules(g.table)), "\n  ") + "\n"
		if *update {
			if err := os.WriteFile(file, rulesOf.ReplaceAll(b, append([]byte("${1}"), want...)), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if diff := cmp.Diff(want, string(found[2])); diff != "" {
			t.Errorf("%s %s (-table +file; -update writes it):\n%s", g.kind, g.name, diff)
		}
	}
}

// TestCapabilities: each object of docs/kubernetes-rbac.yaml is of a section that the file's head lists, so that
// kubectl apply -l leaves out what is not wanted; the strong rights are not in the section that everybody applies.
func TestCapabilities(t *testing.T) {
	b, err := os.ReadFile("../../../docs/kubernetes-rbac.yaml")
	if err != nil {
		t.Fatal(err)
	}
	head, _, _ := strings.Cut(string(b), "\n\n")
	seen := map[string]bool{}
	for _, doc := range strings.Split(string(b), "\n---\n") {
		var o struct {
			Kind     string
			Metadata metav1.ObjectMeta
			Rules    []rbacv1.PolicyRule
		}
		if err := yaml.Unmarshal([]byte(doc), &o); err != nil {
			t.Fatal(err)
		}
		capability := o.Metadata.Labels["tarebench.io/capability"]
		seen[capability] = true
		if capability == "" || !strings.Contains(head, "\n#   "+capability+" ") {
			t.Errorf("%s %s: capability %q", o.Kind, o.Metadata.Name, capability)
		}
		if capability == "run" && strings.HasPrefix(o.Kind, "Cluster") {
			t.Errorf("%s %s is in the section of one namespace", o.Kind, o.Metadata.Name)
		}
	}
	if len(seen) != 7 {
		t.Errorf("sections: %v", seen)
	}
}

// TestRightsOfAnArm: an arm is asked for what it needs, and not for what others need.
func TestRightsOfAnArm(t *testing.T) {
	job, inside := right{"create", "batch", "jobs", ""}, right{"patch", "", "pods", "ephemeralcontainers"}
	plain, spread, beside := Settings{}, Settings{Clients: 2}, Settings{Client: "same-pod"}
	claim, passing := right{"create", "", "persistentvolumeclaims", ""}, Settings{Volume: emptyDirVolume}
	pod, neighbour, onNode := right{"create", "", "pods", ""}, Settings{Neighbour: &node.Neighbour{CPU: 1}}, Settings{Volume: hostPathVolume, Node: "n1"}
	for _, c := range []struct {
		name string
		s    Settings
		r    right
		want bool
	}{
		{"plain", plain, job, false}, {"load pods", spread, job, true}, {"same pod", beside, job, false},
		{"plain", plain, inside, false}, {"load pods", spread, inside, false}, {"same pod", beside, inside, true},
		{"plain", plain, right{"list", "batch", "jobs", ""}, true}, {"plain", plain, right{"get", "", "secrets", ""}, false},
		{"plain", plain, right{"list", "", "persistentvolumeclaims", ""}, true},
		{"plain", plain, claim, true}, {"emptyDir", passing, claim, false}, {"manifests", Settings{Manifests: []string{"x"}}, claim, false},
		{"plain", plain, pod, false}, {"neighbour", neighbour, pod, true}, {"hostPath", onNode, pod, true},
		{"manifests", Settings{Manifests: []string{"x"}}, right{"create", "apps", "statefulsets", ""}, false},
	} {
		if got := slices.Contains(rightsOf(runPermissions(), c.s), c.r); got != c.want {
			t.Errorf("%s: %v asked for: %v, want %v", c.name, c.r, got, c.want)
		}
	}
	// Every kind that is removed by its label must be listed and deleted.
	all := spread
	all.Neighbour = neighbour.Neighbour
	for _, kind := range made {
		for _, verb := range []string{"list", "delete", "create", "patch"} {
			if r := (right{verb, kind.Group, kind.Resource, ""}); !slices.Contains(rightsOf(runPermissions(), all), r) {
				t.Errorf("tare makes %s, but does not ask for %v", kind.Resource, r)
			}
		}
	}
}

// TestLoadPodsAreRestricted: the pods of the load and of the neighbour are admitted in
// a namespace of the level restricted, and end by themselves.
func TestLoadPodsAreRestricted(t *testing.T) {
	s := &server{target: offline(Settings{Image: "m", ClientImage: "tare:1", Clients: 2, Neighbour: &node.Neighbour{CPU: 100}})}
	s.request = target.Request{Name: "t1"}
	s.pod = &corev1.Pod{Spec: corev1.PodSpec{NodeName: "n1"}}
	job := s.loaders().job(90 * time.Second)
	if got := job.Spec.ActiveDeadlineSeconds; got == nil || *got != 90 {
		t.Errorf("the Job's deadline is %v", got)
	}
	neighbour, err := s.neighbourPod(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if neighbour.Spec.ActiveDeadlineSeconds == nil {
		t.Error("the neighbour has no deadline")
	}
	for name, spec := range map[string]corev1.PodSpec{"load": job.Spec.Template.Spec, "neighbour": neighbour.Spec} {
		for _, problem := range unrestricted(spec) {
			t.Errorf("%s: %s", name, problem)
		}
	}
	// The probes read the node's files, so they have a namespace of their own
	// (probeNamespace); nothing else keeps them from the level restricted.
	probes := s.target.probePod(s.supply(), "t1", "n1", nil).Spec
	if got := unrestricted(probes); !slices.Equal(got, []string{"host namespaces", "volume cgroup of a kind that is not allowed"}) {
		t.Errorf("probes: %q", got)
	}
	if len(unrestricted(corev1.PodSpec{Containers: []corev1.Container{{Name: "x"}}})) == 0 {
		t.Error("a pod without any setting is admitted")
	}
}

// TestDeadline: the cluster's deadline is after the load's own.
func TestDeadline(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
	defer cancel()
	if got := deadline(ctx); got <= time.Hour-time.Minute+afterDeadline || got > time.Hour+afterDeadline {
		t.Errorf("deadline of a load of an hour: %v", got)
	}
	if got := deadline(t.Context()); got != longestLoad {
		t.Errorf("deadline of a load without a limit: %v", got)
	}
}

// unrestricted are the controls of the level restricted that a pod does not keep
// (kubernetes.io/docs/concepts/security/pod-security-standards), those of windows aside. The API
// server's own checks are a module that would raise the versions of gRPC and three others.
func unrestricted(s corev1.PodSpec) (problems []string) {
	refuse := func(bad bool, what string) {
		if bad {
			problems = append(problems, what)
		}
	}
	refuse(s.HostNetwork || s.HostPID || s.HostIPC, "host namespaces")
	c := s.SecurityContext
	refuse(c == nil || c.RunAsNonRoot == nil || !*c.RunAsNonRoot, "runAsNonRoot is not true")
	refuse(c == nil || c.RunAsUser == nil || *c.RunAsUser == 0, "runAsUser is root")
	refuse(c == nil || c.SeccompProfile == nil || c.SeccompProfile.Type != corev1.SeccompProfileTypeRuntimeDefault, "no seccomp profile")
	refuse(c != nil && (len(c.Sysctls) > 0 || c.SELinuxOptions != nil || c.AppArmorProfile != nil), "sysctls, SELinux or AppArmor options")
	for _, v := range s.Volumes {
		allowed := v.ConfigMap != nil || v.CSI != nil || v.DownwardAPI != nil || v.EmptyDir != nil || v.Ephemeral != nil || v.PersistentVolumeClaim != nil || v.Projected != nil || v.Secret != nil
		refuse(!allowed, "volume "+v.Name+" of a kind that is not allowed")
	}
	for _, container := range slices.Concat(s.InitContainers, s.Containers) {
		c := container.SecurityContext
		refuse(c == nil || c.AllowPrivilegeEscalation == nil || *c.AllowPrivilegeEscalation, "allowPrivilegeEscalation")
		refuse(c == nil || c.Capabilities == nil || !slices.Equal(c.Capabilities.Drop, []corev1.Capability{"ALL"}) || len(c.Capabilities.Add) > 0, "capabilities")
		refuse(c != nil && c.Privileged != nil && *c.Privileged, "privileged")
		refuse(c != nil && (c.ProcMount != nil || c.SELinuxOptions != nil || c.RunAsUser != nil && *c.RunAsUser == 0 || c.SeccompProfile != nil && c.SeccompProfile.Type == corev1.SeccompProfileTypeUnconfined), "options of the container that undo the pod's")
		for _, p := range container.Ports {
			refuse(p.HostPort != 0, "host port")
		}
	}
	return problems
}
