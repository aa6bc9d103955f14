package mysqldtest

import (
	"net"
	"strconv"
	"testing"
)

// TestFreePort: a port is given once while its test lives, and not while something
// listens on it.
func TestFreePort(t *testing.T) {
	var port int
	t.Run("lives", func(t *testing.T) {
		port = FreePort(t)
		if first, end := ports(); port < first || port >= end {
			t.Errorf("port %d is not of %d to %d", port, first, end-1)
		}
		if _, err := hold(port); err == nil {
			t.Errorf("port %d is given twice", port)
		}
		l, err := net.Listen("tcp", "127.0.0.1:"+strconv.Itoa(port))
		if err != nil {
			t.Fatal(err)
		}
		l.Close()
	})
	l, err := net.Listen("tcp", "127.0.0.1:"+strconv.Itoa(port))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := hold(port); err == nil {
		t.Errorf("port %d is given while a server listens", port)
	}
	l.Close()
	release, err := hold(port)
	if err != nil {
		t.Fatalf("port %d is not given again: %v", port, err)
	}
	release()
}
