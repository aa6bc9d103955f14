//go:build lab

package main

// Tests on the lab that runs (make lab-up), by its own program.

import (
	"bytes"
	"encoding/json"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// command runs the lab's program.
func command(t *testing.T, args ...string) string {
	t.Helper()
	program := os.Getenv("TARE_TEST_LAB")
	if program == "" {
		t.Fatal("TARE_TEST_LAB names no lab program; `make lab-test` brings a lab up and runs these tests")
	}
	out, err := exec.Command(program, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("lab %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// programs is the directory of the lab's programs.
func programs() string { return filepath.Dir(os.Getenv("TARE_TEST_LAB")) }

// kubectl runs as the administrator, and gives what it prints.
func kubectl(t *testing.T, args ...string) []byte {
	t.Helper()
	c := exec.Command(filepath.Join(programs(), "kubectl"), append([]string{"--kubeconfig", filepath.Join(programs(), "../run/pki/admin.kubeconfig")}, args...)...)
	var said bytes.Buffer
	c.Stderr = &said
	out, err := c.Output()
	if err != nil {
		t.Fatalf("kubectl %v: %v\n%s%s", args, err, out, &said)
	}
	return out
}

// answers says how long a node's kubelet takes to accept a connection, and
// whether it does within a second.
func answers(n node) (time.Duration, bool) {
	begun := time.Now()
	c, err := net.DialTimeout("tcp", net.JoinHostPort(n.address(), "10250"), time.Second)
	if err != nil {
		return 0, false
	}
	_ = c.Close() // nothing was sent
	return time.Since(begun), true
}

// becomes waits until a node answers, or no longer does.
func becomes(t *testing.T, n node, want bool, within time.Duration) {
	t.Helper()
	for begun := time.Now(); ; time.Sleep(200 * time.Millisecond) {
		if _, ok := answers(n); ok == want {
			return
		}
		if time.Since(begun) > within {
			t.Fatalf("after %s node %s: it answers %v, want %v", within, n.name, !want, want)
		}
	}
}

// TestPodsReach: a pod of one node and a pod of another exchange data both ways, in
// segments as large as the MTU allows that their plugin has told them: IPv4, TCP and
// its timestamps take 52 bytes of it. So they do by their second interfaces, which are
// the nodes' second links.
func TestPodsReach(t *testing.T) {
	from, to := nodes[0], nodes[1]
	var told struct{ Plugins []struct{ MTU int } }
	if err := json.Unmarshal([]byte(command(t, "exec", from.name, "cat", "/etc/cni/net.d/"+filepath.Base(podsFile))), &told); err != nil {
		t.Fatal(err)
	}
	for _, way := range [][]string{{}, {"--reverse"}, {secondName}, {secondName, "--reverse"}} {
		var said struct {
			Start struct {
				Connected []struct {
					To string `json:"remote_host"`
				}
				MSS int `json:"tcp_mss_default"`
			}
			End struct {
				Received struct {
					Rate float64 `json:"bits_per_second"`
				} `json:"sum_received"`
			}
		}
		text := command(t, append(append([]string{"iperf", from.name, to.name}, way...), "--time", "1", "--json")...)
		if err := json.Unmarshal([]byte(text), &said); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		mtu, network := told.Plugins[0].MTU, "10.245.2."
		if len(way) > 0 && way[0] == secondName {
			mtu, network = linkMTU, "10.246.2."
		}
		if said.Start.MSS != mtu-52 || said.End.Received.Rate <= 0 || len(said.Start.Connected) != 1 || !strings.HasPrefix(said.Start.Connected[0].To, network) {
			t.Errorf("%v: %g bit/s to %v in segments of %d bytes, want %d", way, said.End.Received.Rate, said.Start.Connected, said.Start.MSS, mtu-52)
		}
		t.Logf("%v: %.2f Gbit/s in segments of %d bytes", way, said.End.Received.Rate/1e9, said.Start.MSS)
	}
}

// TestCgroups: what this kubelet and runc write for a pod of every class is what
// the fixture of internal/node says, with which the container target is compared.
func TestCgroups(t *testing.T) {
	if runtime.NumCPU() != 2 {
		t.Skip("the fixture's node has two CPUs")
	}
	t.Cleanup(func() { kubectl(t, "delete", "--ignore-not-found", "-f", "cgroups.yaml", "--wait") })
	kubectl(t, "apply", "-f", "cgroups.yaml")
	pods := []string{"besteffort", "burstable", "guaranteed", "exclusive"}
	for _, pod := range pods {
		kubectl(t, "wait", "pod/"+pod, "--for=condition=Ready", "--timeout=900s")
	}
	text, err := exec.Command("sh", append([]string{"cgroups.sh"}, pods...)...).Output()
	if err != nil {
		t.Fatalf("cgroups.sh: %v\n%s", err, text)
	}
	version := "1"
	if unified() {
		version = "2"
	}
	fixture, err := os.ReadFile("../internal/node/testdata/kubelet-v1.34.4-cgroup" + version + ".txt")
	if err != nil {
		t.Fatal(err)
	}
	got, compared := values(string(text)), 0
	for key, want := range values(string(fixture)) {
		// The node's memory is the machine's, the score a share of it, and the weight of
		// the class Burstable the sum of what its pods on the node ask for. Guaranteed
		// pods have no class of their own: it is the node's.
		if strings.Contains(key, "/node/memory.") || key == "guaranteed/class/memory.limit_in_bytes" || key == "exclusive/class/memory.limit_in_bytes" || strings.HasSuffix(key, "/pids.max") || strings.HasSuffix(key, "/oom_score_adj") || key == "burstable/class/cpu.shares" {
			continue
		}
		if compared++; got[key] != want {
			t.Errorf("%s is %q, and the fixture's %q", key, got[key], want)
		}
	}
	if compared < 100 {
		t.Errorf("%d values compared", compared)
	}
}

// values reads lines of "KEY = VALUE".
func values(text string) map[string]string {
	all := map[string]string{}
	for line := range strings.Lines(text) {
		if key, value, ok := strings.Cut(strings.TrimSpace(line), " = "); ok {
			all[key] = value
		}
	}
	return all
}

// TestLatency: an answer takes at least as long as the node's packets are held, and
// no longer as long once that is off.
func TestLatency(t *testing.T) {
	const delay = 200 * time.Millisecond
	command(t, "latency", delay.String())
	t.Cleanup(func() { command(t, "latency", "off") })
	for range 3 {
		if took, ok := answers(nodes[1]); !ok || took < delay {
			t.Errorf("an answer from %s after %s (%v), want at least %s", nodes[1].name, took, ok, delay)
		}
	}
	command(t, "latency", "off")
	least := time.Hour
	for range 10 {
		if took, ok := answers(nodes[1]); ok {
			least = min(least, took)
		}
	}
	if least >= delay {
		t.Errorf("without latency the shortest of ten answers took %s", least)
	}
}

// TestLoss: what is all lost never comes, and comes again once that is off.
func TestLoss(t *testing.T) {
	t.Cleanup(func() { command(t, "loss", "off") })
	command(t, "loss", "100")
	becomes(t, nodes[0], false, 10*time.Second)
	command(t, "loss", "off")
	becomes(t, nodes[0], true, 10*time.Second)
}

// TestCut: a node whose cable is pulled is away, and back when it is plugged in.
func TestCut(t *testing.T) {
	n := nodes[1]
	t.Cleanup(func() { command(t, "connect", n.name) })
	command(t, "cut", n.name)
	becomes(t, n, false, 10*time.Second)
	if _, ok := answers(nodes[2]); !ok {
		t.Error("another node is away as well")
	}
	command(t, "connect", n.name)
	becomes(t, n, true, 10*time.Second)
}

// TestPower: nothing of a node that is off runs, and it comes back on its disk.
func TestPower(t *testing.T) {
	n := nodes[1]
	command(t, "exec", n.name, "touch", "/var/lib/kubelet/here")
	command(t, "off", n.name)
	all, err := processes()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range all {
		if p.node == n.name {
			t.Errorf("process %d of a node that is off", p.pid)
		}
	}
	if _, err := os.Stat(filepath.Join("/run/netns", n.netns())); err == nil {
		t.Error("a node that is off has a network")
	}
	command(t, "on", n.name)
	becomes(t, n, true, time.Minute)
	command(t, "exec", n.name, "rm", "/var/lib/kubelet/here")
}
