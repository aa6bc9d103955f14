package kubernetes

// A trial on the user's own manifests: apply them, find the server's pod behind
// its Service, and remove all but the volumes at the end.

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/tarebench/tare/internal/mysqld"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/target"
)

// applyOwn makes the objects of the manifests. What is there already and is not
// this run's stays as it is, and nothing is made.
func (s *server) applyOwn(ctx context.Context) error {
	if len(s.request.Config) > 0 {
		return errors.New("set options of the server: they are in the manifests; write them there or into patches, and leave database.config out")
	}
	b, err := s.target.build(s.target.cluster.namespace, nil)
	if err != nil {
		return err
	}
	kinds, err := s.target.cluster.kinds(b.objects)
	if err != nil {
		return err
	}
	s.sha256 = b.sha256
	for i, u := range b.objects {
		if err := s.target.notForeign(ctx, kinds[i], u); err != nil {
			return err
		}
	}
	if err := s.target.markKinds(ctx, kinds); err != nil {
		return err
	}
	for i, u := range b.objects {
		s.target.sign(u, s.request.Name)
		if err := s.target.cluster.apply(ctx, kinds[i], u.GetName(), u); err != nil {
			return err
		}
	}
	return nil
}

// notForeign refuses an object that somebody else has made.
func (k *Kubernetes) notForeign(ctx context.Context, kind schema.GroupVersionResource, u *unstructured.Unstructured) error {
	var there *unstructured.Unstructured
	err := retry(ctx, func() (err error) {
		there, err = k.cluster.scoped(kind).Get(ctx, u.GetName(), metav1.GetOptions{})
		return err
	})
	switch {
	case apierrors.IsNotFound(err):
		return nil
	case err != nil:
		return fmt.Errorf("look for %s %s: %w", u.GetKind(), u.GetName(), k.cluster.explain(err))
	case there.GetLabels()[armLabel] == "":
		return errors.New(record.ForeignObject.Say(u.GetKind(), u.GetName(), k.cluster.namespace))
	case there.GetAnnotations()[ownerAnnotation] != k.owner && there.GetLabels()[armLabel] != k.id:
		return errors.New(record.OtherRun.Say(u.GetKind(), u.GetName(), k.cluster.namespace, k.cluster.namespace))
	}
	return nil
}

// sign puts the owner on an object, and the trial's name on what goes with the
// trial. What is lasting stays, and so do the claims that a StatefulSet makes.
func (k *Kubernetes) sign(u *unstructured.Unstructured, instance string) {
	label := func(fields map[string]any, key, value string) {
		if _, ok := fields["metadata"].(map[string]any); !ok {
			fields["metadata"] = map[string]any{}
		}
		v := unstructured.Unstructured{Object: fields}
		l := v.GetLabels()
		if l == nil {
			l = map[string]string{}
		}
		l[key] = value
		v.SetLabels(l)
	}
	notes := u.GetAnnotations()
	if notes == nil {
		notes = map[string]string{}
	}
	notes[ownerAnnotation] = k.owner
	u.SetAnnotations(notes)
	if !lasting(u) && instance != "" {
		label(u.Object, instanceLabel, instance)
	}
	spec, _ := u.Object["spec"].(map[string]any) // a Secret has none
	if template, ok := spec["template"].(map[string]any); ok && instance != "" {
		label(template, instanceLabel, instance)
	}
	claims, _ := spec["volumeClaimTemplates"].([]any) // kustomize labels pods and no claims
	for _, c := range claims {
		if fields, ok := c.(map[string]any); ok {
			label(fields, armLabel, k.id)
		}
	}
}

// ownPod waits until a pod behind the Service is ready, as its own probes say.
func (s *server) ownPod(ctx context.Context) error {
	within := s.within()
	limit, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	service, err := s.target.ownService(limit)
	if err != nil {
		return err
	}
	var asks refusing
	var waited wait
	asked := time.Now() // whether the pods may be made
	for {
		found, err := s.ownPods(limit, service)
		if err != nil && !retryable(err) && limit.Err() == nil {
			return s.target.cluster.explain(err)
		}
		for i := range found {
			if isReady(&found[i]) {
				return s.takePod(ctx, &found[i], service) // a load balancer has more time
			}
		}
		for i := range found {
			if why := stuck(&found[i]); why != "" {
				return s.unstarted(ctx, &found[i], errors.New(record.PodStuck.Say(found[i].Name, advised(why))))
			}
		}
		if len(found) == 0 && time.Since(asked) > 2*time.Second {
			asked = time.Now()
			why := s.ownRefused(limit)
			s.waits(&waited, why)
			if err := asks.see(why, time.Now()); err != nil {
				return err
			}
		}
		if err := pause(limit, pollEvery); err != nil {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			return s.ownLate(ctx, service, found, within)
		}
	}
}

