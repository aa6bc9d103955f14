package container

// What the server's process may do: system calls, new privileges, capabilities.

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/containerd/containerd/v2/contrib/seccomp"
	specs "github.com/opencontainers/runtime-spec/specs-go"
	"github.com/prometheus/procfs"

	"github.com/tarebench/tare/internal/keys"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/target"
)

// The seccomp profiles, by the words of a pod's securityContext.
const (
	unconfined     = "Unconfined"
	runtimeDefault = "RuntimeDefault"
)

// Capabilities are those a container has: written as default, for a container
// runtime's set, none, or names with commas.
type Capabilities struct {
	set   bool
	names []string // CAP_CHOWN
}

// UnmarshalText reads default, none or names, with or without CAP_.
func (c *Capabilities) UnmarshalText(b []byte) error {
	*c = Capabilities{}
	switch string(b) {
	case "default":
		return nil
	case "none":
		c.set = true
		return nil
	}
	for word := range strings.SplitSeq(string(b), ",") {
		name := "CAP_" + strings.TrimPrefix(strings.ToUpper(strings.TrimSpace(word)), "CAP_")
		if !slices.Contains(defaultCapabilities(), name) && !slices.Contains([]string{"CAP_SYS_NICE", "CAP_IPC_LOCK", "CAP_SYS_RESOURCE"}, name) {
			return fmt.Errorf("%.40q is not a capability that a database may have; write default, none, or names such as SYS_NICE, IPC_LOCK or SYS_RESOURCE", word)
		}
		c.names = append(c.names, name)
	}
	c.set = true
	return nil
}

// defaultCapabilities are CRI's default set.
func defaultCapabilities() []string {
	return []string{
		"CAP_CHOWN", "CAP_DAC_OVERRIDE", "CAP_FSETID", "CAP_FOWNER", "CAP_MKNOD", "CAP_NET_RAW", "CAP_SETGID",
		"CAP_SETUID", "CAP_SETFCAP", "CAP_SETPCAP", "CAP_NET_BIND_SERVICE", "CAP_SYS_CHROOT", "CAP_KILL", "CAP_AUDIT_WRITE",
	}
}

// oci are the sets of a process. A user other than root keeps none of them at
// execve(2); they bound what it could get.
func (c Capabilities) oci() *specs.LinuxCapabilities {
	names := defaultCapabilities()
	if c.set {
		names = slices.Clone(c.names)
	}
	return &specs.LinuxCapabilities{Bounding: names, Effective: names, Permitted: names}
}

// security is what a process of the container may do.
type security struct {
	seccomp         string
	noNewPrivileges bool
	capabilities    Capabilities
}

func (s Settings) security() security {
	return security{seccomp: s.Seccomp, noNewPrivileges: s.NoNewPrivileges, capabilities: s.Capabilities}
}

// confine puts the bounds into a container's configuration. The profile is
// containerd's: what RuntimeDefault means there depends on the capabilities.
func (c security) confine(spec *specs.Spec) *specs.Spec {
	c.bound(spec.Process)
	if c.seccomp == runtimeDefault {
		spec.Linux.Seccomp = seccomp.DefaultProfile(spec)
	}
	return spec
}

// bound puts them into one process's. The filter is the container's.
func (c security) bound(p *specs.Process) {
	p.Capabilities, p.NoNewPrivileges = c.capabilities.oci(), c.noNewPrivileges
}

// securityContradictions are the settings that no machine could satisfy.
func (s Settings) securityContradictions() []error {
	if s.Seccomp != "" && s.Seccomp != unconfined && s.Seccomp != runtimeDefault {
		return []error{target.Wrong("seccomp", "%.40q is not a profile; write RuntimeDefault, or Unconfined for none", s.Seccomp)}
	}
	return nil
}

// securityFacts are the capabilities as the kernel has them; filter and privileges
// stand with the process's other facts.
func (s *server) securityFacts() []record.Fact {
	facts := []record.Fact{
		{Key: keys.ContainerCapabilitiesBounding, Source: fmt.Sprintf("/proc/%d/status", s.pid)},
		{Key: keys.ContainerSeccomp, Value: cmp.Or(s.security.seccomp, unconfined), Source: "experiment.yaml"},
	}
	p, err := procfs.NewProc(s.pid)
	if err != nil {
		facts[0].Unknown = err.Error()
		return facts
	}
	status, err := p.NewStatus()
	if err != nil {
		facts[0].Unknown = err.Error()
		return facts
	}
	facts[0].Value = strconv.FormatUint(status.CapBnd, 16)
	return facts
}
