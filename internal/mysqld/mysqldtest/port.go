package mysqldtest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"testing"

	"github.com/tarebench/tare/internal/lock"
)

// FreePort is a TCP port that nothing listens on and that no other test is given until
// this one ends. It lies below the ports that the kernel chooses from (ip_local_port_range,
// ip(7)): one of those, released, can be another program's before a server of this test
// binds it.
func FreePort(t testing.TB) int {
	t.Helper()
	first, end := ports()
	err := errors.New("no port")
	for i, from := 0, rand.IntN(end-first); i < end-first; i++ {
		port := first + (from+i)%(end-first)
		var release func()
		if release, err = hold(port); err == nil {
			t.Cleanup(release)
			return port
		}
	}
	t.Fatalf("find a free port of %d to %d: %v", first, end-1, err)
	return 0
}

// ports are 20000 to 29999 or, where the kernel chooses from those, the 10000 below its
// own. Kubernetes' node ports begin at 30000.
func ports() (first, end int) {
	first, end = 20000, 30000
	var lowest int
	text, _ := os.ReadFile("/proc/sys/net/ipv4/ip_local_port_range")
	if _, err := fmt.Sscan(string(text), &lowest); err == nil && lowest > 2048 && lowest < end {
		first, end = max(1024, lowest-10000), lowest
	}
	return first, end
}

// hold locks the port's file, as long as this process lives at most, and looks whether
// the port is free.
func hold(port int) (release func(), err error) {
	path := filepath.Join(os.TempDir(), fmt.Sprintf("tare-test-port-%d", port))
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := take(f); err != nil {
		f.Close()
		return nil, err
	}
	release = func() {
		os.Remove(path) // while it is locked: see lock
		f.Close()
	}
	l, err := net.Listen("tcp", fmt.Sprintf(":%d", port))
	if err != nil {
		release()
		return nil, err
	}
	l.Close()
	return release, nil
}

// take does not wait. A file that its holder removed after it was opened here is no
// lock: another test creates the next one of that name.
func take(f *os.File) error {
	if err := lock.Try(f); err != nil {
		return fmt.Errorf("lock %s: %w", f.Name(), err)
	}
	opened, err := f.Stat()
	if err != nil {
		return err
	}
	named, err := os.Stat(f.Name())
	if err != nil {
		return err
	}
	if !os.SameFile(opened, named) {
		return fmt.Errorf("lock %s: it was replaced", f.Name())
	}
	return nil
}
