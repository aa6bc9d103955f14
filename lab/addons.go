// What the cluster has besides Kubernetes: the name service, volumes, and load balancers.
package main

import (
	"context"
	_ "embed"
	"fmt"
	"strings"
)

//go:embed manifests/coredns.yaml
var corednsManifest string

//go:embed manifests/storage.yaml
var storageManifest string

// volumesPerNode are local volumes of a class without a provisioner, each a
// directory of the node's.
const volumesPerNode = 12

func (l *lab) applyAddons(ctx context.Context) error {
	all := []string{strings.NewReplacer("DNS_SERVICE", dnsService, "DNS_IMAGE", dnsImage).Replace(corednsManifest), storageManifest}
	for _, n := range nodes {
		for i := range volumesPerNode {
			name := fmt.Sprintf("%s-%d", n.name, i+1)
			if err := makeDirs(l.in(n, "volumes", name)); err != nil {
				return err
			}
			all = append(all, volume(n, name))
		}
	}
	if _, err := l.kubectl(ctx, strings.Join(all, "\n---\n"), "apply", "-f", "-"); err != nil {
		return err
	}
	if err := l.daemon("balance", []string{l.path("bin", "lab"), "balance"}, nil); err != nil {
		return err
	}
	return l.daemon("volumes", []string{l.path("bin", "lab"), "volumes"}, nil)
}

func volume(n node, name string) string {
	return fmt.Sprintf(`apiVersion: v1
kind: PersistentVolume
metadata: {name: %s}
spec:
  capacity: {storage: 100Gi} # only compared with the size that a claim requests; the folder has no quota
  accessModes: [ReadWriteOnce]
  storageClassName: local
  persistentVolumeReclaimPolicy: Retain
  local: {path: /var/lib/volumes/%s}
  nodeAffinity: {required: {nodeSelectorTerms: [{matchExpressions: [{key: kubernetes.io/hostname, operator: In, values: [%s]}]}]}}`,
		name, name, n.name)
}

// waitReady returns when pods can be made and names are answered.
func (l *lab) waitReady(ctx context.Context) error {
	if _, err := l.kubectl(ctx, "", "wait", "node", "--all", "--for=condition=Ready", "--timeout="+startPatience.String()); err != nil {
		return err
	}
	if _, err := l.kubectl(ctx, "", "-n", "kube-system", "rollout", "status", "deployment/coredns", "--timeout="+startPatience.String()); err != nil {
		return err
	}
	// The account whose token every pod mounts is made by a controller.
	return l.until(ctx, startPatience, "the default service account is there", func() error {
		_, err := l.kubectl(ctx, "", "get", "serviceaccount", "default")
		return err
	})
}
