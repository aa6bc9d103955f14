package network

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/tarebench/tare/internal/record"
)

// built is a network that ends with the test, which fails if anything of it is
// left.
func built(t *testing.T, s Settings) *Network {
	t.Helper()
	name := fmt.Sprintf("net-test-%d-%d", os.Getpid(), time.Now().UnixNano()%1e12)
	n, err := Build(context.Background(), s, Env{Instance: name, Dir: filepath.Join(t.TempDir(), "network"), Helper: []string{os.Args[0], "network"}})
	t.Cleanup(func() {
		for range 2 {
			if err := n.Remove(); err != nil {
				t.Errorf("Remove: %v", err)
			}
		}
		if left, _ := filepath.Glob(filepath.Join(namespaceDir, "tare-"+name+"*")); len(left) > 0 {
			t.Errorf("left behind: %v", left)
		}
		if _, err := os.Stat(n.dir); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("the state directory is left: %v", err)
		}
	})
	if err != nil {
		t.Fatalf("%+v: %v", s, err)
	}
	return n
}

// serve answers connections in the server's namespace, as serve says, until the
// test ends.
func (n *Network) serve(t *testing.T, answer func(net.Conn)) {
	t.Helper()
	serveIn(t, n.ServerNamespace(), answer)
}

// serveIn does so in any namespace.
func serveIn(t *testing.T, namespace string, answer func(net.Conn)) {
	t.Helper()
	var l net.Listener
	err := Inside(namespace, func() (err error) {
		l, err = net.Listen("tcp4", fmt.Sprint("0.0.0.0:", Port))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() { answer(c); c.Close() }()
		}
	}()
}

// enough is for what must come, over links and relays that a busy machine makes stand still: each
// packet that TCP sends again comes after twice the time of the one before. Only a failure takes it.
const enough = 5 * time.Minute

// dial connects as the client does.
func (n *Network) dial(t *testing.T) *net.TCPConn {
	t.Helper()
	var c net.Conn
	err := Inside(n.ClientNamespace(), func() (err error) {
		c, err = net.DialTimeout("tcp4", fmt.Sprint(n.Server(), ":", Port), enough)
		return err
	})
	if err != nil {
		t.Fatalf("connect to %s from %s: %v", n.Server(), n.ClientNamespace(), err)
	}
	t.Cleanup(func() { c.Close() })
	return c.(*net.TCPConn)
}

// greet is a server that says who came and returns what it hears.
func greet(c net.Conn) {
	fmt.Fprintln(c, c.RemoteAddr())
	_, _ = io.Copy(c, c)
}

// greeting is who the server says has come.
func greeting(t *testing.T, c net.Conn) string {
	t.Helper()
	line := make([]byte, 64)
	k, err := c.Read(line)
	if err != nil {
		t.Fatal(err)
	}
	host, _, err := net.SplitHostPort(strings.TrimSpace(string(line[:k])))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Write([]byte("echo")); err != nil {
		t.Fatal(err)
	}
	back := make([]byte, 4)
	if _, err := io.ReadFull(c, back); err != nil || !bytes.Equal(back, []byte("echo")) {
		t.Errorf("the server returned %q, error %v", back, err)
	}
	return host
}

func known(facts []record.Fact) map[string]string {
	m := map[string]string{}
	for _, f := range facts {
		m[f.Key] = f.Value
	}
	return m
}

