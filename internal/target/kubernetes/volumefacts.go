package kubernetes

// What the API server knows of the volumes of the server's pod: their size and their class, whose
// parameters have the limits (IOPS, throughput) that no cgroup shows.

import (
	"context"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/tarebench/tare/internal/keys"
	"github.com/tarebench/tare/internal/record"
)

var storageClasses = storagev1.SchemeGroupVersion.WithResource("storageclasses")

// volumeFacts are those of the claims that the server's pod mounts. With several claims, the
// keys have the names of the pod's volumes.
func (s *server) volumeFacts(ctx context.Context) []record.Fact {
	volumes := map[string]string{} // by the names of their claims
	for _, v := range s.pod.Spec.Volumes {
		if v.PersistentVolumeClaim != nil {
			volumes[v.PersistentVolumeClaim.ClaimName] = v.Name
		}
	}
	if len(volumes) == 0 {
		return nil
	}
	all, err := list[corev1.PersistentVolumeClaim](ctx, s.target.cluster.scoped(claims), "persistentvolumeclaims", metav1.ListOptions{})
	if err != nil {
		return []record.Fact{{Key: keys.PodVolumeClass, Unknown: err.Error()}}
	}
	var facts []record.Fact
	for _, claim := range all {
		volume, mounted := volumes[claim.Name]
		if !mounted {
			continue
		}
		key := keys.PodVolumePrefix
		if len(volumes) > 1 {
			key += volume + "."
		}
		facts = append(facts, s.claimFacts(ctx, key, claim)...)
	}
	return facts
}

// claimFacts are those of one claim and its class. A class that a volume made by hand names
// need not exist.
func (s *server) claimFacts(ctx context.Context, key string, claim corev1.PersistentVolumeClaim) []record.Fact {
	source := "claim " + claim.Name
	size := claim.Status.Capacity.Storage()
	if size.IsZero() {
		size = claim.Spec.Resources.Requests.Storage()
	}
	facts := []record.Fact{{Key: key + "size", Value: size.String(), Source: source}}
	if name := claim.Spec.VolumeAttributesClassName; name != nil {
		facts = append(facts, record.Fact{Key: key + "attributes_class", Value: *name, Source: source})
	}
	name := claim.Spec.StorageClassName
	if name == nil || *name == "" {
		return facts
	}
	facts = append(facts, record.Fact{Key: key + "class", Value: *name, Source: source})
	source = "StorageClass " + *name
	class, err := get[storagev1.StorageClass](ctx, s.target.cluster, storageClasses, *name)
	switch {
	case apierrors.IsNotFound(err):
		return facts
	case err != nil:
		return append(facts, record.Fact{Key: key + "provisioner", Source: source, Unknown: record.NoPermission.Say(err.Error())})
	}
	facts = append(facts, record.Fact{Key: key + "provisioner", Value: class.Provisioner, Source: source})
	for _, parameter := range slices.Sorted(maps.Keys(class.Parameters)) {
		facts = append(facts, record.Fact{Key: key + "parameter." + parameter, Value: class.Parameters[parameter], Source: source})
	}
	return facts
}
