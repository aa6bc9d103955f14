package kubernetes

// The objects of a run that a pod of the cluster carries out: a Job with tare's image, a
// claim for the run directory, the experiment, and an account with the permissions of
// docs/kubernetes-rbac.yaml.

import (
	"cmp"
	"crypto/rand"
	"fmt"
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/tarebench/tare/internal/node"
)

// InCluster is a run inside a cluster.
type InCluster struct {
	// Name is that of every object, and of the run directory in the volume.
	Name string
	// Image is tare's own (tare image), or where Arch is given any with a shell: the program is streamed then, and the
	// pods are on nodes of this architecture ([Remote.Provide]).
	Image, Arch string
	// Experiment is the text of the experiment file.
	Experiment []byte
	// Size is of the volume, a quantity such as "10Gi"; StorageClass its class, "" for
	// the cluster's default.
	Size         string
	StorageClass string
	// Workload is the text of the experiment's workload file, WorkloadName its name in the
	// experiment's directory; "" for none.
	Workload     []byte
	WorkloadName string
	// Node is the host name of the node to run on, "" for any; Away the name of one to avoid where another has room.
	Node, Away string
	// CPU is what the pod requests, 0 for a whole one: it may send all load.
	CPU node.CPU
	// Account is a service account with the permissions that tare needs; "" makes one.
	Account string
	// Arms are what the arms need ([ArmGrants]): the account that is made gets it, with the kinds of operators' resources.
	Arms []Grant
}

// runLabel has the name of a run on all its objects. They do not have the label of what
// tare clean removes: the run outlives the tare that started it.
const runLabel = "tarebench.io/run"

// Kinds of a run besides those of an arm.
var (
	configMaps      = corev1.SchemeGroupVersion.WithResource("configmaps")
	accounts        = corev1.SchemeGroupVersion.WithResource("serviceaccounts")
	roles           = rbacv1.SchemeGroupVersion.WithResource("roles")
	roleBindings    = rbacv1.SchemeGroupVersion.WithResource("rolebindings")
	clusterRoles    = rbacv1.SchemeGroupVersion.WithResource("clusterroles")
	clusterBindings = rbacv1.SchemeGroupVersion.WithResource("clusterrolebindings")
)

// Where the pod has its files.
const (
	specDir  = "/spec"
	specFile = "experiment.yaml"
	runsDir  = "/runs"
	// runContainer is the only one of the pod.
	runContainer = "tare"
	// invalidExit is tare's exit code for an experiment that is wrong, which a second
	// pod would not change (cmd/tare/main.go).
	invalidExit = 2
)

// runUser is the user of the image's processes, without a name or rights.
const runUser int64 = 65532

// object is one that is to be made, and its kind. Objects without a namespace are the
// cluster's.
type object struct {
	kind    schema.GroupVersionResource
	name    string
	cluster bool
	object  runtime.Object
}

// objects are all of a run, in the order of their making.
func (r InCluster) objects(namespace string) ([]object, error) {
	size, err := resource.ParseQuantity(r.Size)
	if err != nil {
		return nil, fmt.Errorf("size of the volume: %q is not an amount like 10Gi", r.Size)
	}
	all := []object{
		{configMaps, r.Name, false, r.configMap()},
		{claims, r.Name, false, r.claim(size)},
	}
	if r.Account == "" {
		all = append(all, r.account(namespace)...)
	}
	return append(all, object{jobs, r.Name, false, r.job()}), nil
}

func (r InCluster) configMap() *corev1.ConfigMap {
	return &corev1.ConfigMap{TypeMeta: kind("v1", "ConfigMap"), ObjectMeta: r.meta(), Data: r.files()}
}

// files are those of the directory that the pod reads the experiment from.
func (r InCluster) files() map[string]string {
	files := map[string]string{specFile: string(r.Experiment)}
	if r.WorkloadName != "" {
		files[r.WorkloadName] = string(r.Workload)
	}
	return files
}