// TestPlaces: from wherever the client is put it reaches the server, and the
// server sees it come from there.
func TestPlaces(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		client, plugin string
		from           string
	}{
		{SamePod, "", "127.0.0.1"},
		{Host, "", "127.0.0.1"},
		{OtherNode, "", "10.200.0.2"},
		{SamePod, "bridge", "127.0.0.1"},
		{OtherPod, "bridge", "10.244.0.3"},
		{Host, "bridge", "10.244.0.1"},
		{OtherNode, "bridge", "10.244.1.2"},
		{SamePod, "ptp", "127.0.0.1"},
		{OtherPod, "ptp", "10.244.0.3"},
		{Host, "ptp", "10.244.0.1"},
		{OtherNode, "ptp", "10.244.1.2"},
	} {
		t.Run(c.client+"/"+c.plugin, func(t *testing.T) {
			n := built(t, Settings{Client: c.client, Block: Block{Plugin: c.plugin}})
			n.serve(t, greet)
			if got := greeting(t, n.dial(t)); got != c.from {
				t.Errorf("the client comes from %s, want %s", got, c.from)
			}
		})
	}
}

// TestReadBack: the facts are the kernel's, and hold what was set.
func TestReadBack(t *testing.T) {
	for _, plugin := range []string{"bridge", "ptp"} {
		t.Run(plugin, func(t *testing.T) {
			n := built(t, Settings{Client: OtherNode, Block: Block{Plugin: plugin, MTU: 8950}})
			facts := n.Facts(context.Background())
			got := known(facts)
			want := map[string]string{
				"network.pod.link.eth0":                "veth",
				"network.pod.link.eth0.mtu":            "8950",
				"network.pod.link.eth0.address":        "10.244.0.2/24",
				"network.client.link.eth0.address":     "10.244.1.2/24",
				"network.node.link.eth0.mtu":           "8950",
				"network.node.ipv4.ip_forward":         "1",
				"network.node.link.veth0":              "veth",
				"network.other-node.link.eth0.address": "10.200.0.2/24",
			}
			if plugin == "bridge" {
				want["network.node.link.cni0"] = "bridge"
				want["network.node.routes"] = "10.200.0.0/24 dev eth0, 10.244.0.0/24 dev cni0, 10.244.1.0/24 via 10.200.0.2 dev eth0, default via 10.200.0.2 dev eth0"
			} else {
				want["network.node.routes"] = "10.200.0.0/24 dev eth0, 10.244.0.2/32 dev veth0, 10.244.1.0/24 via 10.200.0.2 dev eth0, default via 10.200.0.2 dev eth0"
			}
			for key, value := range want {
				if got[key] != value {
					t.Errorf("%s is %q, want %q", key, got[key], value)
				}
			}
			for _, f := range facts {
				if f.Unknown != "" {
					t.Errorf("%s is unknown: %s", f.Key, f.Unknown)
				}
			}
		})
	}
}

// TestCancel: wherever in Build the context ends, Remove leaves nothing.
func TestCancel(t *testing.T) {
	for _, delay := range []time.Duration{0, time.Millisecond, 10 * time.Millisecond, 50 * time.Millisecond, 200 * time.Millisecond} {
		ctx, cancel := context.WithTimeout(context.Background(), delay)
		name := fmt.Sprintf("net-cancel-%d-%d", os.Getpid(), delay.Milliseconds())
		n, _ := Build(ctx, Settings{Client: OtherNode, Block: Block{Plugin: "bridge"}}, Env{Instance: name, Dir: filepath.Join(t.TempDir(), "network")})
		cancel()
		if err := n.Remove(); err != nil {
			t.Errorf("after %s: %v", delay, err)
		}
		if left, _ := filepath.Glob(filepath.Join(namespaceDir, "tare-"+name+"*")); len(left) > 0 {
			t.Errorf("after %s: left behind: %v", delay, left)
		}
	}
}

