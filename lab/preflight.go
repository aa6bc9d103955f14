// What the machine must have, said before anything is made.
package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// controllers of cgroup v1 that a kubelet needs (kubernetes/kubernetes
// pkg/kubelet/cm/container_manager_linux.go, validateSystemRequirements).
var controllers = []string{"cpu", "cpuacct", "cpuset", "memory"}

// preflight says everything that is missing at once.
func preflight() error {
	var errs []error
	if os.Geteuid() != 0 {
		errs = append(errs, errors.New("the lab makes namespaces and cgroups; run it as root"))
	}
	for _, program := range []string{"ip", "nsenter", "containerd", "ctr", "runc", "etcd", "iptables", "nft", "mount", "conntrack"} {
		if _, err := exec.LookPath(program); err != nil {
			errs = append(errs, fmt.Errorf("%s is not installed; `make lab-up` installs what is missing", program))
		}
	}
	for _, c := range controllers {
		if _, err := os.Stat(filepath.Join("/sys/fs/cgroup", c)); err != nil {
			errs = append(errs, fmt.Errorf("cgroup controller %s is not mounted at /sys/fs/cgroup/%s: the lab's nodes use cgroup v1", c, c))
		}
	}
	systems, err := os.ReadFile("/proc/filesystems")
	if err != nil {
		errs = append(errs, fmt.Errorf("read file systems: %w", err))
	} else if !strings.Contains(string(systems), "\toverlay\n") {
		errs = append(errs, errors.New("the kernel has no overlay file system (CONFIG_OVERLAY_FS)"))
	}
	return errors.Join(append(errs, linkKinds()...)...)
}

// linkKinds tries every kind of link that the lab uses, in a namespace that is
// gone with the command.
func linkKinds() []error {
	var errs []error
	for kind, config := range map[string]string{"bridge": "CONFIG_BRIDGE", "veth": "CONFIG_VETH"} {
		if _, err := output(exec.Command("unshare", "-n", "ip", "link", "add", "try0", "type", kind)); err != nil {
			errs = append(errs, fmt.Errorf("the kernel cannot make a link of type %s (%s): %w", kind, config, err))
		}
	}
	return errs
}
