package node

import (
	"errors"
	"fmt"
	"os/exec"

	"golang.org/x/sys/unix"
)

// CheckBlock asks for what a volume on a block device of its own needs.
func CheckBlock() error {
	if _, err := exec.LookPath("mkfs.ext4"); err != nil {
		return errors.New("a block volume needs mkfs.ext4; install it (apt install e2fsprogs)")
	}
	if err := unix.Access("/dev/loop-control", unix.R_OK|unix.W_OK); err != nil {
		return fmt.Errorf("a block volume needs loop devices: open /dev/loop-control: %w; load the kernel module loop, as root", err)
	}
	return nil
}
