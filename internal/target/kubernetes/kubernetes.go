// Package kubernetes runs mysqld as a pod of a cluster: in a StatefulSet that tare
// creates, from the user's manifests, or through an operator.
//
// Every object it makes carries tare's labels and belongs to one arm of one run,
// so that Release at the end, and [Clean] after a crash, find all of them.
// Nothing else in the cluster is changed.
package kubernetes

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/tarebench/tare/internal/operator"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/target"
	"github.com/tarebench/tare/internal/target/event"
)

// Kubernetes is the target of one arm.
type Kubernetes struct {
	settings    Settings
	cluster     *cluster
	id          string                        // names the arm's objects; of this run alone
	owner       string                        // the note of this process, in JSON
	address     string                        // that the arm asks for, "" for the default
	problem     error                         // why there is no cluster to talk to
	kinds       []schema.GroupVersionResource // of its manifests, beside those of made
	probed      bool                          // a probe pod has been made
	password    string                        // of an operator's database, where tare makes its Secret
	left        []operator.Leaving            // what stays of that database when its resource is gone
	managed     bool                          // its resource has been applied
	room        *target.Room                  // what Check was told; nil where it may not ask
	roomUnknown bool                          // nodes may not be listed
	origins     map[string]origin             // of its server's options, before tare has set any for a session; nil if they could not be read
	onNode      bool                          // its manifests have data in a directory of a node, and tare a schema there

	admissionNotes []string           // what a LimitRange gives its pods that the arm does not set, and what Check may not see of that
	givenMemory    int64              // the memory limit among these, in bytes; 0 for none
	allowances     []target.Allowance // what the quotas leave, and what a database of the arm takes
	classNote      string             // what Check saw of its StorageClass: that there is none, or that none may be read

	resourceSHA256 string // of the objects of that database
}

// New makes the target of an arm whose settings decode fills in. It sends
// nothing: a cluster that cannot be reached is Check's to say.
func New(decode func(into any) error) (target.Target, error) {
	k, err := arm(decode)
	if err != nil {
		return nil, err // not a nil pointer in an interface
	}
	return k, nil
}

func arm(decode func(into any) error) (*Kubernetes, error) {
	k := &Kubernetes{}
	if err := decode(&k.settings); err != nil {
		return nil, err
	}
	if errs := k.settings.contradictions(); len(errs) > 0 {
		if k.settings.isOwn() { // all mistakes are shown at once
			errs = append(errs, k.CheckFiles()...)
		}
		return nil, errors.Join(errs...)
	}
	k.address = k.settings.Address
	k.settings = k.settings.defaulted()
	var err error
	if k.id, k.owner, err = identity(); err != nil {
		return nil, err
	}
	if k.password, err = randomPassword(); err != nil {
		return nil, err
	}
	k.cluster, k.problem = connect(Where{k.settings.Kubeconfig, k.settings.Context, k.settings.Namespace})
	return k, nil
}

// identity is a name for an arm's objects that no other run has, and the note of this
// process, in JSON.
func identity() (id, owner string, err error) {
	var random [4]byte
	if _, err := rand.Read(random[:]); err != nil {
		return "", "", fmt.Errorf("name arm: %w", err)
	}
	note, err := target.Self()
	if err != nil {
		return "", "", fmt.Errorf("name arm: %w", err)
	}
	b, err := json.Marshal(note)
	if err != nil {
		return "", "", fmt.Errorf("name arm: %w", err)
	}
	return "tare-" + hex.EncodeToString(random[:]), string(b), nil
}

// Data: the volume stays in the cluster from trial to trial. The start that is
// asked to initialise makes an empty server on it; every other begins with a
// copy of what that one left, made by the pod itself (see startScript).
// What is gone with the pod is created again in every trial.
func (k *Kubernetes) Data() target.Data {
	if k.settings.ephemeral() {
		return target.PerTrial
	}
	return target.InServer
}

// Start applies the arm's objects and waits until the server's container runs.
func (k *Kubernetes) Start(ctx context.Context, r target.Request) (target.Server, error) {
	s, err := k.start(ctx, r)
	if err != nil {
		return nil, err // not a nil pointer in an interface
	}
	return event.AloneIn(place{s}, s, r.Name, k.settings.events()), nil
}

func (k *Kubernetes) start(ctx context.Context, r target.Request) (_ *server, err error) {
	if err := errors.Join(ctx.Err(), k.problem); err != nil {
		return nil, record.StartPod.Wrap(err)
	}
	s := &server{target: k, request: r, name: k.id + "-0", container: containerName, serverPort: serverPort}
	made := "" // of the user's manifests and of operators, the name is not known yet
	if k.settings.makesServer() {
		made = s.name
	}
	k.cluster.holds.starts(r.Name, made)
	defer func() {
		if err != nil {
			// ctx may be what has ended; nothing of the server's may stay.
			bounded, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopWithin)
			defer cancel()
			err = errors.Join(err, s.Stop(bounded))
		}
	}()
	steps := []func(context.Context) error{s.secrets, s.apply, s.running, s.copied, s.address, s.reach, s.startNeighbour}
	switch {
	case k.settings.isOperator():
		steps = []func(context.Context) error{s.applyOperator, s.operatorReady, s.operatorLogIn, s.operatorServer, s.reach, s.makeSchema, s.firstOrigins}
	case k.settings.isOwn():
		steps = []func(context.Context) error{s.applyOwn, s.secretIsRight, s.ownPod, s.logIn, s.reach, s.makeSchema, s.firstOrigins, s.startNeighbour}
	}
	for _, step := range steps {
		if err := step(ctx); err != nil {
			return nil, record.StartPod.Wrap(err)
		}
	}
	return s, nil
}

// stopWithin bounds a stop that has no other limit.
const stopWithin = 90 * time.Second

// Release removes everything of the arm, its data with it.
func (k *Kubernetes) Release(ctx context.Context) error {
	if k.cluster == nil { // nothing was ever made
		return nil
	}
	if err := k.release(ctx); err != nil {
		return fmt.Errorf("remove %s from namespace %s: %w; what is left of it is removed by: tare clean --namespace %s", k.id, k.cluster.namespace, err, k.cluster.namespace)
	}
	k.cluster.holds.removed()
	return nil
}

func (k *Kubernetes) release(ctx context.Context) error {
	if err := k.dropOnNode(ctx); err != nil {
		after, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopWithin) // the time of ctx may have been spent on waiting for the server
		defer cancel()
		return errors.Join(err, k.cluster.removeAll(after, k.all(), k.selector()))
	}
	probes := make(chan error, 1) // a node that does not answer keeps them, and must not keep the rest
	go func() { probes <- k.removeProbesInTime(ctx) }()
	err := errors.Join(k.removeHostPath(ctx), k.removeOperator(ctx))
	if err == nil {
		err = k.cluster.removeAll(ctx, k.all(), k.selector())
	}
	return errors.Join(err, <-probes)
}

// probesWithin is how long a release waits for probe pods, which have seconds to end: what is
// released after the arm has the same limit.
const probesWithin = time.Minute

func (k *Kubernetes) removeProbesInTime(ctx context.Context) error {
	ctx, cancel := context.WithTimeoutCause(ctx, probesWithin, fmt.Errorf("not done within %s", probesWithin))
	defer cancel()
	return k.removeProbes(ctx, "")
}

// all are the kinds that the arm's objects are of.
func (k *Kubernetes) all() []schema.GroupVersionResource { return slices.Concat(k.kinds, made) }

// selector takes the arm's objects.
func (k *Kubernetes) selector() string { return armLabel + "=" + k.id }
