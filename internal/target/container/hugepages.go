package container

import (
	"errors"
	"fmt"
	"os/exec"

	"golang.org/x/sys/unix"
)

// noHugePages is the value of hugePages: in an arm.
const noHugePages = "never"

// start starts the runtime. A process has no transparent huge pages where the one
// that started it has none, also after execve(2) (PR_SET_THP_DISABLE(2const)): so
// tare does without for that moment, and the node's own setting stays as it is.
func (rt runtime) start(cmd *exec.Cmd) error {
	if !rt.noHugePages {
		return cmd.Start()
	}
	if err := unix.Prctl(unix.PR_SET_THP_DISABLE, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("do without huge pages: %w", err)
	}
	err := cmd.Start()
	if e := unix.Prctl(unix.PR_SET_THP_DISABLE, 0, 0, 0, 0); e != nil {
		err = errors.Join(err, fmt.Errorf("take huge pages again: %w", e))
	}
	return err
}
