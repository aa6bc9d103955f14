package kubernetes

// Pods of one cluster that load the servers of all arms, wherever those are
// (load.from): what is compared then has the same generators on the same nodes.

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/tarebench/tare/internal/node"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/target"
)

// FromSettings are those of load.from. What an arm's own load has as well is called the
// same and means the same.
type FromSettings struct {
	// Kubeconfig, Context and Namespace say where the pods are, as in an arm.
	Kubeconfig string `yaml:"kubeconfig"`
	Context    string `yaml:"context"`
	Namespace  string `yaml:"namespace"`
	// Image has tare as its entry point. BaseImage has a shell, and tare's program is streamed
	// into its pods: one of Programs, which are files for the architectures of nodes, or this tare.
	Image     string   `yaml:"image"`
	BaseImage string   `yaml:"baseImage"`
	Programs  []string `yaml:"programs"`
	// Clients is the number of pods; 0 means one.
	Clients int `yaml:"clients"`
	// NodeSelector are labels of the nodes that the pods may be on, Tolerate accepts any
	// taint of theirs.
	NodeSelector map[string]string `yaml:"nodeSelector"`
	Tolerate     bool              `yaml:"tolerate"`
	// CPURequest is that of each pod.
	CPURequest node.CPU `yaml:"cpuRequest"`
}

func (s FromSettings) contradictions() []error {
	errs := s.nameContradictions()
	if s.Image == "" && s.BaseImage == "" {
		errs = append(errs, target.Wrong("baseImage", "the image is missing; write baseImage: mysql:8.4 or another image with a shell, into whose pods tare streams its program, or image: registry.example.com/tare:1"))
	}
	if s.Image != "" && (s.BaseImage != "" || len(s.Programs) > 0) {
		errs = append(errs, target.Wrong("image", "an image with tare needs no stream; leave image out, or baseImage and programs"))
	}
	if s.Clients < 0 {
		errs = append(errs, target.Wrong("clients", "%d is not a number of pods; write 1 or more", s.Clients))
	}
	if s.CPURequest < 0 || s.CPURequest == node.MaxCPU {
		errs = append(errs, target.Wrong("cpuRequest", "expected an amount, such as 500m"))
	}
	return append(errs, selectorContradictions(s.NodeSelector)...)
}

// asArm has the settings that load pods of an arm have too.
func (s FromSettings) asArm() Settings {
	return Settings{Clients: max(1, s.Clients), ClientImage: s.Image, BaseImage: s.BaseImage, Programs: s.Programs}
}

// supply is how the pods get tare's program.
func (s FromSettings) supply() supply { return s.asArm().supply(s.BaseImage) }

// selectorContradictions are labels that no node can have.
func selectorContradictions(selector map[string]string) []error {
	var errs []error
	for _, key := range slices.Sorted(maps.Keys(selector)) {
		wrong := append(validation.IsQualifiedName(key), validation.IsValidLabelValue(selector[key])...)
		if len(wrong) > 0 {
			errs = append(errs, target.Wrong("nodeSelector", "%.80q is not a label of a node: %s", key+"="+selector[key], strings.Join(wrong, "; ")))
		}
	}
	return errs
}

// from are the pods of all arms' load.
type from struct {
	settings  FromSettings
	cluster   *cluster
	id, owner string
	problem   error // why there is no cluster to talk to
}

// newFrom reads the settings that decode fills in, and finds the cluster.
func newFrom(decode func(into any) error) (*from, error) {
	f := &from{}
	if err := decode(&f.settings); err != nil {
		return nil, err
	}
	if errs := f.settings.contradictions(); len(errs) > 0 {
		return nil, errors.Join(errs...)
	}
	f.settings.Clients = max(1, f.settings.Clients)
	f.cluster, f.problem = connect(Where{f.settings.Kubeconfig, f.settings.Context, f.settings.Namespace})
	return f, nil
}

// NewLoad makes the load of all arms whose settings decode fills in. It sends nothing.
func NewLoad(decode func(into any) error) (*target.Load, error) {
	f, err := newFrom(decode)
	if err != nil {
		return nil, err
	}
	if f.id, f.owner, err = identity(); err != nil {
		return nil, err
	}
	l := &target.Load{
		Place: f.place(), Generators: f.settings.Clients, Check: f.check, Generate: f.generate, Facts: f.facts,
		Stop: f.stop, Release: f.release, Render: f.render, Resume: f.resume, Note: f.note, Unremoved: f.cluster.unremoved,
	}
	if f.cluster != nil {
		l.Cluster = f.cluster.config.Host
	}
	return l, nil
}

// place is where the pods are, in words.
func (f *from) place() string {
	if len(f.settings.NodeSelector) == 0 {
		return podsOf(f.cluster)
	}
	return podsOf(f.cluster) + " on nodes with " + labels.Set(f.settings.NodeSelector).String()
}