// TestHostUntouched: building and removing changes nothing in the host's own
// namespace. The host is a process of the test's own in one: other tests make links in
// that of this machine at the same time.
func TestHostUntouched(t *testing.T) {
	const host = "TARE_TEST_HOST_NAMESPACE"
	if os.Getenv(host) == "" {
		// The kernel kills the process when the thread that started it ends (PR_SET_PDEATHSIG(2const)).
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v")
		cmd.Env = append(os.Environ(), host+"=1")
		cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: unix.CLONE_NEWNET, Pdeathsig: syscall.SIGKILL}
		out, err := cmd.CombinedOutput()
		if err != nil || !strings.Contains(string(out), "--- PASS: "+t.Name()) {
			t.Errorf("%v\n%s", err, out)
		}
		return
	}
	look := func() string {
		links, err := net.Interfaces()
		if err != nil {
			t.Fatal(err)
		}
		routes, err := os.ReadFile("/proc/net/route")
		if err != nil {
			t.Fatal(err)
		}
		forward, err := os.ReadFile("/proc/sys/net/ipv4/ip_forward")
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprint(len(links), string(routes), string(forward))
	}
	before := look()
	t.Cleanup(func() {
		if after := look(); after != before {
			t.Errorf("the host had\n%s\nand has\n%s", before, after)
		}
	})
	n := built(t, Settings{Client: OtherPod, Block: Block{Plugin: "bridge"}})
	if during := look(); during != before {
		t.Errorf("the host had\n%s\nand has, with %s,\n%s", before, n.instance, during)
	}
}

// TestContradictions: what is wrong is said with its field, all at once.
func TestContradictions(t *testing.T) {
	dns := Block{DNS: Delay(time.Millisecond)}
	const known127 = "the client has the address 127.0.0.1, which the server knows without DNS; write client: other-node, or another place"
	for _, c := range []struct {
		settings Settings
		want     []string
	}{
		{Settings{}, nil},
		{Settings{Client: "moon"}, []string{`client: "moon" is not a client location; write one of socket, same-pod, other-pod, host, other-node`}},
		{Settings{Client: OtherPod}, []string{"client: without a pod network, pods of one node share its namespace; write network: {plugin: bridge}, or client: host"}},
		{Settings{Client: Host, Block: Block{Plugin: "calico", MTU: 100}}, []string{
			`network.plugin: "calico" is not known; write bridge or ptp`, "network.mtu: 100 is out of range; write 1280 to 9000",
		}},
		{Settings{Client: OtherNode, Block: Block{Plugin: "ptp", Between: "gre", Qdisc: "red"}}, []string{
			`network.qdisc: unknown qdisc "red"; write tbf or htb`,
			`network.between: unknown network path "gre"; use one of host-gw, vxlan, udp, ipip, geneve, wireguard`,
		}},
		{Settings{Client: OtherNode, Block: Block{Qdisc: HTB}}, []string{
			"network.qdisc: a qdisc requires a rate; add rate: 1Gbit, or leave it out",
		}},
		{Settings{Client: Host, Service: Service{Proxy: iptablesProxy, Others: maxOthers}}, nil},
		{Settings{Block: dns}, []string{"network.dns: clients over the socket have no address to look up; write client: other-node, or another place"}},
		{Settings{Client: SamePod, Block: dns}, []string{"network.dns: " + known127}},
		{Settings{Client: SamePod, Block: Block{Plugin: "ptp", DNS: dns.DNS}}, []string{"network.dns: " + known127}},
		{Settings{Client: Host, Block: dns}, []string{"network.dns: " + known127}},
		{Settings{Client: Host, Block: Block{Plugin: "ptp", DNS: dns.DNS}}, nil},
		{Settings{Client: Host, Block: dns, Members: 2}, nil},
		{Settings{Client: Host, Block: dns, Service: Service{Proxy: iptablesProxy}}, nil},
		{Settings{Client: SamePod, Block: dns, Service: Service{Proxy: iptablesProxy}}, nil},
		{Settings{Client: Host, Service: Service{Proxy: nftablesProxy, Others: maxOthers}}, []string{
			"service.others: 30000 is out of range; write 0 to 10000",
		}},
	} {
		var got []string
		for _, w := range c.settings.Contradictions() {
			got = append(got, w.Error())
		}
		if fmt.Sprint(got) != fmt.Sprint(c.want) {
			t.Errorf("%+v:\n%q, want\n%q", c.settings, got, c.want)
		}
	}
}
