package kubernetes

// The objects of one trial's server, from the arm's settings.

import (
	_ "embed"
	"fmt"
	"strconv"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/tarebench/tare/internal/node"
	"github.com/tarebench/tare/internal/target"
)

//go:embed start.sh
var startScript string

// Where the server finds its things in its pod. The directory of the secret is
// not the volume's: what is secret does not stay.
const (
	secretDir     = "/etc/tare"
	volumeDir     = "/mnt/tare"
	containerName = "mysqld"
	serverPort    = 3306
	// hostPathRoot is the directory of a node below which hostPath volumes are.
	hostPathRoot = "/var/lib/tare"
)

// serverUser is the one that official images have for mysql; any image's files
// can be read as it.
const serverUser int64 = 999

// meta is that of an object that the arm has for the whole run.
func (k *Kubernetes) meta(name string) metav1.ObjectMeta {
	m := metav1.ObjectMeta{
		Name: name, Namespace: k.cluster.namespace, Annotations: map[string]string{ownerAnnotation: k.owner},
		Labels: map[string]string{managedLabel: fieldManager, armLabel: k.id},
	}
	if k.settings.ProbeNamespace != "" {
		m.Annotations[probeAnnotation] = k.settings.ProbeNamespace
	}
	return m
}

// meta is that of an object that goes with the trial.
func (s *server) meta() metav1.ObjectMeta {
	m := s.target.meta(s.target.id)
	m.Labels[instanceLabel] = s.request.Name
	return m
}

// selects takes the arm's server and not the pods of its load.
func (s *server) selects() map[string]string {
	return map[string]string{armLabel: s.target.id, roleLabel: serverRole}
}

// statefulSet is the server's: one pod, which is not made again elsewhere while
// it may still run.
func (s *server) statefulSet() *appsv1.StatefulSet {
	id, labels := s.target.id, s.meta().Labels
	labels[roleLabel] = serverRole
	return &appsv1.StatefulSet{
		TypeMeta:   metav1.TypeMeta{APIVersion: "apps/v1", Kind: "StatefulSet"},
		ObjectMeta: s.meta(),
		Spec: appsv1.StatefulSetSpec{
			Replicas: new(int32(1)), ServiceName: id,
			Selector: &metav1.LabelSelector{MatchLabels: s.selects()},
			Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels, Annotations: s.target.settings.attached()}, Spec: s.podSpec()},
		},
	}
}

func (s *server) podSpec() corev1.PodSpec {
	set := s.target.settings
	spec := corev1.PodSpec{
		Containers: []corev1.Container{s.mysqld()}, Volumes: s.volumes(), HostNetwork: set.HostNetwork,
		TerminationGracePeriodSeconds: new(int64(60)), PriorityClassName: set.PriorityClass,
		// Neither is needed, and both would be in the server's environment and files.
		EnableServiceLinks: new(false), AutomountServiceAccountToken: new(false),
		SecurityContext: &corev1.PodSecurityContext{
			RunAsUser: new(serverUser), RunAsGroup: new(serverUser), FSGroup: new(serverUser), RunAsNonRoot: new(true),
			FSGroupChangePolicy: new(corev1.FSGroupChangeOnRootMismatch), // by default, every mount changes the owner of every file
		},
	}
	if set.signals() { // to the first process of a process namespace, none of its own can send SIGKILL (pid_namespaces(7))
		spec.ShareProcessNamespace = new(true)
	}
	if set.Seccomp != "" {
		spec.SecurityContext.SeccompProfile = &corev1.SeccompProfile{Type: corev1.SeccompProfileType(set.Seccomp)}
	}
	spec.NodeSelector, spec.Affinity = set.nodes(), s.besideOthers()
	if set.Tolerate {
		spec.Tolerations = []corev1.Toleration{{Operator: corev1.TolerationOpExists}}
	}
	if set.Volume == hostPathVolume {
		spec.InitContainers = []corev1.Container{s.handOver()}
	}
	if set.Bare {
		return s.barePod(spec)
	}
	return spec
}

// restricted is what the level restricted of the Pod Security Standards asks of a
// pod: https://kubernetes.io/docs/concepts/security/pod-security-standards/. Together
// with [confined] containers it is admitted in every namespace.
func restricted() *corev1.PodSecurityContext {
	return &corev1.PodSecurityContext{
		RunAsUser: new(serverUser), RunAsGroup: new(serverUser), RunAsNonRoot: new(true), FSGroup: new(serverUser),
		FSGroupChangePolicy: new(corev1.FSGroupChangeOnRootMismatch),
		SeccompProfile:      &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault},
	}
}

// confined is a container without capabilities, and without a way to any.
func confined() *corev1.SecurityContext {
	return &corev1.SecurityContext{AllowPrivilegeEscalation: new(false), Capabilities: &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}}}
}