// loaders are the pods of one trial. Those of a round by slices are there at once, so that each has names of its own.
func (f *from) loaders(trial string) loaders {
	m := metav1.ObjectMeta{
		Name: f.id + "-load-" + trial, Namespace: f.cluster.namespace, Annotations: map[string]string{ownerAnnotation: f.owner},
		Labels: map[string]string{managedLabel: fieldManager, armLabel: f.id, instanceLabel: trial, roleLabel: loadRole},
	}
	s := f.settings
	return loaders{cluster: f.cluster, meta: m, trial: trial, count: s.Clients, supply: s.supply(), nodes: s.NodeSelector, tolerate: s.Tolerate, request: s.CPURequest}
}

func (f *from) generate(ctx context.Context, instance string, job []byte, line func(int, []byte) error) error {
	if f.problem != nil {
		return f.problem
	}
	return f.loaders(instance).generate(ctx, job, line)
}

func (f *from) facts(ctx context.Context, instance string) []record.Fact {
	return f.loaders(instance).facts(ctx)
}

// fromKinds are the kinds of objects that this load makes, owners before what they own.
var fromKinds = []schema.GroupVersionResource{jobs, pods, secrets}

func (f *from) stop(ctx context.Context, instance string) error {
	return f.remove(ctx, armLabel+"="+f.id+","+instanceLabel+"="+instance)
}

func (f *from) release(ctx context.Context) error {
	if f.cluster == nil { // nothing was ever made
		return nil
	}
	if err := f.remove(ctx, armLabel+"="+f.id); err != nil {
		return err
	}
	f.cluster.holds.removed()
	return nil
}

func (f *from) remove(ctx context.Context, selector string) error {
	if f.cluster == nil { // nothing was ever made
		return nil
	}
	if err := f.cluster.removeAll(ctx, fromKinds, selector); err != nil {
		return fmt.Errorf("remove the load's pods: %w", err)
	}
	return nil
}

// check asks for the permissions, has the objects admitted without being made, and looks
// for nodes with the labels.
func (f *from) check(ctx context.Context) []error { return unavailable(f.checkAll(ctx)) }

func (f *from) checkAll(ctx context.Context) []error {
	if f.problem != nil {
		return []error{target.FieldError{Field: "kubeconfig", Err: f.problem}}
	}
	missing, err := f.cluster.missing(ctx, rightsOf(loadPermissions(), f.settings.asArm()))
	if err != nil {
		return []error{target.FieldError{Field: "kubeconfig", Err: f.cluster.asked(err)}}
	}
	if len(missing) > 0 {
		return []error{target.FieldError{Field: "kubeconfig", Err: lacking(f.cluster.namespace, missing, applyRole)}}
	}
	if err := f.settings.asArm().checkPrograms(); err != nil {
		return []error{err}
	}
	l := f.loaders("check")
	if err := f.cluster.admit(ctx, secrets, l.meta.Name, l.secret(nil)); err != nil {
		return []error{target.FieldError{Field: "namespace", Err: f.cluster.explain(err)}}
	}
	if err := f.cluster.admit(ctx, jobs, l.meta.Name, l.job(longestLoad)); err != nil {
		return []error{f.cluster.explain(err)}
	}
	a, err := f.cluster.admission(ctx)
	if err != nil {
		return []error{target.FieldError{Field: "namespace", Err: fmt.Errorf("look for quotas and ranges: %w", err)}}
	}
	if why := a.refusesLoad(l); why != "" {
		return []error{target.Wrong("clients", "%s; leave load.from out, so that the load comes from this machine", why)}
	}
	return f.checkNodes(ctx)
}

// checkNodes looks for a node with the labels, where nodes may be listed.
func (f *from) checkNodes(ctx context.Context) []error {
	if len(f.settings.NodeSelector) == 0 {
		return nil
	}
	selector := labels.Set(f.settings.NodeSelector).String()
	found, err := list[corev1.Node](ctx, f.cluster.scoped(nodes), "nodes", metav1.ListOptions{LabelSelector: selector})
	switch {
	case apierrors.IsForbidden(err):
		return nil
	case err != nil:
		return []error{target.FieldError{Field: "nodeSelector", Err: err}}
	case len(found) == 0:
		return []error{target.Wrong("nodeSelector", "no node of cluster %s has the labels %s", f.cluster.config.Host, selector)}
	}
	return nil
}

// render is the load of a trial as YAML, with names and a password that are placeholders.
func (f *from) render() (string, error) {
	named := *f
	named.id, named.owner = renderedID("load"), ""
	if named.cluster == nil {
		namespace := f.settings.Namespace
		if namespace == "" {
			namespace = "tare"
		}
		named.cluster = &cluster{namespace: namespace}
	}
	l := named.loaders(renderedTrial)
	objects, err := loosely(l.secret([]byte(renderedJob)), l.job(longestLoad))
	if err != nil {
		return "", err
	}
	for _, u := range objects {
		tidy(u)
	}
	return documents(nil, objects)
}
