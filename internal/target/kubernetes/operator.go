package kubernetes

// A database that an operator runs: what an arm says of it, and the objects that
// come of it. internal/operator knows the operators.

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/tarebench/tare/internal/node"
	"github.com/tarebench/tare/internal/operator"
	"github.com/tarebench/tare/internal/target"
)

// isOperator tells whether the arm's server is an operator's.
func (s Settings) isOperator() bool { return s.Operator != "" }

// loadBalancer and nodePort are types of a Service.
const (
	loadBalancer = "LoadBalancer"
	nodePort     = "NodePort"
)

// ordered is the descriptor, and what the arm asks of it.
func (s Settings) ordered(config map[string]string) (operator.Descriptor, operator.Settings, error) {
	d, err := operator.Find(s.Operator)
	if err != nil {
		return d, operator.Settings{}, target.FieldError{Field: "operator", Err: err}
	}
	o := operator.Settings{
		Variant: s.Variant, Via: s.Via, Members: s.Members, Image: s.Image, StorageClass: s.StorageClass, Config: config,
		Exposure: map[string]string{loadBalancerAddress: loadBalancer, nodeAddress: nodePort}[s.Address],
	}
	if s.CPU != 0 {
		o.CPU = s.CPU.String()
	}
	if s.Memory != 0 {
		o.Memory = s.Memory.String()
	}
	if s.VolumeSize != 0 {
		o.VolumeSize = s.VolumeSize.String()
	}
	if s.Resource != "" {
		o.Resource, err = readResource(s.Resource, d)
	}
	return d, o, err
}

// readResource reads the user's own resource, which has to be of the operator's kind.
func readResource(name string, d operator.Descriptor) (map[string]any, error) {
	wrong := func(err error) error { return target.FieldError{Field: "resource", Err: err} }
	f, err := os.Open(name)
	if err != nil {
		return nil, wrong(fmt.Errorf("read resource: %w", err))
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, 1<<20))
	if err != nil {
		return nil, wrong(fmt.Errorf("read resource: %w", err))
	}
	var fields map[string]any
	if err := yaml.Unmarshal(text, &fields); err != nil {
		return nil, wrong(fmt.Errorf("read resource %s: %w", name, err))
	}
	if kind, group := kindAndGroup(fields); kind != d.Kind || group != d.Group {
		return nil, wrong(fmt.Errorf("%s is a %s of %s, and operator %s needs one %s of %s in the file", name, cmp.Or(kind, "thing without a kind"), cmp.Or(group, "the core group"), d.Name, d.Kind, d.Group))
	}
	return fields, nil
}

func kindAndGroup(fields map[string]any) (kind, group string) {
	kind, _ = fields["kind"].(string)
	if api, _ := fields["apiVersion"].(string); strings.Contains(api, "/") {
		group, _, _ = strings.Cut(api, "/")
	}
	return kind, group
}

// operatorContradictions are those of an arm with an operator: the pod's shape is
// the operator's.
func (s Settings) operatorContradictions() []error {
	var errs []error
	wrong := func(field, format string, args ...any) {
		errs = append(errs, target.Wrong(field, format, args...))
	}
	for _, f := range []settingField{
		{"qos", s.QoS != ""}, {"cpuRequest", s.CPURequest != 0}, {"memoryRequest", s.MemoryRequest != 0}, {"seccomp", s.Seccomp != ""}, {"volume", s.Volume != ""},
		{"node", s.Node != ""}, {"nodeSelector", len(s.NodeSelector) > 0}, {"priorityClass", s.PriorityClass != ""}, {"hostNetwork", s.HostNetwork}, {"bare", s.Bare}, {hugePagesField, s.HugePages != 0},
		{"interface", s.Interface != ""}, {"attachment", s.Attachment != ""}, {"attachmentResource", s.AttachmentResource != ""},
		{"manifests", s.isOwn()}, {"server", s.Server != (Login{})}, {"tolerate", s.Tolerate},
	} {
		if f.set {
			wrong(f.name, "the pod is made by the operator; change its resource by an entry of patches, and leave %s out", f.name)
		}
	}
	if s.CPU == node.MaxCPU {
		wrong("cpu", "expected an amount, for example cpu: 4")
	}
	if s.Members < 0 {
		wrong("members", "the number of servers is 1 or more, not %d", s.Members)
	}
	if len(errs) > 0 {
		return errs
	}
	d, o, err := s.ordered(nil)
	if err != nil {
		return []error{err}
	}
	if _, err := d.Resource("tare-0", o); err != nil {
		return []error{asField(err)}
	}
	return nil
}

// asField gives an error that begins with a setting's name that field.
func asField(err error) error {
	var missing operator.NoField
	if errors.As(err, &missing) {
		return target.FieldError{Field: missing.Setting, Err: errors.New(strings.TrimPrefix(missing.Error(), missing.Setting+": "))}
	}
	if field, text, ok := strings.Cut(err.Error(), ": "); ok && !strings.Contains(field, " ") {
		return target.FieldError{Field: field, Err: errors.New(text)}
	}
	return err
}

// operatorOnly are settings of operators where there is none.
func (s Settings) operatorOnly() []error {
	var errs []error
	for _, f := range []settingField{{"resource", s.Resource != ""}, {"variant", s.Variant != ""}, {"members", s.Members != 0}, {"via", s.Via != ""}} {
		if f.set {
			errs = append(errs, target.Wrong(f.name, "it requires a database that an operator runs; write operator: NAME, or leave %s out", f.name))
		}
	}
	return errs
}

// operatorObjects are the arm's objects as YAML: the Secret with the login where the
// operator reads one, and the resource.
func (k *Kubernetes) operatorObjects(config map[string]string, password string) ([][]byte, error) {
	d, o, err := k.settings.ordered(config)
	if err != nil {
		return nil, err
	}
	var all []any
	if made := d.Made(k.id, password); made != nil {
		all = append(all, map[string]any{
			"apiVersion": "v1", "kind": "Secret", "metadata": map[string]any{"name": d.Account(k.id).Secret}, "stringData": made,
		})
	}
	resource, err := d.Resource(k.id, o)
	if err != nil {
		return nil, asField(err)
	}
	var texts [][]byte
	for _, object := range append(all, resource) {
		text, err := yaml.Marshal(object)
		if err != nil {
			return nil, fmt.Errorf("build resource: %w", err)
		}
		texts = append(texts, text)
	}
	return texts, nil
}

// CheckConfig says whether options of the server can be set for this arm.
func (k *Kubernetes) CheckConfig(config map[string]string) error {
	switch {
	case len(config) == 0:
		return nil
	case k.settings.isOwn():
		return target.Wrong("config", "options of the server are in the manifests; write them there or into patches, and leave config and database.config out")
	case k.settings.isOperator():
		d, o, err := k.settings.ordered(maps.Clone(config))
		if err == nil {
			_, err = d.Resource(k.id, o)
		}
		if err != nil {
			return asField(err)
		}
	}
	return nil
}
