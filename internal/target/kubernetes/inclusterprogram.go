package kubernetes

// The program of a run that a pod of the cluster carries out: it is streamed once into the volume of the run, where a pod
// that replaces a lost one finds it, and the pod that hands the run out. It is the whole tare, which makes the objects of the arms.

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// runProgramDir is the program's directory in the volume of a run, and runProgram its file.
const (
	runProgramDir = runsDir + "/program"
	runProgram    = runProgramDir + "/tare"
)

// Program is a whole tare in a file, for nodes of one architecture.
type Program struct{ path, arch string }

// FindProgram is the tare in a file, with "" the one that runs now.
func FindProgram(file string) (Program, error) {
	if file == "" {
		if runtime.GOOS != "linux" {
			return Program{}, fmt.Errorf("this tare is a program for %s, and nodes need one for linux", runtime.GOOS)
		}
		file = ownFile
	}
	arch, err := architectureIn(file)
	if err != nil {
		return Program{}, err
	}
	return Program{file, arch}, nil
}

// Arch is the architecture of the nodes that it runs on, as Go and Kubernetes name it.
func (p Program) Arch() string { return p.arch }

// choose is the program for a node.
func (p Program) choose(arch string) (*program, error) {
	if arch != p.arch {
		return nil, fmt.Errorf("the node is linux/%s, and the program is for linux/%s", arch, p.arch)
	}
	return packedFile(p.path)
}

// ShellImage is the image of an arm that has a shell, baseImage or the server's; "" if its settings name none.
func ShellImage(decode func(into any) error) (string, error) {
	var s Settings
	if err := decode(&s); err != nil {
		return "", err
	}
	s.ClientImage = "" // which has no shell
	return s.supply(s.Image).image, nil
}

// Streamed tells whether the run's pods get their program by a stream.
func (r RemoteRun) Streamed() bool { return r.arch != "" }

// Provide waits until the pod of a run runs, and streams the program into the run's volume if the pod takes it from there and
// it is not there. It returns as well when the run has ended. note is told what the pod waits for. A pod that is lost
// meanwhile is replaced, and the next one gets the program. A Job that may not make its pod, and a pod that cannot start, as
// of an image that cannot be pulled, are errors.
func (r *Remote) Provide(ctx context.Context, name string, p Program, note io.Writer) error {
	var waited wait
	for {
		run, err := r.Run(ctx, name)
		if err == nil && run.State != "running" {
			return nil
		}
		var pod *corev1.Pod
		if err == nil {
			pod, err = r.lastPod(ctx, name)
		}
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case err != nil && !retryable(err):
			return r.cluster.explain(err)
		case err != nil:
		case pod == nil:
			// Others may free the quota: the Job's controller tries again, and the run waits ten minutes for its program.
			why := r.cluster.refused(ctx, "Job", jobs, name)
			if strings.Contains(why, "exceeded quota") && !lasts(why) {
				if waited.see(why, time.Now()) {
					fmt.Fprintf(note, "waiting: %s\n", advised(why))
				}
			} else if why != "" {
				return fmt.Errorf("no pod of run %s is made: %s", name, advised(why))
			}
		case !run.Streamed() && hasRun(pod): // what it printed says more than its end
			return nil
		case pod.Status.Phase == corev1.PodRunning:
			there, err := r.provided(ctx, pod.Name, p)
			if there || err != nil {
				return err
			}
		case pod.Status.Phase == corev1.PodPending && stuck(pod) != "":
			return errors.New(advised(stuck(pod)))
		case waited.see(idle(pod), time.Now()):
			fmt.Fprintf(note, "waiting: %s\n", idle(pod))
		}
		if err := pause(ctx, followEvery); err != nil {
			return context.Cause(ctx)
		}
	}
}

// hasRun tells whether the container of a run's pod runs or has ended.
func hasRun(pod *corev1.Pod) bool {
	return pod.Status.Phase != corev1.PodPending || slices.ContainsFunc(pod.Status.ContainerStatuses, func(c corev1.ContainerStatus) bool { return c.State.Terminated != nil })
}

// Failure says why the newest pod of a run has failed, "" where it has not.
func (r *Remote) Failure(ctx context.Context, name string) (string, error) {
	pod, err := r.lastPod(ctx, name)
	if err != nil {
		return "", r.cluster.explain(err)
	}
	if pod == nil || !hasRun(pod) {
		return "", nil
	}
	return stuck(pod), nil
}

// lastPod is the newest pod of a run, nil while there is none.
func (r *Remote) lastPod(ctx context.Context, name string) (*corev1.Pod, error) {
	found, err := list[corev1.Pod](ctx, r.cluster.scoped(pods), "pods", metav1.ListOptions{LabelSelector: batchv1.JobNameLabel + "=" + name})
	if err != nil || len(found) == 0 {
		return nil, err
	}
	last := slices.MaxFunc(found, func(a, b corev1.Pod) int { return a.CreationTimestamp.Compare(b.CreationTimestamp.Time) })
	return &last, nil
}

// provided tells whether the program is in the volume of a running pod, and streams it if not. A pod that is gone has none.
func (r *Remote) provided(ctx context.Context, pod string, p Program) (bool, error) {
	said, err := r.cluster.exec(ctx, pod, runContainer, []string{"sh", "-c", "if [ -x " + runProgram + " ]; then echo there; fi"}, nil)
	if err == nil && strings.TrimSpace(said) == "there" {
		return true, nil
	}
	if err == nil {
		err = r.cluster.put(ctx, p.choose, pod, runContainer, runProgramDir)
	}
	if err == nil { // a node that loses its power must not leave a part of it: the next pod takes what has the name
		_, err = r.cluster.exec(ctx, pod, runContainer, []string{"sh", "-c", "sync " + runProgram + " 2>/dev/null || sync"}, nil)
	}
	if apierrors.IsNotFound(err) || err != nil && retryable(err) && ctx.Err() == nil && !r.runs(ctx, pod) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("give the run its program: %w", r.cluster.explain(err))
	}
	return true, nil
}

// runs tells whether a pod still runs; where there is no answer, it counts as running.
func (r *Remote) runs(ctx context.Context, name string) bool {
	pod, err := get[corev1.Pod](ctx, r.cluster, pods, name)
	if err != nil {
		return !apierrors.IsNotFound(err)
	}
	return pod.Status.Phase == corev1.PodRunning && pod.DeletionTimestamp == nil
}

// streamInto makes the pod one whose container is of an image with a shell, on nodes that the program runs on.
func (r InCluster) streamInto(spec *corev1.PodSpec, command []string) {
	if r.Arch == "" {
		return
	}
	spec.Containers[0].Command = command
	if spec.NodeSelector == nil {
		spec.NodeSelector = map[string]string{}
	}
	spec.NodeSelector[corev1.LabelArchStable] = r.Arch
}
