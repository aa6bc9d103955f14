package kubernetes

// Names that no cluster takes, by the rules of the API server: they show before it is asked.

import (
	"strings"

	"github.com/google/go-containerregistry/pkg/name"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/tarebench/tare/internal/target"
)

// namedField is a field with a name, what kind of name it is, and the rule for that kind.
type namedField struct {
	field, value, what string
	wrong              func(string) []string
}

// nameContradictions are the names of an arm that are none.
func (s Settings) nameContradictions() []error {
	fields := []namedField{
		{"namespace", s.Namespace, "a namespace", validation.IsDNS1123Label},
		{"probeNamespace", s.ProbeNamespace, "a namespace", validation.IsDNS1123Label},
		{"node", s.Node, "the name of a node", nodeName},
		{"clientNode", s.ClientNode, "the name of a node", nodeName},
		{"storageClass", s.StorageClass, "the name of a StorageClass", validation.IsDNS1123Subdomain},
		{"priorityClass", s.PriorityClass, "the name of a PriorityClass", validation.IsDNS1123Subdomain},
		{"image", s.Image, "an image reference", imageReference},
		{"clientImage", s.ClientImage, "an image reference", imageReference},
		{"baseImage", s.BaseImage, "an image reference", imageReference},
		{"server.service", s.Server.Service, "the name of a Service", validation.IsDNS1035Label},
		{"server.secret", s.Server.Secret, "the name of a Secret", validation.IsDNS1123Subdomain},
		{"server.passwordKey", s.Server.PasswordKey, "a key of a Secret", validation.IsConfigMapKey},
		{"server.userKey", s.Server.UserKey, "a key of a Secret", validation.IsConfigMapKey},
	}
	return wrongNames(fields)
}

// nameContradictions are the names of load.from that are none.
func (s FromSettings) nameContradictions() []error {
	return wrongNames([]namedField{
		{"namespace", s.Namespace, "a namespace", validation.IsDNS1123Label},
		{"image", s.Image, "an image reference", imageReference},
		{"baseImage", s.BaseImage, "an image reference", imageReference},
	})
}

func wrongNames(fields []namedField) []error {
	var errs []error
	for _, f := range fields {
		if f.value == "" {
			continue
		}
		if wrong := f.wrong(f.value); len(wrong) > 0 {
			rule, _, _ := strings.Cut(wrong[0], " (e.g. ") // what follows is a regular expression
			errs = append(errs, target.Wrong(f.field, "%.80q is not %s: %s", f.value, f.what, rule))
		}
	}
	return errs
}

// nodeName is also the value of the label by which a pod is bound to a node.
func nodeName(s string) []string {
	return append(validation.IsDNS1123Subdomain(s), validation.IsValidLabelValue(s)...)
}

// imageReference is read as the kubelet's library does it (distribution/reference), whose grammar
// is the one of this library.
func imageReference(s string) []string {
	if _, err := name.ParseReference(s); err != nil {
		return []string{"write [REGISTRY/]NAME[:TAG], such as mysql:8.4 or registry.example.com/mysql:8.4"}
	}
	return nil
}
