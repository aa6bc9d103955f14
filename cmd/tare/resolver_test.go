package main

// A machine of a test's own: its network, its name server and its certificates.

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"math/big"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/vishvananda/netlink"
	"golang.org/x/net/dns/dnsmessage"
	"golang.org/x/sys/unix"
)

// ownMachine is set in a test that has namespaces of its own.
const ownMachine = "TARE_TEST_OWN_MACHINE"

// onOwnMachine runs the test again in a process with mount and network namespaces of its
// own, and is true there: what it changes of the machine, no other test sees.
func onOwnMachine(t *testing.T) bool {
	t.Helper()
	if os.Getenv(ownMachine) != "" {
		lo, err := netlink.LinkByName("lo")
		if err == nil {
			err = errors.Join(netlink.LinkSetUp(lo), unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""))
		}
		if err != nil {
			t.Fatal(err)
		}
		return true
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	// The kernel kills the process when the thread that started it ends (PR_SET_PDEATHSIG(2const)),
	// and other tests end threads: so this one is held.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	cmd := exec.CommandContext(t.Context(), self, "-test.run=^"+t.Name()+"$", "-test.v")
	cmd.Env = append(os.Environ(), ownMachine+"=1")
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: unix.CLONE_NEWNS | unix.CLONE_NEWNET, Pdeathsig: syscall.SIGKILL}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	} else {
		t.Logf("%s", out)
	}
	return false
}

// nameServer is the machine's only DNS server: it knows every name as 127.0.0.1.
type nameServer struct {
	socket  net.PacketConn
	mu      sync.Mutex
	state   nameState
	waiting []asked // questions without an answer
}

// asked is a question, and who asked it.
type asked struct {
	question []byte
	by       net.Addr
}

// nameState is what a question gets.
type nameState int

const (
	resolves nameState = iota
	noSuchName
	noAnswer
)

// newNameServer has the machine ask it.
func newNameServer(t *testing.T) *nameServer {
	t.Helper()
	socket, err := net.ListenPacket("udp", "127.0.0.1:53")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { socket.Close() })
	file := filepath.Join(t.TempDir(), "resolv.conf")
	if err := os.WriteFile(file, []byte("nameserver 127.0.0.1\noptions timeout:1\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := unix.Mount(file, "/etc/resolv.conf", "", unix.MS_BIND, ""); err != nil {
		t.Fatal(err)
	}
	n := &nameServer{socket: socket}
	go n.serve()
	return n
}

// set changes what questions get, those without an answer as well: Go's resolver shares one
// question among all that ask for a name.
func (n *nameServer) set(s nameState) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.state = s
	waiting := n.waiting
	n.waiting = nil
	for _, q := range waiting {
		n.reply(q)
	}
}

func (n *nameServer) serve() {
	for b := make([]byte, 1<<12); ; {
		size, from, err := n.socket.ReadFrom(b)
		if err != nil {
			return
		}
		n.mu.Lock()
		n.reply(asked{bytes.Clone(b[:size]), from})
		n.mu.Unlock()
	}
}

// reply is called with the state locked.
func (n *nameServer) reply(q asked) {
	if n.state == noAnswer {
		n.waiting = append(n.waiting, q)
		return
	}
	if answer := answerName(q.question, n.state); answer != nil {
		_, _ = n.socket.WriteTo(answer, q.by) // who asked may have gone
	}
}

// answerName is the answer to a question, nil for none.
func answerName(question []byte, state nameState) []byte {
	var m dnsmessage.Message
	if err := m.Unpack(question); err != nil || len(m.Questions) != 1 {
		return nil
	}
	q := m.Questions[0]
	answer := dnsmessage.Message{Header: dnsmessage.Header{ID: m.ID, Response: true, Authoritative: true}, Questions: m.Questions}
	switch {
	case state == noSuchName:
		answer.RCode = dnsmessage.RCodeNameError
	case q.Type == dnsmessage.TypeA:
		answer.Answers = []dnsmessage.Resource{{
			Header: dnsmessage.ResourceHeader{Name: q.Name, Type: q.Type, Class: q.Class},
			Body:   &dnsmessage.AResource{A: [4]byte{127, 0, 0, 1}},
		}}
	}
	b, err := answer.Pack()
	if err != nil {
		return nil
	}
	return b
}

// selfSigned writes a certificate for a host, which is its own authority, into a directory
// of the server's, and returns the names of both files.
func selfSigned(t *testing.T, dir, name, host string, uid int) (certificate, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	of := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, DNSNames: []string{host}, IsCA: true, BasicConstraintsValid: true,
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
	}
	der, err := x509.CreateCertificate(rand.Reader, of, of, &private.PublicKey, private)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	certificate, key = filepath.Join(dir, name+".pem"), filepath.Join(dir, name+"-key.pem")
	err = errors.Join(
		os.WriteFile(certificate, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o644),
		os.WriteFile(key, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret}), 0o600),
		os.Chown(key, uid, -1))
	if err != nil {
		t.Fatal(err)
	}
	return certificate, key
}
