package layer

import (
	"context"
	"errors"
	"os"
)

// security are the layers that say what the server's process may do.
func security() []Layer {
	return []Layer{
		{Name: "security", Setting: "seccomp: RuntimeDefault", Attribute: "seccomp", Help: "the container runtime's filter of every system call", Probe: seccompHere},
		{Name: "security", Setting: "noNewPrivileges: true", Attribute: "privileges", Help: "no new privileges for programs that the server starts (allowPrivilegeEscalation: false)"},
		{Name: "security", Setting: "capabilities: none", Attribute: "capabilities", Help: "no capability, not even of root's programs (drop: [ALL])"},
	}
}

// seccompHere: the kernel says which actions its filters have.
func seccompHere(context.Context) error {
	if _, err := os.Stat("/proc/sys/kernel/seccomp/actions_avail"); err != nil {
		return errors.New("this kernel has no seccomp filters (CONFIG_SECCOMP_FILTER)")
	}
	return nil
}
