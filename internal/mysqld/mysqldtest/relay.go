package mysqldtest

import (
	"net"
	"testing"
)

// Relay is a TCP proxy before a server at this address (net.Dial), for tests that disturb what passes between
// a client and the server. It returns the port on 127.0.0.1. Each client's connection is given to pass, with one to
// the server; both are closed when pass returns.
func Relay(t testing.TB, network, address string, pass func(client, server net.Conn)) (port int) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			server, err := net.Dial(network, address)
			if err != nil {
				_ = client.Close()
				continue
			}
			go func() {
				defer client.Close()
				defer server.Close()
				pass(client, server)
			}()
		}
	}()
	return l.Addr().(*net.TCPAddr).Port
}
