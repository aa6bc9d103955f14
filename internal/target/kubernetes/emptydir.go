package kubernetes

// Volumes that are gone with the pod. Every trial has a pod of its own, so it makes
// its data again, and has the server start again on them: else it would begin with
// what making them has left in memory, and the other arms with a cold start.

import (
	"context"
	"database/sql"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/tarebench/tare/internal/mysqld"
)

// ephemeral tells whether the data are gone with the pod.
func (s Settings) ephemeral() bool { return s.Volume == emptyDirVolume || s.Volume == tmpfsVolume }

// emptyDir is that volume; its size bounds what is in it.
func (s Settings) emptyDir() *corev1.EmptyDirVolumeSource {
	v := &corev1.EmptyDirVolumeSource{}
	if s.Volume == tmpfsVolume {
		v.Medium = corev1.StorageMediumMemory
	}
	if s.VolumeSize != 0 {
		v.SizeLimit = bytesQuantity(s.VolumeSize)
	}
	return v
}

// Notes are what the user should know before the run.
func (k *Kubernetes) Notes() []string {
	var notes []string
	if k.settings.ephemeral() {
		notes = append(notes, fmt.Sprintf("volume: %s is gone with its pod, so every trial creates the data again: the same rows, not the same bytes", k.settings.Volume))
	}
	if k.settings.ClientImage == "" && k.settings.runsTare() {
		notes = append(notes, streamNote(k.settings.Programs))
	}
	if k.roomUnknown {
		notes = append(notes, "room not checked: nodes and the pods of all namespaces may not be listed. If the servers of a round do not fit the nodes at once, trials by slices fail as not scheduled; protocol: {kind: windows} needs room for one")
	}
	return notes
}

// Restart ends the server in order. Its kubelet starts the container again in the
// same pod, with what is in its volumes: at once, as it is the first time
// (pkg/kubelet/kuberuntime, doBackOff).
func (s *server) Restart(ctx context.Context) error {
	db, err := mysqld.Open(s.Address())
	if err != nil {
		return fmt.Errorf("start server again: %w", err)
	}
	defer func(db *sql.DB) { _ = db.Close() }(db) // it has no server any more
	if err := mysqld.CleanShutdown(ctx, db); err != nil {
		return fmt.Errorf("start server again: %w", err)
	}
	limit, cancel := context.WithTimeout(ctx, s.within()+stopWithin)
	defer cancel()
	for {
		pod, err := get[corev1.Pod](limit, s.target.cluster, pods, s.podName())
		switch {
		case err != nil && !retryable(err) && limit.Err() == nil:
			return fmt.Errorf("start server again: %w", s.target.cluster.explain(err))
		case err == nil && stuck(pod) != "":
			return fmt.Errorf("start server again: %s", stuck(pod))
		case err == nil && startedAgain(pod, s.container, s.restarts):
			s.mu.Lock()
			defer s.mu.Unlock()
			s.restarts++
			return nil
		}
		if err := pause(limit, pollEvery); err != nil {
			return fmt.Errorf("start server again: %w", err)
		}
	}
}

// startedAgain tells whether the container runs once more than after so many
// restarts.
func startedAgain(pod *corev1.Pod, container string, restarts int32) bool {
	return slices.ContainsFunc(pod.Status.ContainerStatuses, func(c corev1.ContainerStatus) bool {
		return c.Name == container && c.RestartCount == restarts+1 && c.State.Running != nil
	})
}
