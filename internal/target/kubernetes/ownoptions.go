package kubernetes

// The options of the server that the user's manifests set: in an option file of a ConfigMap or a Secret, or on the
// command line of the container.

import (
	"context"
	"maps"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/tarebench/tare/internal/keys"
	"github.com/tarebench/tare/internal/record"
)

// ownOptions are the facts of these options, by what the server says of where it has each from.
func (s *server) ownOptions() []record.Fact {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	origins, err := optionOrigins(ctx, s.Address(), "")
	if err != nil {
		return []record.Fact{{Key: keys.ManifestsOptions, Source: "the server's variables", Unknown: err.Error()}}
	}
	return s.optionsOfManifests(origins)
}

func (s *server) optionsOfManifests(origins map[string]origin) []record.Fact {
	var facts []record.Fact
	for _, name := range slices.Sorted(maps.Keys(origins)) {
		now := origins[name]
		if first, ok := s.target.origins[name]; ok && now.user == s.account.User && first.value == now.value {
			now = first // tare has set it for a session since
		}
		if s.setByManifests(name, now) {
			facts = append(facts, record.Fact{Key: keys.ManifestsOptionPrefix + name, Value: s.target.settings.whose(), Source: now.words()})
		}
	}
	return facts
}

// setByManifests tells whether the manifests have an option. The data directory is a volume too, and what SET PERSIST
// wrote there is not of the manifests.
func (s *server) setByManifests(name string, o origin) bool {
	switch o.source {
	case "COMMAND_LINE", "COMMAND-LINE":
		return s.startedBy(name)
	case "PERSISTED", "DYNAMIC", "SQL":
		return false
	}
	return o.path != "" && s.mounted(o.path) && !s.onClaim(o.path)
}

// onClaim tells whether a file of the server's container is on a claim or on the node: with the data, not the manifests.
func (s *server) onClaim(file string) bool {
	v := s.volumeOf(file)
	return v == nil || v.PersistentVolumeClaim != nil || v.HostPath != nil || v.Ephemeral != nil
}

// volumeOf is the pod's volume that has a file of the server's container: that of the longest mount path.
func (s *server) volumeOf(file string) *corev1.Volume {
	longest, name := -1, ""
	for _, m := range s.serverContainer().VolumeMounts {
		if isUnder(file, m.MountPath) && len(m.MountPath) > longest {
			longest, name = len(m.MountPath), m.Name
		}
	}
	i := slices.IndexFunc(s.pod.Spec.Volumes, func(v corev1.Volume) bool { return v.Name == name })
	if longest < 0 || i < 0 {
		return nil
	}
	return &s.pod.Spec.Volumes[i]
}