func (s *server) mysqld() corev1.Container {
	data := "again"
	switch {
	case s.target.settings.ephemeral():
		data = "kept"
	case s.request.Initialize:
		data = "empty"
	}
	return corev1.Container{
		Name: containerName, Image: s.target.settings.Image, ImagePullPolicy: corev1.PullIfNotPresent,
		Command:         []string{"sh", secretDir + "/start.sh", data},
		Env:             []corev1.EnvVar{s.mark()},
		Ports:           []corev1.ContainerPort{{Name: "mysql", ContainerPort: serverPort}},
		Resources:       withDevice(s.target.settings.withHugePages(resources(s.requirements)), s.target.settings.AttachmentResource),
		SecurityContext: confined(),
		VolumeMounts:    []corev1.VolumeMount{{Name: "data", MountPath: volumeDir}, {Name: "run", MountPath: target.InsideRun}, {Name: "secret", MountPath: secretDir, ReadOnly: true}},
	}
}

// handOver gives a new directory of the node to the server's user: a kubelet
// leaves a hostPath as root's.
func (s *server) handOver() corev1.Container {
	return corev1.Container{
		Name: "hand-over", Image: s.target.settings.Image, ImagePullPolicy: corev1.PullIfNotPresent,
		Command:         []string{"chown", fmt.Sprintf("%d:%d", serverUser, serverUser), volumeDir},
		Resources:       resources(s.requirements), // as the server's, or the class would change
		SecurityContext: &corev1.SecurityContext{RunAsUser: new(int64(0)), RunAsNonRoot: new(false)},
		VolumeMounts:    []corev1.VolumeMount{{Name: "data", MountPath: volumeDir}},
	}
}

func (s *server) volumes() []corev1.Volume {
	data := corev1.Volume{Name: "data"}
	switch set := s.target.settings; set.Volume {
	case hostPathVolume:
		data.HostPath = &corev1.HostPathVolumeSource{Path: s.target.hostPath(), Type: new(corev1.HostPathDirectoryOrCreate)}
	case emptyDirVolume, tmpfsVolume:
		data.EmptyDir = set.emptyDir()
	default:
		data.PersistentVolumeClaim = &corev1.PersistentVolumeClaimVolumeSource{ClaimName: s.target.id}
	}
	return []corev1.Volume{
		data,
		{Name: "run", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}},
		{Name: "secret", VolumeSource: corev1.VolumeSource{Secret: &corev1.SecretVolumeSource{SecretName: s.target.id, DefaultMode: new(int32(0o440))}}},
	}
}

// claim is made once and stays for the arm's trials.
func (s *server) claim() *corev1.PersistentVolumeClaim {
	set := s.target.settings
	c := &corev1.PersistentVolumeClaim{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: claimKind}, ObjectMeta: s.target.meta(s.target.id),
		Spec: corev1.PersistentVolumeClaimSpec{
			AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
			Resources:   corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceStorage: *bytesQuantity(set.VolumeSize)}},
		},
	}
	if set.StorageClass != "" {
		c.Spec.StorageClassName = new(set.StorageClass)
	}
	return c
}

// service goes with the trial, unless it has a load balancer, which a cloud takes minutes
// to make: that one is the arm's.
func (s *server) service() *corev1.Service {
	v := &corev1.Service{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Service"}, ObjectMeta: s.meta(),
		Spec: corev1.ServiceSpec{
			Selector: s.selects(),
			Ports:    []corev1.ServicePort{{Name: "mysql", Port: serverPort, TargetPort: intstr.FromInt32(serverPort), Protocol: corev1.ProtocolTCP}},
		},
	}
	switch s.target.settings.Address {
	case nodeAddress:
		v.Spec.Type = corev1.ServiceTypeNodePort
	case loadBalancerAddress:
		v.Spec.Type, v.ObjectMeta = corev1.ServiceTypeLoadBalancer, s.target.meta(s.target.id)
	}
	return v
}

// secret holds the server's files: options can be secrets as well.
func (s *server) secret() *corev1.Secret {
	data := map[string][]byte{"my.cnf": []byte(s.defaults), "accounts.sql": []byte(s.accounts), "start.sh": []byte(startScript)}
	if s.start != "" {
		data["start"] = []byte(s.start)
	}
	if s.target.settings.Bare {
		data["bare.sh"], data["node.sh"] = []byte(bareScript), []byte(nodeScript)
	}
	return &corev1.Secret{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Secret"}, ObjectMeta: s.meta(), Data: data}
}

// mark tells a process of the trial from those of others, where the nodes are on tare's
// own machine: what they take of the CPUs is not a disturbance (internal/runner/gates.go).
func (s *server) mark() corev1.EnvVar {
	return corev1.EnvVar{Name: target.InstanceVariable, Value: s.request.Name}
}

// resources are requests and limits in the API's form.
func resources(r node.Requirements) corev1.ResourceRequirements {
	return corev1.ResourceRequirements{Requests: amounts(r.Request), Limits: amounts(r.Limit)}
}

func amounts(r node.Resources) corev1.ResourceList {
	l := corev1.ResourceList{}
	if r.CPU != 0 {
		l[corev1.ResourceCPU] = resource.MustParse(strconv.FormatInt(int64(r.CPU), 10) + "m")
	}
	if r.Memory != 0 {
		l[corev1.ResourceMemory] = *bytesQuantity(r.Memory)
	}
	return l
}

func bytesQuantity(b node.Bytes) *resource.Quantity {
	return resource.NewQuantity(int64(b), resource.BinarySI)
}

func (k *Kubernetes) hostPath() string { return hostPathRoot + "/" + k.id }
