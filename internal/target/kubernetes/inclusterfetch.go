package kubernetes

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// Fetch reads a run's directory out of its volume, as the tar archive that `tare pack`
// writes, and gives it to read. A pod that mounts the volume is made for that and
// removed again.
func (r *Remote) Fetch(ctx context.Context, run RemoteRun, read func(io.Reader) error) (err error) {
	pod := InCluster{Name: run.Name, Image: run.image}.fetchPod()
	if err := r.cluster.apply(ctx, pods, pod.Name, pod); err != nil {
		return err
	}
	defer func() {
		last, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopWithin)
		defer cancel()
		err = errors.Join(err, r.cluster.remove(last, pods, pod.Name))
	}()
	if err := r.cluster.started(ctx, pod.Name); err != nil {
		return fmt.Errorf("start pod %s: %w", pod.Name, err)
	}
	forwarded, err := forwardTo(r.cluster, pod.Name, fetchPort)
	if err != nil {
		return err
	}
	defer forwarded.close()
	answer, err := archiveFrom(ctx, fmt.Sprintf("http://127.0.0.1:%d/", forwarded.port))
	if err != nil {
		return err
	}
	defer answer.Close()
	return read(answer)
}

// started waits until a pod runs.
func (c *cluster) started(ctx context.Context, name string) error {
	for {
		pod, err := get[corev1.Pod](ctx, c, pods, name)
		switch {
		case err != nil && !retryable(err):
			return err
		case err == nil && stuck(pod) != "":
			return errors.New(advised(stuck(pod)))
		case err == nil && pod.Status.Phase == corev1.PodRunning:
			return nil
		case err == nil && (pod.Status.Phase == corev1.PodFailed || pod.Status.Phase == corev1.PodSucceeded):
			return errors.New("it has ended" + c.lastWords(ctx, name, "tare"))
		}
		if err := pause(ctx, pollEvery); err != nil {
			return fmt.Errorf("it does not run: %w", err)
		}
	}
}

// answerWithin is how long the pod may take to listen.
const answerWithin = 30 * time.Second

// archiveFrom asks until the pod answers: it may run before it listens.
func archiveFrom(ctx context.Context, at string) (io.ReadCloser, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, at, nil)
	if err != nil {
		return nil, fmt.Errorf("fetch run: %w", err)
	}
	for begun := time.Now(); ; {
		answer, err := http.DefaultClient.Do(request)
		if err == nil && answer.StatusCode == http.StatusOK {
			return answer.Body, nil
		}
		if err == nil {
			_ = answer.Body.Close()
			err = errors.New(answer.Status)
		}
		if time.Since(begun) > answerWithin || pause(ctx, pollEvery) != nil {
			return nil, fmt.Errorf("fetch run: %w", err)
		}
	}
}
