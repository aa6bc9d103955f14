package kubernetes

// A second interface of the pods, which Multus adds: the load's packets use it in place of the
// cluster's network.

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/tarebench/tare/internal/target"
	"github.com/tarebench/tare/internal/target/kubernetes/cni"
)

// linkName is what Linux calls links: up to 15 characters (IFNAMSIZ, dev_valid_name).
var linkName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.-]{0,14}$`)

// interfaceContradictions are those of interface, attachment and attachmentResource.
func (s Settings) interfaceContradictions() []error {
	var errs []error
	wrong := func(field, format string, args ...any) {
		errs = append(errs, target.Wrong(field, format, args...))
	}
	if s.Interface == "" {
		for _, f := range []settingField{{"attachment", s.Attachment != ""}, {"attachmentResource", s.AttachmentResource != ""}} {
			if f.set {
				wrong(f.name, "no interface is attached; write interface: net1, or leave %s out", f.name)
			}
		}
		return errs
	}
	switch {
	case !linkName.MatchString(s.Interface):
		wrong("interface", "%.40q is not the name of an interface; write interface: net1", s.Interface)
	case slices.Contains([]string{"lo", "eth0"}, s.Interface):
		wrong("interface", "%s is an interface that every pod has; write interface: net1", s.Interface)
	}
	if s.Attachment == "" {
		wrong("attachment", "name the NetworkAttachmentDefinition: attachment: macvlan-conf, or NAMESPACE/NAME")
	}
	if strings.Count(s.Attachment, "/") > 1 {
		wrong("attachment", "%.80q is not a name; write NAME or NAMESPACE/NAME", s.Attachment)
	}
	if s.HostNetwork || s.Bare {
		wrong("interface", "a server in its node's network has the node's interfaces; leave interface out, or hostNetwork and bare")
	}
	if s.Client != "" {
		wrong("interface", "a client in the server's pod uses no interface of it; leave interface or client out")
	}
	if s.Address != "" && s.Address != podAddress {
		wrong("address", "packets to a Service's or a node's address arrive at the pod's first interface; leave address out")
	}
	return errs
}

// attached are the annotations of a pod that gets the interface; nil without one
// (Kubernetes Network Custom Resource Definition De-facto Standard, version 1.3, section 4.1.2).
func (s Settings) attached() map[string]string {
	if s.Interface == "" {
		return nil
	}
	selection := struct {
		Name      string `json:"name"`
		Namespace string `json:"namespace,omitempty"`
		Interface string `json:"interface"`
	}{Name: s.Attachment, Interface: s.Interface}
	if namespace, name, ok := strings.Cut(s.Attachment, "/"); ok {
		selection.Namespace, selection.Name = namespace, name
	}
	text, err := json.Marshal([]any{selection})
	if err != nil {
		panic(err) // strings alone
	}
	return map[string]string{cni.NetworksAnnotation: string(text)}
}

// withDevice adds the device plugin's resource, of which an SR-IOV interface is one. Such
// resources have requests that equal their limits.
func withDevice(r corev1.ResourceRequirements, device string) corev1.ResourceRequirements {
	if device == "" {
		return r
	}
	name := corev1.ResourceName(device)
	out := *r.DeepCopy()
	for _, list := range []*corev1.ResourceList{&out.Requests, &out.Limits} {
		if *list == nil {
			*list = corev1.ResourceList{}
		}
		(*list)[name] = resource.MustParse("1")
	}
	return out
}

// interfaceAddress is the pod's address on that interface, as Multus reports it.
func interfaceAddress(pod *corev1.Pod, name string) (string, error) {
	all, err := cni.Attachments(pod.Annotations)
	if err != nil {
		return "", err
	}
	var have []string
	for _, a := range all {
		if a.Interface == name && len(a.IPs) > 0 {
			return a.IPs[0], nil
		}
		if a.Interface != "" {
			have = append(have, a.Interface)
		}
	}
	if all == nil {
		return "", fmt.Errorf("find interface %s: pod %s has no annotation %s; is Multus installed in the cluster?", name, pod.Name, cni.StatusAnnotation)
	}
	return "", fmt.Errorf("find interface %s: pod %s has no address on it; its interfaces are %q", name, pod.Name, have)
}
