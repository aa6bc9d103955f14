package kubernetes

// bare: true: the server as a process of its node, without the pod. Bare metal
// against pod is the question, and on another machine it would be another one.

import (
	_ "embed"
	"fmt"

	corev1 "k8s.io/api/core/v1"

	"github.com/tarebench/tare/internal/target"
)

//go:embed bare.sh
var bareScript string

//go:embed node.sh
var nodeScript string

// NodeAccess is what the user has to allow before a pod enters its node.
const NodeAccess = "node"

// permission is what the arm does to a machine beyond the objects of a namespace.
func (k *Kubernetes) permission() *target.Permission {
	if !k.settings.Bare {
		return nil
	}
	return &target.Permission{Allow: NodeAccess, Field: "bare",
		Why: fmt.Sprintf("a privileged pod enters the namespaces of node %s, and puts the image's files below %s there until the run ends", k.settings.Node, hostPathRoot)}
}

// bareContradictions are those of a server that is in no pod: what shapes a pod
// has no meaning.
func (s Settings) bareContradictions() []error {
	if !s.Bare {
		return nil
	}
	var errs []error
	wrong := func(field, format string, args ...any) {
		errs = append(errs, target.Wrong(field, format, args...))
	}
	if s.Node == "" {
		wrong("node", "the node is missing; write node: NAME")
	}
	for _, f := range []struct {
		field string
		set   bool
	}{
		{"qos", s.QoS != ""}, {"cpu", s.asked()}, {"seccomp", s.Seccomp != ""}, {"volumeSize", s.VolumeSize != 0},
		{"storageClass", s.StorageClass != ""}, {"hostNetwork", s.HostNetwork}, {hugePagesField, s.HugePages != 0},
	} {
		if f.set {
			wrong(f.field, "a process on the node has no pod; leave %s out", f.field)
		}
	}
	if s.Volume != "" && s.Volume != hostPathVolume {
		wrong("volume", "a process on the node has its data on the node's disk; write volume: hostPath, or leave it out")
	}
	return errs
}

// barePod is the pod that leads to the node.
func (s *server) barePod(spec corev1.PodSpec) corev1.PodSpec {
	spec.HostNetwork, spec.HostPID, spec.HostIPC = true, true, true
	spec.SecurityContext = &corev1.PodSecurityContext{RunAsUser: new(int64(0)), RunAsGroup: new(int64(0))}
	c := s.mysqld()
	c.Command = []string{"sh", secretDir + "/bare.sh", c.Command[2], s.target.hostPath()}
	c.SecurityContext = &corev1.SecurityContext{Privileged: new(true)}
	c.VolumeMounts = []corev1.VolumeMount{{Name: "data", MountPath: s.target.hostPath()}, {Name: "secret", MountPath: secretDir, ReadOnly: true}}
	spec.Containers, spec.InitContainers = []corev1.Container{c}, nil
	return spec
}
