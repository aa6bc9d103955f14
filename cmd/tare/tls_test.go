package main

import (
	"bytes"
	"net"
	"strconv"
	"strings"
	"testing"
)

// TestNoLoginInTheClear: to an address that is not this machine's loopback, no
// login is sent to a server without TLS, unless the user says so.
func TestNoLoginInTheClear(t *testing.T) {
	t.Setenv("MYSQL_PWD", "canary-in-the-clear")
	at := elsewhere(t)
	for _, c := range []struct {
		args []string
		sent bool
	}{
		{[]string{"load", "--mysql-host=" + at.host, "--mysql-port=" + at.port, "--time=1", "oltp_point_select", "run"}, false},
		{[]string{"lint", "--live", net.JoinHostPort(at.host, at.port)}, false},
		{[]string{"load", "--mysql-host=" + at.host, "--mysql-port=" + at.port, "--mysql-ssl-mode=off", "--time=1", "oltp_point_select", "run"}, true},
		{[]string{"lint", "--tls", "off", "--live", net.JoinHostPort(at.host, at.port)}, true},
	} {
		var out bytes.Buffer
		code := run(c.args, &terminal{in: strings.NewReader(""), out: &out, err: &out})
		if code == exitDone {
			t.Errorf("%v: ended with 0", c.args)
		}
		if sent := len(at.heard()) > 0; sent != c.sent {
			t.Errorf("%v: login sent %v, want %v\n%s", c.args, sent, c.sent, out.String())
		}
		if said := strings.Contains(out.String(), "off"); !c.sent && !said {
			t.Errorf("%v does not say how to do without TLS:\n%s", c.args, out.String())
		}
		if strings.Contains(out.String(), "canary-in-the-clear") {
			t.Errorf("%v prints the password:\n%s", c.args, out.String())
		}
	}
}

// plainServer greets as a MySQL server without TLS does, and hangs up after the
// client's first packet.
type plainServer struct {
	host, port string
	packets    chan []byte
}

// elsewhere is a server at an address of this machine that is not loopback: how
// another machine's looks.
func elsewhere(t *testing.T) *plainServer {
	t.Helper()
	addresses, err := net.InterfaceAddrs()
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range addresses {
		ip, ok := a.(*net.IPNet)
		if !ok || ip.IP.To4() == nil || !ip.IP.IsGlobalUnicast() {
			continue
		}
		l, err := net.Listen("tcp", net.JoinHostPort(ip.IP.String(), "0"))
		if err != nil {
			continue
		}
		t.Cleanup(func() { l.Close() })
		s := &plainServer{host: ip.IP.String(), port: strconv.Itoa(l.Addr().(*net.TCPAddr).Port), packets: make(chan []byte, 1000)}
		go s.serve(l)
		return s
	}
	t.Skip("this machine has no address but loopback")
	return nil
}

func (s *plainServer) serve(l net.Listener) {
	for {
		c, err := l.Accept()
		if err != nil {
			return
		}
		// Protocol 10, no CLIENT_SSL among the capabilities (page_protocol_connection_phase).
		greeting := "\x0a8.4.0\x00\x01\x00\x00\x00abcdefgh\x00\x0f\xa2\x21\x02\x00\x08\x00\x15" + strings.Repeat("\x00", 10) + "ijklmnopqrst\x00caching_sha2_password\x00"
		if _, err := c.Write(append([]byte{byte(len(greeting)), 0, 0, 0}, greeting...)); err == nil {
			packet := make([]byte, 4096)
			if n, _ := c.Read(packet); n > 0 {
				s.packets <- packet[:n]
			}
		}
		_ = c.(*net.TCPConn).SetLinger(0)
		c.Close()
	}
}

// heard is what clients have sent since the last time.
func (s *plainServer) heard() (all []byte) {
	for {
		select {
		case p := <-s.packets:
			all = append(all, p...)
		default:
			return all
		}
	}
}
