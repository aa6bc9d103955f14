// What the machine must have, said before anything is made.
package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// controllers that a kubelet needs: of cgroup v1 (kubernetes/kubernetes
// pkg/kubelet/cm/container_manager_linux.go, validateSystemRequirements), and of v2.
var (
	controllers1 = []string{"cpu", "cpuacct", "cpuset", "memory"}
	controllers2 = []string{"cpu", "cpuset", "memory", "pids"}
)

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
	errs = append(errs, missingControllers(cgroups)...)
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

// missingControllers says which controllers are not there, below the mount point of the cgroups.
func missingControllers(root string) (errs []error) {
	b, err := os.ReadFile(filepath.Join(root, controllersFile))
	if err == nil {
		has := strings.Fields(string(b))
		for _, c := range controllers2 {
			if !slices.Contains(has, c) {
				errs = append(errs, fmt.Errorf("cgroup controller %s is not in %s", c, filepath.Join(root, controllersFile)))
			}
		}
		return errs
	}
	for _, c := range controllers1 {
		if _, err := os.Stat(filepath.Join(root, c)); err != nil {
			errs = append(errs, fmt.Errorf("cgroup controller %s is not mounted at %s", c, filepath.Join(root, c)))
		}
	}
	return errs
}
