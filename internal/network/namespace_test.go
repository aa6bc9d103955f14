package network

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"golang.org/x/sys/unix"
)

// TestNamespaceBesideIP: the first "ip netns add" of a machine, in the middle of a
// run, buries none of the run's namespaces.
func TestNamespaceBesideIP(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("not root: no namespaces")
	}
	ip, err := exec.LookPath("ip")
	if err != nil {
		t.Skip("no ip(8) on this machine")
	}
	done := make(chan error)
	go func() {
		runtime.LockOSThread() // and never unlocked: the thread ends with its mounts
		done <- besideIP(ip)
	}()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// besideIP works on a /run of its own, where nobody has used ip netns before.
func besideIP(ip string) error {
	if err := unix.Unshare(unix.CLONE_FS | unix.CLONE_NEWNS); err != nil {
		return err
	}
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return err
	}
	if err := unix.Mount("tmpfs", "/run", "tmpfs", 0, ""); err != nil {
		return err
	}
	ours := filepath.Join(namespaceDir, "tare-test.node")
	if err := makeNamespace(ours); err != nil {
		return err
	}
	if err := exec.Command(ip, "netns", "add", "theirs").Run(); err != nil {
		return err
	}
	return removeNamespace(ours)
}
