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

// fetchWithin is how long the pod that hands out a run may take to run: its image may have to be
// pulled, and a volume that is attached to a node which does not answer is detached after 6
// minutes (pkg/controller/volume/attachdetach, maxWaitForUnmountDuration).
const fetchWithin = 10 * time.Minute

// Fetch reads a run's directory out of its volume, as the tar archive that `tare pack`
// writes, and gives it to read. A pod that mounts the volume is made for that and
// removed again. note is told what the pod waits for.
func (r *Remote) Fetch(ctx context.Context, run RemoteRun, note io.Writer, read func(io.Reader) error) (err error) {
	pod := InCluster{Name: run.Name, Image: run.image, Arch: run.arch}.fetchPod()
	if err := r.cluster.apply(ctx, pods, pod.Name, pod); err != nil {
		return err
	}
	defer func() {
		last, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopWithin)
		defer cancel()
		err = errors.Join(err, r.cluster.remove(last, pods, pod.Name))
	}()
	if err := r.cluster.started(ctx, pod.Name, fetchWithin, note); err != nil {
		return fmt.Errorf("start pod %s: %w", pod.Name, err)
	}
	forwarded, err := forwardTo(r.cluster, pod.Name, fetchPort)
	if err != nil {
		return err
	}
	defer forwarded.close()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	late := time.AfterFunc(answerWithin+stallAfter, func() { cancel(errStalled) })
	answer, err := archiveFrom(ctx, fmt.Sprintf("http://127.0.0.1:%d/", forwarded.port))
	late.Stop()
	if err != nil {
		return awaiting(stalled(ctx), err)
	}
	defer answer.Close()
	if err := read(&watchedReader{answer, stallAfter, cancel}); err != nil {
		return awaiting(stalled(ctx), err)
	}
	return nil
}

// started waits until a pod runs, and tells note what it waits for.
func (c *cluster) started(ctx context.Context, name string, within time.Duration, note io.Writer) error {
	limit, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	var last *corev1.Pod
	var waited wait
	for {
		pod, err := get[corev1.Pod](limit, c, pods, name)
		switch {
		case err != nil && !retryable(err) && limit.Err() == nil:
			return err
		case err != nil:
		case stuck(pod) != "":
			return errors.New(advised(stuck(pod)))
		case pod.Status.Phase == corev1.PodRunning:
			return nil
		case pod.Status.Phase == corev1.PodFailed || pod.Status.Phase == corev1.PodSucceeded:
			return errors.New("it has ended" + c.lastWords(ctx, name, runContainer))
		default:
			last = pod
			if waited.see(idle(pod), time.Now()) {
				fmt.Fprintf(note, "waiting: %s\n", idle(pod))
			}
		}
		if err := pause(limit, pollEvery); err != nil {
			if ctx.Err() != nil {
				return awaiting(idle(last), context.Cause(ctx))
			}
			return c.unstarted(ctx, last, within)
		}
	}
}

// unstarted says why a pod does not run at the end of its time: what is known of it, and its
// events, which tell of volumes that cannot be attached.
func (c *cluster) unstarted(ctx context.Context, pod *corev1.Pod, within time.Duration) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	why := idle(pod)
	if pod != nil {
		said, err := c.events(ctx, pod.Name, pod.UID)
		if err != nil {
			said = "its events cannot be read: " + err.Error()
		}
		why += "; " + said
	}
	return fmt.Errorf("it did not run within %s: %s", within, advised(why))
}

// ErrNoResults: the run ended before it began, as with an experiment that is refused, and has no directory.
var ErrNoResults = errors.New("it ended before its first trial, and has no results")

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
			if answer.StatusCode == http.StatusNotFound {
				return nil, ErrNoResults
			}
		}
		if time.Since(begun) > answerWithin || pause(ctx, pollEvery) != nil {
			return nil, fmt.Errorf("fetch run: %w", err)
		}
	}
}
