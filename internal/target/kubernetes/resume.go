package kubernetes

// What an earlier process of a run left in the cluster. Its arms have names of their own, so a run
// that is resumed would be measured with their pods beside its own: an old neighbour uses the CPU of
// the same node, and an old server what it requests.

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/tarebench/tare/internal/record"
)

// note writes the arm's name into the run directory.
func (k *Kubernetes) note(run string) error { return record.AddArm(run, k.id) }

// resume removes the arms that the run directory names.
func (k *Kubernetes) resume(ctx context.Context, run string, log io.Writer) error {
	ids, err := record.Arms(run)
	if err != nil || len(ids) == 0 || k.cluster == nil { // of a cluster that is not found, Check says so
		return err
	}
	arms, err := k.cluster.arms(ctx)
	if err == nil {
		err = k.cluster.removeArms(ctx, arms, ids, log)
	}
	if err != nil {
		return err
	}
	if k.settings.ProbeNamespace == "" {
		return nil
	}
	for _, id := range ids { // of an arm of which nothing but its probe pod was left
		if err := k.cluster.removeProbe(ctx, id, k.settings.ProbeNamespace); err != nil {
			return fmt.Errorf("remove the probe pod of arm %s: %w", id, err)
		}
	}
	return nil
}

func (c *cluster) removeProbe(ctx context.Context, id, namespace string) error {
	ctx, cancel := timeOfArm(ctx, id)
	defer cancel()
	k := &Kubernetes{cluster: c, id: id, settings: Settings{ProbeNamespace: namespace}, probed: true}
	return k.removeProbes(ctx, "")
}

// removeArms removes those of the arms that have these names and says so. The lock on the run directory says that
// no tare uses them, unless the directory was copied.
func (c *cluster) removeArms(ctx context.Context, arms []leftArm, ids []string, log io.Writer) error {
	var all error
	for _, a := range arms {
		switch {
		case !slices.Contains(ids, a.id):
		case a.note.Running():
			all = errors.Join(all, fmt.Errorf("namespace %s: arm %s of this run is in use by process %d, which carries out another copy of the run directory", c.namespace, a.id, a.note.PID))
		default:
			fmt.Fprintf(log, "namespace %s: removing %s, which an earlier process of this run left\n", c.namespace, a.id)
			all = errors.Join(all, c.release(ctx, a, timeOfArm))
		}
	}
	return all
}

// note writes the name of the load's objects into the run directory.
func (f *from) note(run string) error { return record.AddArm(run, f.id) }

// resume removes the load that earlier processes of the run left. Objects of arms stay: among them
// are the notes by which the arms are removed.
func (f *from) resume(ctx context.Context, run string, _ io.Writer) error {
	ids, err := record.Arms(run)
	if err != nil || f.cluster == nil {
		return err
	}
	for _, id := range ids {
		if err := f.removeLoad(ctx, id); err != nil {
			return err
		}
	}
	return nil
}

func (f *from) removeLoad(ctx context.Context, id string) error {
	ctx, cancel := timeOfArm(ctx, id)
	defer cancel()
	return f.remove(ctx, armLabel+"="+id+","+roleLabel+"="+loadRole)
}
