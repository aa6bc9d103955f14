package kubernetes

// The user's own manifests in place of tare's StatefulSet: what an arm says of
// them.

import "github.com/tarebench/tare/internal/target"

// Patch changes the manifests for one arm, in kustomize's own form: a strategic
// merge patch that names its object, or a JSON patch (RFC 6902) with a target.
type Patch struct {
	Patch  string `yaml:"patch"`
	Path   string `yaml:"path"` // a file with it
	Target Select `yaml:"target"`
}

// Select says which objects a patch is for. Names are regular expressions.
type Select struct {
	Group              string `yaml:"group"`
	Version            string `yaml:"version"`
	Kind               string `yaml:"kind"`
	Name               string `yaml:"name"`
	LabelSelector      string `yaml:"labelSelector"`
	AnnotationSelector string `yaml:"annotationSelector"`
}

// Login says where in the manifests the server is, and who tare is there.
type Login struct {
	// Service leads to the server's pod; without one, the only Service there is.
	Service string `yaml:"service"`
	// Port is the Service's; without one, the one called mysql, or its only one.
	Port int `yaml:"port"`
	// Secret has the password under PasswordKey ("password") and, where UserKey is
	// given, the user under that. User is "root" without one. Without a Secret the
	// password is the one in the environment of the server's container.
	Secret      string `yaml:"secret"`
	PasswordKey string `yaml:"passwordKey"`
	UserKey     string `yaml:"userKey"`
	User        string `yaml:"user"`
	// Schema is tare's own on that server.
	Schema string `yaml:"schema"`
}

// ownSchema is that of [Login] where none is given: not the one that servers of
// tare's own have, because a user's may have that already.
const ownSchema = "tare_bench"

// isOwn tells whether the arm's server is the user's own manifests.
func (s Settings) isOwn() bool { return len(s.Manifests) > 0 }

// settingField is a field of the settings, and whether it is set.
type settingField struct {
	name string
	set  bool
}

// ownContradictions are those of an arm with manifests: the pod's shape is theirs.
func (s Settings) ownContradictions() []error {
	var errs []error
	wrong := func(field, format string, args ...any) {
		errs = append(errs, target.Wrong(field, format, args...))
	}
	for _, f := range []settingField{
		{"image", s.Image != ""}, {"qos", s.QoS != ""}, {"cpu", s.CPU != 0}, {"memory", s.Memory != 0}, {"cpuRequest", s.CPURequest != 0},
		{"memoryRequest", s.MemoryRequest != 0}, {"seccomp", s.Seccomp != ""}, {"volume", s.Volume != ""}, {"storageClass", s.StorageClass != ""},
		{"volumeSize", s.VolumeSize != 0}, {"node", s.Node != ""}, {"nodeSelector", len(s.NodeSelector) > 0}, {"priorityClass", s.PriorityClass != ""}, {"hostNetwork", s.HostNetwork}, {"bare", s.Bare}, {hugePagesField, s.HugePages != 0},
		{"interface", s.Interface != ""}, {"attachment", s.Attachment != ""}, {"attachmentResource", s.AttachmentResource != ""},
	} {
		if f.set {
			wrong(f.name, "the pod is that of the manifests; change it by an entry of patches, and leave %s out", f.name)
		}
	}
	if s.Server.Secret == "" && (s.Server.PasswordKey != "" || s.Server.UserKey != "") {
		wrong("server.secret", "passwordKey and userKey are keys of a Secret; add server: {secret: NAME}")
	}
	if s.Server.User != "" && s.Server.UserKey != "" {
		wrong("server.user", "user and userKey exclude each other; leave one out")
	}
	for _, p := range s.Patches {
		if (p.Patch == "") == (p.Path == "") {
			wrong("patches", "expected either patch: | with text, or path: NAME with a file")
		}
	}
	return errs
}

// foreignContradictions are settings of manifests where there are none.
func (s Settings) foreignContradictions() []error {
	if len(s.Patches) > 0 {
		return []error{target.Wrong("patches", "there is nothing to patch; write manifests: DIRECTORY, or settings of the pod")}
	}
	if s.Server != (Login{}) {
		return []error{target.Wrong("server", "server requires manifests; write manifests: DIRECTORY, or leave server out")}
	}
	return nil
}

func (l Login) defaulted() Login {
	if l.PasswordKey == "" {
		l.PasswordKey = "password"
	}
	if l.User == "" {
		l.User = "root"
	}
	if l.Schema == "" {
		l.Schema = ownSchema
	}
	return l
}

// claimKind is what holds data: such objects stay from trial to trial.
const claimKind = "PersistentVolumeClaim"
