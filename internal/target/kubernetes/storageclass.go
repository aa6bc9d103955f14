package kubernetes

// A StorageClass that the cluster does not have: no volume is made for a claim that names it.

import (
	"context"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"

	"github.com/tarebench/tare/internal/target"
)

// checkClass looks for the StorageClass that the arm names, where these credentials may.
func (k *Kubernetes) checkClass(ctx context.Context) error {
	name := k.settings.StorageClass
	if name == "" || !k.settings.makesClaim() {
		return nil
	}
	_, err := get[storagev1.StorageClass](ctx, k.cluster, storageClasses, name)
	switch {
	case apierrors.IsForbidden(err):
		k.classNote = "not checked, because StorageClasses may not be read: whether the cluster has the StorageClass " + name + ". Pods of a class that it does not have fail as not scheduled"
		return nil
	case apierrors.IsNotFound(err): // volumes made by hand can have the name of a class that is no object (Persistent Volumes, Class)
		k.classNote = "the cluster has no StorageClass " + name + ": pods with this class fail as not scheduled, unless there are volumes made by hand that name it. Classes: kubectl get storageclass"
		return nil
	case err != nil:
		return target.FieldError{Field: "storageClass", Err: fmt.Errorf("look for StorageClass %s: %w", name, k.cluster.explain(err))}
	}
	return nil
}

// classless says why no volume is made for a claim, "" where its StorageClass is there or that is not known. The words are those
// of the volume controller (pkg/controller/volume/persistentvolume, ProvisioningFailed).
func (c *cluster) classless(ctx context.Context, claim string) string {
	uid, err := c.uid(ctx, claims, claim)
	if err != nil || uid == "" { // the end of the time says it another way
		return ""
	}
	all, err := list[corev1.Event](ctx, c.scoped(events), "events", metav1.ListOptions{FieldSelector: fields.Set{
		"involvedObject.kind": claimKind, "involvedObject.name": claim, "involvedObject.uid": string(uid), "reason": "ProvisioningFailed",
	}.String()})
	if err != nil {
		return ""
	}
	for _, e := range all {
		if strings.HasPrefix(e.Message, "storageclass.storage.k8s.io ") && strings.HasSuffix(e.Message, " not found") {
			return e.Message
		}
	}
	return ""
}