// ownRefused says why the controllers of the manifests' workloads may not make their pods, "" while they may or where that
// is not known.
func (s *server) ownRefused(ctx context.Context) string {
	c := s.target.cluster
	for _, of := range []struct {
		kind string
		gvr  schema.GroupVersionResource
	}{{"StatefulSet", statefulSets}, {"ReplicaSet", statefulSets.GroupVersion().WithResource("replicasets")}} {
		found, err := list[metav1.PartialObjectMetadata](ctx, c.scoped(of.gvr), of.gvr.Resource, metav1.ListOptions{LabelSelector: instanceLabel + "=" + s.request.Name})
		if err != nil {
			continue
		}
		for _, o := range found {
			if why := c.refused(ctx, of.kind, of.gvr, o.Name); why != "" {
				return why
			}
		}
	}
	return ""
}

// ownPods are those of this trial behind the Service, by name.
func (s *server) ownPods(ctx context.Context, service *corev1.Service) ([]corev1.Pod, error) {
	selector := labels.Set(service.Spec.Selector).String() + "," + instanceLabel + "=" + s.request.Name
	found, err := list[corev1.Pod](ctx, s.target.cluster.scoped(pods), "pods", metav1.ListOptions{LabelSelector: selector})
	slices.SortFunc(found, func(a, b corev1.Pod) int { return strings.Compare(a.Name, b.Name) })
	return found, err
}

func isReady(pod *corev1.Pod) bool {
	return slices.ContainsFunc(pod.Status.Conditions, func(c corev1.PodCondition) bool {
		return c.Type == corev1.PodReady && c.Status == corev1.ConditionTrue
	}) && pod.DeletionTimestamp == nil
}

