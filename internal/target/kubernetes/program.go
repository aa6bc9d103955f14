package kubernetes

// How tare's own program comes into a pod: in an image that has it (clientImage), or by a stream
// through the API server into a pod of any image with a shell. The container waits for the program
// in its own shell and then becomes it. An init container would do as well, but its requests and
// limits would count in the pod's class and in quotas, and an ephemeral container can have none.

import (
	_ "embed"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/tarebench/tare/internal/target"
)

//go:embed program-wait.sh
var programWait string

// Where the program is in a pod: in an emptyDir, or in a container that can have no volume. Not
// /tare, which is a file in tare's own image: as a baseImage that would not say that it has no shell.
const (
	programDir       = "/opt/tare"
	programDirInside = "/tmp"
	programVolume    = "program"
)

// supply is how the pods that tare makes get its program.
type supply struct {
	image    string
	streamed bool // the image has a shell, and not tare
	// programs are files with tare's program for the architectures of nodes.
	programs []string
	// pull are the Secrets that the image is pulled with.
	pull []corev1.LocalObjectReference
}

// supply is that of an arm whose server has this image.
func (s Settings) supply(image string) supply {
	if s.ClientImage != "" {
		return supply{image: s.ClientImage}
	}
	if s.BaseImage != "" {
		image = s.BaseImage
	}
	return supply{image: image, streamed: true, programs: s.Programs}
}

// supply is how the pods of the load and the neighbour get the program. The server's own image is
// on its node already, and has a shell where tare made the pod.
func (s *server) supply() supply {
	set := s.target.settings
	if s.pod == nil { // it is rendered, or only its class is asked for
		return set.supply(orPlaceholder(set.Image))
	}
	image := set.Image
	if c := containerOf(s.pod, s.container); c != nil {
		image = c.Image
	}
	v := set.supply(image)
	if v.streamed && set.BaseImage == "" {
		v.pull = s.pod.Spec.ImagePullSecrets
	}
	return v
}

// orPlaceholder is an image, or a name for one that is known when the server runs.
func orPlaceholder(image string) string {
	if image == "" {
		return "image-of-the-server"
	}
	return image
}

// containerOf is a container of a pod, nil without one of that name.
func containerOf(pod *corev1.Pod, name string) *corev1.Container {
	i := slices.IndexFunc(pod.Spec.Containers, func(c corev1.Container) bool { return c.Name == name })
	if i < 0 {
		return nil
	}
	return &pod.Spec.Containers[i]
}

// fill gives a pod's only container its image, and where the program is streamed, a place for it.
// The arguments are those of tare in both cases.
func (s supply) fill(pod *corev1.PodSpec) {
	c := &pod.Containers[0]
	c.Image, c.ImagePullPolicy = s.image, corev1.PullIfNotPresent
	if !s.streamed {
		return
	}
	pod.ImagePullSecrets = s.pull
	c.Command = waitingIn(programDir)
	c.VolumeMounts = append(c.VolumeMounts, corev1.VolumeMount{Name: programVolume, MountPath: programDir})
	pod.Volumes = append(pod.Volumes, corev1.Volume{Name: programVolume, VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}})
}

// waitingIn waits until the program is in a directory, and runs it with the arguments that follow.
func waitingIn(dir string) []string { return []string{"sh", "-c", programWait, "sh", dir} }

// elsewhere is the supply in another namespace, which does not have the Secrets of this one.
func (s supply) elsewhere() supply {
	s.pull = nil
	return s
}

// runsTare tells whether a pod of the arm runs tare.
func (s Settings) runsTare() bool {
	return s.generators() > 0 || s.Neighbour != nil || s.ProbeNamespace != ""
}

// streams tells whether tare's program is streamed into pods of the arm's namespace.
func (s Settings) streams() bool {
	return s.ClientImage == "" && (s.generators() > 0 || s.Neighbour != nil)
}

func (s Settings) programContradictions() []error {
	switch {
	case s.BaseImage == "" && len(s.Programs) == 0:
		return nil
	case s.ClientImage != "":
		return []error{target.Wrong("clientImage", "an image with tare needs no stream; leave clientImage out, or baseImage and programs")}
	case !s.runsTare():
		return []error{target.Wrong("clients", "baseImage and programs are for pods that run tare; write clients: 1, or leave them out")}
	}
	return nil
}
