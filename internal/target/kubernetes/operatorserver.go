package kubernetes

// The server of a database that an operator runs: its resource is applied once and
// lives for the run, every trial finds the pod that takes writes.

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/tarebench/tare/internal/mysqld"
	"github.com/tarebench/tare/internal/operator"
	"github.com/tarebench/tare/internal/record"
)

// clusterWithin bounds the time in which an operator makes a database. It is not the
// protocol's `ready`: three members that clone their data one after another take minutes.
const clusterWithin = 30 * time.Minute

// applyOperator makes the resource, once. What is marked first is found by Clean.
func (s *server) applyOperator(ctx context.Context) error {
	k := s.target
	if k.managed {
		return nil
	}
	d, _, err := k.settings.ordered(s.request.Config)
	if err != nil {
		return err
	}
	b, err := k.build(k.cluster.namespace, s.request.Config)
	if err != nil {
		return err
	}
	kinds, err := k.cluster.kinds(b.objects)
	if err != nil {
		return err
	}
	for i, u := range b.objects {
		if err := k.notForeign(ctx, kinds[i], u); err != nil {
			return err
		}
	}
	k.left = d.Left(k.id)
	if err := k.markKinds(ctx, kinds); err != nil {
		return err
	}
	for i, u := range b.objects {
		k.sign(u, "")
		if err := k.cluster.apply(ctx, kinds[i], u.GetName(), u); err != nil {
			return err
		}
	}
	k.managed, k.resourceSHA256 = true, b.sha256
	return nil
}

// operatorReady waits until the resource's status says that the database is ready.
func (s *server) operatorReady(ctx context.Context) error {
	k := s.target
	d, _, err := k.settings.ordered(nil)
	if err != nil {
		return err
	}
	kind, err := k.resourceKind(d)
	if err != nil {
		return err
	}
	limit, cancel := context.WithTimeout(ctx, clusterWithin)
	defer cancel()
	var b becoming
	var waiting []corev1.Pod
	var waited wait
	for {
		u, err := k.cluster.scoped(kind).Get(limit, k.id, metav1.GetOptions{})
		switch {
		case err == nil:
			if b.see(d.State(u.Object), time.Now()); b.last.Ready {
				s.resource = u
				return nil
			}
			if b.hasFailed(time.Now()) {
				return errors.New(record.OperatorFailed.Say(d.Kind, k.id, d.Title, failedFor.String(), s.why(ctx, b.last.Words, waiting)))
			}
		case !retryable(err) && limit.Err() == nil:
			err = k.cluster.explain(err)
			return record.LookAtObject.Wrap(err, d.Kind, k.id)
		}
		if found, err := s.operatorPods(limit, d); err == nil {
			waiting = found
			if why := refusedImage(found); why != "" {
				return errors.New(why)
			}
		}
		pending := b.pending(d.Kind+" "+k.id, waiting)
		s.waitsWith(&waited, pending, func() string { return k.cluster.saidLast(limit, waiting) })
		if err := pause(limit, pollEvery*5); err != nil {
			if ctx.Err() != nil {
				return awaiting(pending, context.Cause(ctx))
			}
			return s.operatorLate(ctx, d, b.last, waiting)
		}
	}
}

// why is what a status says, and of a container that ends again and again its last lines.
func (s *server) why(ctx context.Context, words string, found []corev1.Pod) string {
	if c := crashing(found); c != nil {
		return words + "; " + c.String() + s.target.cluster.saidLast(ctx, found)
	}
	return words
}

// refusedImage is why a pod will never start. Containers that end and start again are
// not among it: members of a cluster do until the first of them is there.
func refusedImage(found []corev1.Pod) string {
	for i := range found {
		if why := stuck(&found[i]); strings.HasPrefix(why, "InvalidImageName") || strings.HasPrefix(why, "ErrImageNeverPull") || strings.HasPrefix(why, "ImagePullBackOff") {
			return record.PodStuck.Say(found[i].Name, advised(why))
		}
	}
	return ""
}

// operatorLate says why there is no database at the end of the time.
func (s *server) operatorLate(ctx context.Context, d operator.Descriptor, last operator.State, found []corev1.Pod) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	said, err := s.target.cluster.events(ctx, "", "")
	if err != nil {
		said = record.WarningsUnread.Say(err.Error())
	}
	words := last.Words
	if words == "" {
		words = record.StatusUnset.Say(s.target.cluster.namespace)
	}
	return errors.New(record.OperatorLate.Say(d.Kind, s.target.id, clusterWithin.String(), s.why(ctx, words, found), advised(said)))
}

