package probe

import (
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"
)

// Wanted says which server of a machine is meant, by one of two marks.
type Wanted struct {
	// Container is the identifier that the container runtime has given. Runtimes and
	// kubelets put it into the name of the container's cgroup.
	Container string
	// Variable is an entry of the server's environment, for one that is in no
	// container: "TARE_INSTANCE=t1". A process of the same user can read it.
	Variable string
}

// Find is the process of that server as the machine below root numbers it. A reader
// in a process namespace of its own finds nothing there.
func Find(root fs.FS, w Wanted) (pid int, err error) {
	entries, err := fs.ReadDir(root, "proc")
	if err != nil {
		return 0, fmt.Errorf("find server: %w", err)
	}
	servers := 0
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil || !isServer(root, pid) {
			continue
		}
		servers++
		if w.is(Place{Root: root, PID: pid}) {
			return pid, nil
		}
	}
	return 0, fmt.Errorf("find server: none of the %d that run on this machine is that of %s%s", servers, w.Container, w.Variable)
}

// isServer goes by the program's name, which the kernel cuts at 15 bytes.
func isServer(root fs.FS, pid int) bool {
	name, err := read(root, Place{PID: pid}.proc("comm"))
	return err == nil && IsServerName(strings.TrimSpace(name))
}

// IsServerName says whether a program of this name, as the kernel has it (comm), is a database server.
func IsServerName(name string) bool { return name == "mysqld" || name == "mariadbd" }

func (w Wanted) is(p Place) bool {
	if w.Container != "" {
		text, err := read(p.Root, p.proc("cgroup"))
		return err == nil && strings.Contains(text, w.Container)
	}
	text, err := read(p.Root, p.proc("environ"))
	return err == nil && w.Variable != "" && slices.Contains(strings.Split(text, "\x00"), w.Variable)
}
