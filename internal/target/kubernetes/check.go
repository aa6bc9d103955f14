package kubernetes

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	authv1 "k8s.io/api/authorization/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/tarebench/tare/internal/node"
	"github.com/tarebench/tare/internal/target"
)

// Check asks the cluster whether it is there, whether tare may do what it will
// have to, and whether the pod fits on a node. It changes nothing. What is wrong with the
// arm's files is CheckFiles' to say.
func (k *Kubernetes) Check(ctx context.Context) []error { return unavailable(k.check(ctx)) }

// unavailable marks the errors of an API server that does not answer, or not now.
func unavailable(errs []error) []error {
	for i, err := range errs {
		if unanswered(err) {
			errs[i] = target.Unavailable{Err: err}
		}
	}
	return errs
}

// unanswered tells what an API server's state causes from what a request or its sender does.
func unanswered(err error) bool {
	var status apierrors.APIStatus
	if errors.As(err, &status) {
		return retryable(err)
	}
	// client-go has no type for a credential plugin that fails (plugin/pkg/client/auth/exec, RoundTrip).
	var certificate *tls.CertificateVerificationError
	if errors.As(err, &certificate) || strings.Contains(err.Error(), "getting credentials: ") {
		return false
	}
	var sent *url.Error // also of an address that cannot be read
	return errors.As(err, &sent) && sent.Op != "parse"
}

func (k *Kubernetes) check(ctx context.Context) []error {
	if err := ctx.Err(); err != nil {
		return []error{fmt.Errorf("check target kubernetes: %w", err)}
	}
	if k.problem != nil {
		return []error{target.FieldError{Field: "kubeconfig", Err: k.problem}}
	}
	missing, err := k.cluster.missing(ctx, rightsOf(runPermissions(), k.settings))
	if err != nil {
		return []error{target.FieldError{Field: "kubeconfig", Err: k.cluster.asked(err)}}
	}
	if all := rightsOf(runPermissions(), k.settings); len(missing) > 0 && len(missing) == len(all) {
		return []error{target.FieldError{Field: "kubeconfig", Err: noRights(k.cluster.namespace)}}
	}
	if len(missing) > 0 {
		return []error{target.FieldError{Field: "kubeconfig", Err: lacking(k.cluster.namespace, missing, applyRole)}}
	}
	if err := k.checkProbes(ctx); err != nil {
		return []error{err}
	}
	if err := k.settings.checkPrograms(); err != nil {
		return []error{err}
	}
	if err := k.checkAdmission(ctx); err != nil {
		return []error{err}
	}
	if !k.settings.makesServer() {
		if len(k.CheckFiles()) > 0 { // which are said by themselves
			return nil
		}
		if err := k.checkOwn(ctx); err != nil {
			return []error{err}
		}
		return nil
	}
	if err := k.checkClass(ctx); err != nil {
		return []error{err}
	}
	if err := k.checkFree(ctx); err != nil {
		return []error{err}
	}
	return nil
}

// missing asks the API server for each right (SelfSubjectAccessReview, which
// everyone may send and which nothing keeps).
func (c *cluster) missing(ctx context.Context, rights []right) ([]right, error) {
	reviews := c.dynamic.Resource(authv1.SchemeGroupVersion.WithResource("selfsubjectaccessreviews"))
	var missing []right
	for _, r := range rights {
		fields, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&authv1.SelfSubjectAccessReview{
			TypeMeta: metav1.TypeMeta{APIVersion: "authorization.k8s.io/v1", Kind: "SelfSubjectAccessReview"},
			Spec: authv1.SelfSubjectAccessReviewSpec{ResourceAttributes: &authv1.ResourceAttributes{
				Namespace: c.namespace, Verb: r.verb, Group: r.group, Resource: r.resource, Subresource: r.subresource,
			}},
		})
		if err != nil {
			return nil, fmt.Errorf("ask for rights: %w", err)
		}
		answer, err := reviews.Create(ctx, &unstructured.Unstructured{Object: fields}, metav1.CreateOptions{})
		if err != nil {
			return nil, fmt.Errorf("ask for rights: %w", err)
		}
		review, err := typed[authv1.SelfSubjectAccessReview](answer.Object)
		if err != nil {
			return nil, err
		}
		if !review.Status.Allowed {
			missing = append(missing, r)
		}
	}
	return missing, nil
}

// checkFree holds the pod's requests against what the nodes can still give. It
// needs to see nodes and all their pods, and where it may not, the scheduler
// will tell.
func (k *Kubernetes) checkFree(ctx context.Context) error {
	found, err := k.vacancies(ctx)
	if apierrors.IsForbidden(err) && k.settings.CPU != node.MaxCPU {
		k.roomUnknown = true
		return nil
	}
	if apierrors.IsForbidden(err) {
		return target.FieldError{Field: "cpu", Err: fmt.Errorf("look for free resources on the nodes: %w; cpu: max needs the capability nodes of docs/kubernetes-rbac.yaml, which an administrator grants: without it write an amount instead of max", err)}
	}
	if err != nil {
		return target.FieldError{Field: "cpu", Err: fmt.Errorf("look for free resources on the nodes: %w", err)}
	}
	if err := k.settings.checkHugePages(found); err != nil {
		return err
	}
	if err := k.settings.checkArchitectures(found); err != nil {
		return err
	}
	most, err := k.mostCPU(ctx)
	if err != nil {
		return target.FieldError{Field: "cpu", Err: err}
	}
	want := k.settings.requirements(most).Request
	forLoads, err := k.vacanciesOn(ctx, onNode(k.settings.ClientNode))
	if err != nil {
		return target.FieldError{Field: "clientCPURequest", Err: fmt.Errorf("look for free resources on the nodes: %w", err)}
	}
	k.findRoom(found, forLoads, want)
	for _, v := range found {
		if v.closed == "" && v.free().CPU >= want.CPU && v.free().Memory >= want.Memory {
			return nil
		}
	}
	if len(found) == 0 && len(k.settings.nodes()) > 0 {
		field := "node"
		if len(k.settings.NodeSelector) > 0 {
			field = "nodeSelector"
		}
		return target.Wrong(field, "no node has the labels %s", labels.Set(k.settings.nodes()))
	}
	short := fmt.Errorf("0 of %d nodes have enough free resources: requested %dm CPU and %v of memory; %s", len(found), want.CPU, mebibytes(want.Memory), describe(found))
	if slices.ContainsFunc(found, func(v vacancy) bool { return v.allocatable.CPU >= want.CPU && v.allocatable.Memory >= want.Memory }) {
		short = target.Unavailable{Err: short} // other pods may end, and a node be uncordoned
	}
	return target.FieldError{Field: "cpu", Err: short}
}