// ownLate says why there is no ready pod at the end of the time.
func (s *server) ownLate(ctx context.Context, service *corev1.Service, found []corev1.Pod, within time.Duration) error {
	if len(found) > 0 {
		s.name = found[0].Name
		s.requirements = podRequirements(found[0])
		return s.unstarted(ctx, &found[0], s.late(ctx, &found[0], within))
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	said, err := s.target.cluster.events(ctx, "", "")
	if err != nil {
		said = record.WarningsUnread.Say(err.Error())
	}
	return errors.New(record.NoPodBehind.Say(service.Name, within.String(), labels.Set(service.Spec.Selector).String(), advised(said)))
}

// takePod keeps what is known of the server once its pod is ready.
func (s *server) takePod(ctx context.Context, pod *corev1.Pod, service *corev1.Service) error {
	port, err := s.target.settings.Server.port(service)
	if err != nil {
		return err
	}
	s.pod, s.name, s.requirements = pod, pod.Name, podRequirements(*pod)
	s.target.cluster.holds.starts(s.request.Name, pod.Name)
	s.container, s.serverPort, err = containerAt(pod, port.TargetPort)
	if err != nil {
		return err
	}
	s.restarts = restartsOf(pod, s.container) // it may have been started again before it was ready
	s.at, err = s.exposed(ctx, service, port)
	return err
}

// containerAt is the container that has the port, or else the first: a port that
// no container declares is as good.
func containerAt(pod *corev1.Pod, at intstr.IntOrString) (string, int, error) {
	for _, c := range pod.Spec.Containers {
		for _, p := range c.Ports {
			if at.Type == intstr.String && p.Name == at.StrVal || at.Type == intstr.Int && p.ContainerPort == at.IntVal {
				return c.Name, int(p.ContainerPort), nil
			}
		}
	}
	if at.Type == intstr.String {
		return "", 0, fmt.Errorf("find the server: no container of pod %s has the port %q of the Service", pod.Name, at.StrVal)
	}
	return pod.Spec.Containers[0].Name, int(at.IntVal), nil
}

// ownService is the one that leads to the server.
func (k *Kubernetes) ownService(ctx context.Context) (*corev1.Service, error) {
	name := k.settings.Server.Service
	if name == "" {
		found, err := list[corev1.Service](ctx, k.cluster.scoped(services), "services", metav1.ListOptions{LabelSelector: k.selector()})
		if err != nil {
			return nil, k.cluster.explain(err)
		}
		if len(found) != 1 {
			return nil, fmt.Errorf("find the server: the manifests have %d Services; write server: {service: NAME}", len(found))
		}
		name = found[0].Name
	}
	v, err := get[corev1.Service](ctx, k.cluster, services, name)
	if err != nil {
		return nil, err
	}
	if len(v.Spec.Selector) == 0 {
		return nil, fmt.Errorf("find the server: Service %s selects no pods", name)
	}
	return v, nil
}

// ownPort is the server's among those of its Service.
func (l Login) port(v *corev1.Service) (corev1.ServicePort, error) {
	want := int32(l.Port)
	for _, p := range v.Spec.Ports {
		if want != 0 && p.Port == want || want == 0 && (p.Name == "mysql" || len(v.Spec.Ports) == 1) {
			if p.TargetPort == (intstr.IntOrString{}) { // not defaulted by the server yet
				p.TargetPort = intstr.FromInt32(p.Port)
			}
			return p, nil
		}
	}
	var ports []string
	for _, p := range v.Spec.Ports {
		ports = append(ports, strconv.Itoa(int(p.Port)))
	}
	if want != 0 {
		return corev1.ServicePort{}, fmt.Errorf("find the server: Service %s has no port %d; it has %s", v.Name, want, strings.Join(ports, ", "))
	}
	return corev1.ServicePort{}, fmt.Errorf("find the server: Service %s has the ports %s, and none has the name mysql; write server: {port: NUMBER}", v.Name, strings.Join(ports, ", "))
}

// secretIsRight is [server.logIn] before the wait for a pod: a wrong name of a key is
// said at once. What the API server itself says waits: a Secret that is not there yet may
// be an operator's to make.
func (s *server) secretIsRight(ctx context.Context) error {
	err := s.logIn(ctx)
	if status := apierrors.APIStatus(nil); errors.As(err, &status) {
		return nil
	}
	return err
}

// logIn reads user and password out of the Secret.
func (s *server) logIn(ctx context.Context) error {
	l := s.target.settings.Server
	if l.Secret == "" {
		return s.logInByEnvironment(ctx)
	}
	secret, err := get[corev1.Secret](ctx, s.target.cluster, secrets, l.Secret)
	if err != nil {
		return record.ReadPassword.Wrap(err)
	}
	password, ok := secret.Data[l.PasswordKey]
	if !ok {
		return errors.New(record.ReadPassword.Say(record.NoKeySet.Say(l.Secret, strconv.Quote(l.PasswordKey), "server: {passwordKey: KEY}")))
	}
	user := l.User
	if l.UserKey != "" {
		b, ok := secret.Data[l.UserKey]
		if !ok {
			return fmt.Errorf("read the server's user: Secret %s has no key %q", l.Secret, l.UserKey)
		}
		user = string(b)
	}
	s.account = mysqld.Address{User: user, Password: string(password), Schema: l.Schema}
	return nil
}

// makeSchema makes tare's schema, which the load and every later connection want.
func (s *server) makeSchema(ctx context.Context) error {
	at := s.Address()
	at.Schema = ""
	if err := mysqld.Ready(ctx, at, s.request.ReadyWithin, s.Alive); err != nil {
		return err
	}
	db, err := mysqld.Open(at)
	if err != nil {
		return err
	}
	defer func(db *sql.DB) { _ = db.Close() }(db) // only reads would be lost
	if err := mysqld.CreateSchema(ctx, db, s.account.Schema); err != nil {
		return err
	}
	s.target.onNode = s.hasHostPath()
	return nil
}

// hasHostPath is whether the pod has data in a directory of its node.
func (s *server) hasHostPath() bool {
	return slices.ContainsFunc(s.pod.Spec.Volumes, func(v corev1.Volume) bool { return v.HostPath != nil })
}

// dropOnNode drops tare's schema from a server whose data stay on a node: claims go
// with the arm, a directory that the manifests name does not. The server runs once more
// for that.
func (k *Kubernetes) dropOnNode(ctx context.Context) (err error) {
	if !k.onNode || !k.settings.isOwn() {
		return nil
	}
	started, err := k.Start(ctx, target.Request{Name: k.id + "-end", ReadyWithin: 5 * time.Minute})
	if err != nil {
		return fmt.Errorf("drop schema %s: %w", k.settings.Server.Schema, err)
	}
	defer func() { err = errors.Join(err, started.Stop(context.WithoutCancel(ctx))) }()
	at := started.Address()
	at.Schema = ""
	db, err := mysqld.Open(at)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	if err := mysqld.DropSchema(ctx, db, k.settings.Server.Schema); err != nil {
		return err
	}
	k.onNode = false
	return nil
}

// kinds are the resources of objects, as the cluster calls them. Every one has to
// be of the namespace: what is everybody's is not tare's to make.
func (c *cluster) kinds(objects []*unstructured.Unstructured) ([]schema.GroupVersionResource, error) {
	mapper, err := c.mapper()
	if err != nil {
		return nil, err
	}
	var kinds []schema.GroupVersionResource
	for _, u := range objects {
		gvk := u.GroupVersionKind()
		m, err := mapper.RESTMapping(gvk.GroupKind(), gvk.Version)
		if err != nil {
			return nil, errors.New(record.NoKind.Say(u.GetKind(), u.GetName(), gvk.Kind, gvk.GroupVersion().String()))
		}
		if m.Scope.Name() != meta.RESTScopeNameNamespace {
			return nil, fmt.Errorf("%s %s belongs to the whole cluster, and tare makes objects in one namespace only: apply it yourself, and leave it out of the manifests", u.GetKind(), u.GetName())
		}
		kinds = append(kinds, m.Resource)
	}
	return kinds, nil
}