// operatorPods are the pods with servers, by name.
func (s *server) operatorPods(ctx context.Context, d operator.Descriptor) ([]corev1.Pod, error) {
	selector := labels.Set(d.Selector(s.target.id)).String()
	found, err := list[corev1.Pod](ctx, s.target.cluster.scoped(pods), "pods", metav1.ListOptions{LabelSelector: selector})
	slices.SortFunc(found, func(a, b corev1.Pod) int { return strings.Compare(a.Name, b.Name) })
	return found, err
}

// operatorLogIn reads the login, which some operators make after the resource.
func (s *server) operatorLogIn(ctx context.Context) error {
	d, o, err := s.target.settings.ordered(nil)
	if err != nil {
		return err
	}
	l := d.Account(s.target.id)
	limit, cancel := context.WithTimeout(ctx, s.within())
	defer cancel()
	for {
		secret, err := get[corev1.Secret](limit, s.target.cluster, secrets, l.Secret)
		if err == nil {
			s.account, err = accountIn(secret, l)
			return err
		}
		if !apierrors.IsNotFound(err) && !retryable(err) && limit.Err() == nil {
			err = s.target.cluster.explain(err)
			return record.ReadPassword.Wrap(err)
		}
		if pause(limit, pollEvery) != nil {
			if o.Resource != nil {
				err = record.OwnSecret.Wrap(err, l.Secret)
			}
			return record.ReadPassword.Error(err, record.NoSecret.Say(d.Title, l.Secret, err.Error()))
		}
	}
}

// accountIn is the login that a Secret has.
func accountIn(secret *corev1.Secret, l operator.Login) (mysqld.Address, error) {
	a := mysqld.Address{User: l.User, Schema: ownSchema}
	for key, into := range map[string]*string{l.UserKey: &a.User, l.PasswordKey: &a.Password} {
		if key == "" {
			continue
		}
		value, ok := secret.Data[key]
		if !ok {
			return a, errors.New(record.ReadPassword.Say(record.NoKey.Say(secret.Name, strconv.Quote(key))))
		}
		*into = string(value)
	}
	return a, nil
}

// operatorServer finds the pod that takes writes, and where clients connect.
func (s *server) operatorServer(ctx context.Context) error {
	d, o, err := s.target.settings.ordered(nil)
	if err != nil {
		return err
	}
	limit, cancel := context.WithTimeout(ctx, s.within())
	defer cancel()
	for {
		found, err := s.operatorPods(limit, d)
		if err != nil && !retryable(err) && limit.Err() == nil {
			return s.target.cluster.explain(err)
		}
		for i := range found {
			if isReady(&found[i]) && labels.SelectorFromSet(d.Primary(o)).Matches(labels.Set(found[i].Labels)) {
				return s.takeOperatorPod(ctx, &found[i], d, o) // a load balancer has more time
			}
		}
		if pause(limit, pollEvery) != nil {
			return errors.New(record.FindServer.Say(record.NoPodReady.Say(fmt.Sprint(len(found)), labels.Set(d.Selector(s.target.id)).String(), fmt.Sprint(d.Primary(o)), s.within().String())))
		}
	}
}

func (s *server) takeOperatorPod(ctx context.Context, pod *corev1.Pod, d operator.Descriptor, o operator.Settings) error {
	s.pod, s.name, s.requirements = pod, pod.Name, podRequirements(*pod)
	s.target.cluster.holds.starts(s.request.Name, pod.Name)
	s.container, s.serverPort = d.Pods.Container, serverPort
	s.restarts = restartsOf(pod, s.container) // the pod has lived through earlier trials
	name, port, err := d.Service(s.target.id, o.Via, d.MembersOf(s.resource.Object))
	if err != nil {
		return err
	}
	service, err := get[corev1.Service](ctx, s.target.cluster, services, name)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(service.Spec.Ports, func(p corev1.ServicePort) bool { return int(p.Port) == port })
	if i < 0 && s.target.settings.Address != podAddress && service.Spec.ClusterIP != corev1.ClusterIPNone {
		return fmt.Errorf("find the server: Service %s has no port %d", name, port)
	}
	exposed := corev1.ServicePort{Port: int32(port)}
	if i >= 0 {
		exposed = service.Spec.Ports[i]
	}
	s.at, err = s.exposed(ctx, service, exposed)
	return err
}
