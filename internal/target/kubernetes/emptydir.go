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
	if k.roomUnknown && k.settings.makesServer() && k.settings.Node == "" && len(k.settings.NodeSelector) == 0 {
		notes = append(notes, "no node is named, and nodes may not be listed: the servers are placed on one node where it has room. Arms on different nodes are not compared, nor a later run on another node with this one; node: NAME keeps all on one (kubectl get pods -o wide shows names)")
	}
	if named := k.settings.namedNodes(); k.roomUnknown && named != "" {
		notes = append(notes, "not checked, because nodes may not be listed: whether the cluster has "+named+". The pods of a name that it does not have fail as not scheduled")
	}
	if k.classNote != "" {
		notes = append(notes, k.classNote)
	}
	notes = append(notes, k.admissionNotes...)
	return append(notes, k.eventNotes()...)
}

// unchecked is what of the nodes the settings rely on and could not be looked at.
func (k *Kubernetes) unchecked() string {
	want := k.settings.requirements(0).Request
	if !k.roomUnknown || k.settings.namedNodes() == "" && want.CPU == 0 && want.Memory == 0 {
		return ""
	}
	return "the nodes were not checked: these credentials may not list them"
}

// turnNotes are those where the pods of a round are up at once.
func (k *Kubernetes) turnNotes() []string {
	if !k.roomUnknown {
		return nil
	}
	return []string{"free CPU and memory of the nodes not checked: nodes and the pods of all namespaces may not be listed. Where the nodes do not have enough for all servers of a round at once, trials fail as not scheduled; kind: windows under protocol runs one server at a time"}
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
