package kubernetes

import (
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// hostPathSuffix ends the name of the Secret that stands for a directory on a
// node for as long as that is there.
const hostPathSuffix = "-hostpath"

// markHostPath makes an object for the directory, which has none of its own: a
// crash between two trials would leave nothing by which to find it.
func (k *Kubernetes) markHostPath(ctx context.Context) error {
	name := k.id + hostPathSuffix
	return k.cluster.apply(ctx, secrets, name, &corev1.Secret{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Secret"}, ObjectMeta: k.meta(name),
		Data: map[string][]byte{"node": []byte(k.settings.Node), "image": []byte(k.settings.Image)},
	})
}

// removeHostPath removes the arm's directory from its node, by a pod there: no
// object of the API stands for it that could be deleted.
func (k *Kubernetes) removeHostPath(ctx context.Context) error {
	if k.settings.Volume != hostPathVolume {
		return nil
	}
	// The server goes first, or it would write into what is removed; and so does a pod of an earlier
	// attempt, which would be found as it failed. The Secret stays until the directory is gone.
	objects := slices.DeleteFunc(k.all(), func(kind schema.GroupVersionResource) bool { return kind == secrets })
	if err := k.cluster.removeAll(ctx, objects, k.selector()); err != nil {
		return err
	}
	name := k.id + "-remove"
	err := k.cluster.apply(ctx, pods, name, &corev1.Pod{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"}, ObjectMeta: k.meta(name),
		Spec: corev1.PodSpec{
			RestartPolicy: corev1.RestartPolicyNever, NodeSelector: map[string]string{corev1.LabelHostname: k.settings.Node},
			AutomountServiceAccountToken: new(false), EnableServiceLinks: new(false), TerminationGracePeriodSeconds: new(int64(0)),
			Tolerations: []corev1.Toleration{{Operator: corev1.TolerationOpExists}},
			Containers: []corev1.Container{{
				Name: "remove", Image: k.settings.Image, ImagePullPolicy: corev1.PullIfNotPresent,
				Command:         []string{"rm", "-rf", "--one-file-system", k.hostPath()},
				SecurityContext: &corev1.SecurityContext{RunAsUser: new(int64(0))},
				VolumeMounts:    []corev1.VolumeMount{{Name: "root", MountPath: hostPathRoot}},
			}},
			Volumes: []corev1.Volume{{Name: "root", VolumeSource: corev1.VolumeSource{
				HostPath: &corev1.HostPathVolumeSource{Path: hostPathRoot, Type: new(corev1.HostPathDirectoryOrCreate)}}}},
		},
	})
	if err != nil {
		return err
	}
	var last *corev1.Pod
	for {
		pod, err := get[corev1.Pod](ctx, k.cluster, pods, name)
		if err == nil {
			last = pod
		}
		switch {
		case err == nil && pod.Status.Phase == corev1.PodSucceeded:
			return nil
		case err == nil && stuck(pod) != "":
			return fmt.Errorf("remove %s of node %s: %s", k.hostPath(), k.settings.Node, stuck(pod))
		case err != nil && ctx.Err() == nil && (apierrors.IsNotFound(err) || !retryable(err)):
			return fmt.Errorf("remove %s of node %s: %w", k.hostPath(), k.settings.Node, err)
		}
		if err := pause(ctx, pollEvery); err != nil {
			return fmt.Errorf("remove %s of node %s: %s: %w", k.hostPath(), k.settings.Node, idle(last), err)
		}
	}
}