// ValidBeside says that a file beside the experiment can have this name in the pod: that of
// a key of a ConfigMap.
func ValidBeside(name string) bool {
	return name != specFile && len(validation.IsConfigMapKey(name)) == 0
}

func kind(version, name string) metav1.TypeMeta {
	return metav1.TypeMeta{APIVersion: version, Kind: name}
}

func (r InCluster) meta() metav1.ObjectMeta {
	return metav1.ObjectMeta{Name: r.Name, Labels: map[string]string{runLabel: r.Name, "app.kubernetes.io/name": "tare"}}
}

func (r InCluster) claim(size resource.Quantity) *corev1.PersistentVolumeClaim {
	c := &corev1.PersistentVolumeClaim{TypeMeta: kind("v1", "PersistentVolumeClaim"), ObjectMeta: r.meta(),
		Spec: corev1.PersistentVolumeClaimSpec{
			AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
			Resources:   corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceStorage: size}},
		}}
	if r.StorageClass != "" {
		c.Spec.StorageClassName = &r.StorageClass
	}
	return c
}

// namespaceRules and nodeRules are the permissions of docs/kubernetes-rbac.yaml, which a
// test compares; of arms with an operator also those on its kinds.
func (r InCluster) namespaceRules() []rbacv1.PolicyRule { return rulesOf(r.accountRights()) }

func nodeRules() []rbacv1.PolicyRule { return policyRules(clusterPermissions()) }

func (r InCluster) account(namespace string) []object {
	subject := []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Name: r.Name, Namespace: namespace}}
	ref := func(kind string) rbacv1.RoleRef {
		return rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: kind, Name: r.Name}
	}
	const rbac = "rbac.authorization.k8s.io/v1"
	return []object{
		{accounts, r.Name, false, &corev1.ServiceAccount{TypeMeta: kind("v1", "ServiceAccount"), ObjectMeta: r.meta()}},
		{roles, r.Name, false, &rbacv1.Role{TypeMeta: kind(rbac, "Role"), ObjectMeta: r.meta(), Rules: r.namespaceRules()}},
		{roleBindings, r.Name, false, &rbacv1.RoleBinding{TypeMeta: kind(rbac, "RoleBinding"), ObjectMeta: r.meta(), RoleRef: ref("Role"), Subjects: subject}},
		{clusterRoles, r.Name, true, &rbacv1.ClusterRole{TypeMeta: kind(rbac, "ClusterRole"), ObjectMeta: r.meta(), Rules: nodeRules()}},
		{clusterBindings, r.Name, true, &rbacv1.ClusterRoleBinding{TypeMeta: kind(rbac, "ClusterRoleBinding"), ObjectMeta: r.meta(), RoleRef: ref("ClusterRole"), Subjects: subject}},
	}
}

// job runs tare once, and again where its pod was lost: the run directory is in the
// volume, so a new pod resumes the run.
func (r InCluster) job() *batchv1.Job {
	pod := r.pod([]string{"inside", specDir + "/" + specFile, runsDir + "/" + r.Name})
	r.streamInto(&pod, waitingIn(runProgramDir))
	account := r.Account
	if account == "" {
		account = r.Name
	}
	pod.ServiceAccountName = account
	pod.Volumes = append(pod.Volumes, corev1.Volume{Name: "spec", VolumeSource: corev1.VolumeSource{
		ConfigMap: &corev1.ConfigMapVolumeSource{LocalObjectReference: corev1.LocalObjectReference{Name: r.Name}}}})
	c := &pod.Containers[0]
	c.VolumeMounts = append(c.VolumeMounts, corev1.VolumeMount{Name: "spec", MountPath: specDir, ReadOnly: true})
	// No limit: a CPU quota would hold up the load that comes from here.
	c.Resources = corev1.ResourceRequirements{Requests: corev1.ResourceList{
		corev1.ResourceCPU: amounts(node.Resources{CPU: cmp.Or(r.CPU, 1000)})[corev1.ResourceCPU], corev1.ResourceMemory: resource.MustParse("512Mi")}}
	meta := r.meta()
	return &batchv1.Job{TypeMeta: kind("batch/v1", "Job"), ObjectMeta: meta,
		Spec: batchv1.JobSpec{
			BackoffLimit: new(int32(3)),
			PodFailurePolicy: &batchv1.PodFailurePolicy{Rules: []batchv1.PodFailurePolicyRule{
				{ // a drained node says nothing of the run, and is not counted against BackoffLimit
					Action:          batchv1.PodFailurePolicyActionIgnore,
					OnPodConditions: []batchv1.PodFailurePolicyOnPodConditionsPattern{{Type: corev1.DisruptionTarget, Status: corev1.ConditionTrue}},
				},
				{
					Action:      batchv1.PodFailurePolicyActionFailJob,
					OnExitCodes: &batchv1.PodFailurePolicyOnExitCodesRequirement{Operator: batchv1.PodFailurePolicyOnExitCodesOpIn, Values: []int32{invalidExit}},
				},
			}},
			Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: meta.Labels}, Spec: pod},
		}}
}

