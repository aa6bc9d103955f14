package main

// The demo in a pod of the cluster, as `tare run --in-cluster` does it: it goes on while this machine sleeps or has no
// connection. Where that is not possible it is carried out from this machine.

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/target/kubernetes"
)

// insideRun is the demo as a run in a pod.
type insideRun struct {
	remote  *kubernetes.Remote
	run     kubernetes.InCluster
	program kubernetes.Program
	options clusterOptions
}

// Limits of the demo in a pod. A claim that no StorageClass provides a volume for stays as it is: after that time the run is
// carried out from here.
const (
	insideWithin = 2 * time.Minute
	insideEnds   = 3 * time.Minute // to end and remove a run after Ctrl-C
	insideVolume = "1Gi"           // a run directory has less than 100 MB, and tare's program
)

// inside prepares the demo for a pod. The error says why it is not possible; nothing is made.
func (o clusterFirst) inside(ctx context.Context, s kubernetes.Survey, run runOptions) (in insideRun, err error) {
	if run.metrics != "" {
		return in, errors.New("--metrics serves its figures here")
	}
	e, _, err := o.inPod().experiment(s)
	if err != nil {
		return in, err
	}
	if in.remote, err = kubernetes.ConnectRemote(o.at); err != nil {
		return in, err
	}
	if err := fitsInside(e, in.remote.Namespace()); err != nil {
		return in, err
	}
	in.options = clusterOptions{at: o.at, image: o.clientImage, delete: true}
	in.run = kubernetes.InCluster{Name: runName(o.name), Image: o.clientImage, Size: insideVolume}
	if o.clientImage == "" {
		if in.program, err = in.options.streamed(e, &in.run); err != nil {
			return in, err
		}
	}
	return in, in.remote.Check(ctx, in.run)
}

// inPod makes the experiment that of a pod, which has no kubeconfig.
func (o clusterFirst) inPod() clusterFirst {
	o.inCluster = true
	return o
}

// carriedOut says whether the run depends on this machine, because of what keeps it from a pod.
func carriedOut(here error) string {
	if here != nil {
		return fmt.Sprintf("The run is carried out from this machine, and ends if it sleeps or loses the connection: %v.", here)
	}
	return "The run is carried out by a pod of the cluster, with a volume of " + insideVolume + ": this machine may sleep or lose the connection."
}

// begin starts the pod and gives it its program. Nothing is left where that fails.
func (in *insideRun) begin(ctx context.Context, t *terminal) error {
	limit, cancel := context.WithTimeoutCause(ctx, insideWithin, fmt.Errorf("its pod did not run within %v; the claim of its volume may need a default StorageClass", insideWithin))
	defer cancel()
	name, err := in.remote.Start(limit, in.run, io.Discard) // its note, that nodes cannot be read, is about cpu: max, which the demo has not
	if err != nil {
		return err
	}
	in.run.Name = name
	if err := in.remote.Provide(limit, name, in.program, t.err); err != nil {
		return errors.Join(err, in.end(ctx, t))
	}
	return nil
}

// end stops the run and removes it with all that it made.
func (in *insideRun) end(ctx context.Context, t *terminal) error {
	limit, cancel := context.WithTimeout(context.WithoutCancel(ctx), insideEnds)
	defer cancel()
	return errors.Join(in.remote.Stop(limit, in.run.Name), in.remote.Remove(limit, in.run.Name, nil, t.err), in.remote.TellArms(limit, t.err))
}

// carryOut runs the demo in a pod, and as e from here where the pod does not come to run.
func (in *insideRun) carryOut(ctx context.Context, t *terminal, o clusterFirst, s kubernetes.Survey, e *experiment.Experiment, run runOptions) error {
	own, f, err := o.inPod().experiment(s)
	if err != nil {
		return err
	}
	in.run.Experiment, in.run.Away, in.run.CPU = own.Source, f.Node, f.load // load pods send the load, and their node is to be theirs
	if err := in.begin(ctx, t); err != nil {
		if ctx.Err() != nil {
			return err
		}
		fmt.Fprintf(t.err, "the run is carried out from this machine, and ends with it: %v\n", err)
		return startRun(ctx, t, e, run)
	}
	fmt.Fprintf(t.err, "run %s goes on in namespace %s without this machine; Ctrl-C ends it. After a lost connection, continue with: %s\n", in.run.Name, in.remote.Namespace(), again(in.remote, in.run.Name))
	err = followAndFetch(ctx, t, in.remote, in.run.Name, run, in.options)
	if err != nil && ctx.Err() != nil {
		fmt.Fprintf(t.err, "ending run %s\n", in.run.Name)
		return endedAndRemoved(context.Cause(ctx), in.end(ctx, t))
	}
	return err
}

// endedAndRemoved is the end of a demo by a signal: nothing is left, or what kept it from being removed.
func endedAndRemoved(cause, left error) error {
	if left != nil {
		return errors.Join(cause, left)
	}
	return allRemoved{cause}
}