// pod is one with the run's volume, whose container has these arguments.
func (r InCluster) pod(args []string) corev1.PodSpec {
	alone := confined()
	alone.ReadOnlyRootFilesystem = new(true)
	spec := corev1.PodSpec{
		RestartPolicy: corev1.RestartPolicyNever, EnableServiceLinks: new(false),
		SecurityContext: &corev1.PodSecurityContext{
			RunAsUser: new(runUser), RunAsGroup: new(runUser), FSGroup: new(runUser), RunAsNonRoot: new(true),
			FSGroupChangePolicy: new(corev1.FSGroupChangeOnRootMismatch), // by default, every mount changes the owner of every file
			SeccompProfile:      &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault},
		},
		Containers: []corev1.Container{{
			Name: runContainer, Image: r.Image, ImagePullPolicy: corev1.PullIfNotPresent, Args: args,
			Env: []corev1.EnvVar{{Name: "TARE_STATE", Value: "/tmp/state"}, {Name: "HOME", Value: "/tmp"}},
			VolumeMounts: []corev1.VolumeMount{
				{Name: "runs", MountPath: runsDir}, {Name: "tmp", MountPath: "/tmp"}},
			SecurityContext: alone,
		}},
		Volumes: []corev1.Volume{
			{Name: "runs", VolumeSource: corev1.VolumeSource{PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: r.Name}}},
			{Name: "tmp", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}},
		},
	}
	if r.Node != "" {
		spec.NodeSelector = map[string]string{corev1.LabelHostname: r.Node}
	}
	if r.Away != "" {
		spec.Affinity = &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{PreferredDuringSchedulingIgnoredDuringExecution: []corev1.PreferredSchedulingTerm{{
			Weight: 100, Preference: corev1.NodeSelectorTerm{MatchExpressions: []corev1.NodeSelectorRequirement{
				{Key: corev1.LabelHostname, Operator: corev1.NodeSelectorOpNotIn, Values: []string{r.Away}}}}}}}}
	}
	return spec
}

// fetchPort is where the pod that hands a run out listens, in its own network namespace.
const fetchPort = 9412

// fetchPod hands the run directory out. It ends by itself when it is not asked.
func (r InCluster) fetchPod() *corev1.Pod {
	spec := r.pod([]string{"pack", runsDir + "/" + r.Name, "--listen", fmt.Sprintf("127.0.0.1:%d", fetchPort)})
	r.streamInto(&spec, []string{runProgram})
	spec.AutomountServiceAccountToken = new(false)
	spec.ActiveDeadlineSeconds = new(int64(1800))
	spec.TerminationGracePeriodSeconds = new(int64(1))
	m := r.meta()
	// A name of its own: the pod of an earlier fetch may still be terminating, and another
	// person may fetch the same run.
	m.Name += "-fetch-" + strings.ToLower(rand.Text()[:6])
	return &corev1.Pod{TypeMeta: kind("v1", "Pod"), ObjectMeta: m, Spec: spec}
}
