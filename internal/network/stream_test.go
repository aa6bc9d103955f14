package network

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tarebench/tare/internal/record"
)

// TestStreams: over a link of 50 Mbit/s that a busy machine fills as well, every transfer
// has what iperf3 has between the same namespaces, within wide bounds. A machine that stands
// still takes from one of them, so they are measured again then.
func TestStreams(t *testing.T) {
	const rate = 50e6
	n := built(t, Settings{Client: OtherNode, Block: Block{Plugin: "bridge", Rate: rate}})
	server, client := n.place(n.ServerNamespace()), n.place(n.ClientNamespace())
	if server.address == "" || client.address == "" {
		t.Fatalf("addresses %+v, %+v", server, client)
	}
	for name, s := range map[string]struct {
		Stream
		iperf []string
	}{
		"one":  {Stream{Connections: 1, For: time.Second}, nil},
		"four": {Stream{Connections: 4, For: time.Second}, []string{"-P", "4"}},
		"udp":  {Stream{UDP: true, Connections: 1, For: time.Second}, []string{"-u", "-b", "200M", "-l", strconv.Itoa(UDPPayload)}},
	} {
		wrong := "not measured"
		for attempt := 0; attempt < streamAttempts && wrong != ""; attempt++ {
			got, err := n.Stream(t.Context(), client.namespace, server.namespace, server.address, s.Stream)
			if err != nil {
				wrong = err.Error()
				continue
			}
			if !s.UDP && (got.PathMTU != 1500 || got.Lost != 0) {
				t.Errorf("%s: %+v", name, got)
			}
			want := iperf(t, client.namespace, server, s.iperf...)
			switch {
			case got.BytesPerSecond < want/2 || got.BytesPerSecond > want*2:
				wrong = fmt.Sprintf("%.0f bytes/s, iperf3 has %.0f", got.BytesPerSecond, want)
			case s.UDP && !(got.Lost > 0.1 && got.Lost < 1):
				wrong = fmt.Sprintf("as fast as a sender can, over 50 Mbit/s: %+v", got)
			default:
				wrong = ""
			}
		}
		if wrong != "" {
			t.Errorf("%s, %d times, the last time: %s", name, streamAttempts, wrong)
		}
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if _, err := n.Stream(ended, client.namespace, server.namespace, server.address, Stream{Connections: 1, For: time.Minute}); err == nil {
		t.Error("a transfer with a context that is done")
	}
	wrong := []string{"not measured"}
	for attempt := 0; attempt < streamAttempts && len(wrong) > 0; attempt++ {
		wrong = nil
		facts := known(n.Streams(t.Context()))
		for _, key := range []string{"network.stream.bytes_per_s", "network.streams.bytes_per_s", "network.uploads.bytes_per_s", "network.udp.lost", "network.udp_upload.bytes_per_s", "network.stream.path_mtu", "network.stream.retransmitted"} {
			if v, err := strconv.ParseFloat(facts[key], 64); err != nil || v < 0 {
				wrong = append(wrong, fmt.Sprintf("%s is %q", key, facts[key]))
			}
		}
	}
	if len(wrong) > 0 {
		t.Errorf("%d times, the last time: %q", streamAttempts, wrong)
	}
}

// streamAttempts are more than a machine that stands still now and then needs: a transfer
// takes a second.
const streamAttempts = 5

// TestStreamsThatNothingArrivesFrom: where the network path drops large packets silently, no
// transfer waits for the other end, which may never learn that it is over.
func TestStreamsThatNothingArrivesFrom(t *testing.T) {
	silent := false
	n := built(t, Settings{Client: OtherNode, Block: Block{Plugin: "bridge", MTU: 1500, LinkMTU: 1400, ICMP: &silent}})
	done := make(chan []record.Fact, 1)
	go func() { done <- n.Streams(t.Context()) }()
	var facts []record.Fact
	select {
	case facts = <-done:
	case <-time.After(time.Minute):
		t.Fatal("no end after a minute")
	}
	unknown := map[string]string{}
	for _, f := range facts {
		unknown[f.Key] = f.Unknown
	}
	for key, want := range map[string]string{"network.stream.bytes_per_s": "0", "network.streams.bytes_per_s": "0", "network.upload.bytes_per_s": "0"} {
		if got := known(facts)[key]; got != want {
			t.Errorf("%s is %q (%s), want %q", key, got, unknown[key], want)
		}
	}
	if known(facts)["network.udp.lost"] == "" { // small datagrams pass
		t.Errorf("datagrams: %q", unknown["network.udp.lost"])
	}
	if got := unknown["network.stream.softirq_ns_per_byte"]; got != "nothing arrived" {
		t.Errorf("CPU time per byte: %q", got)
	}
}

// iperf is what iperf3's receiver got, in bytes per second.
func iperf(t *testing.T, from string, to place, args ...string) float64 {
	t.Helper()
	inside := func(namespace string, args ...string) *exec.Cmd {
		return exec.CommandContext(t.Context(), "nsenter", append([]string{"--net=" + namespace, "--", "iperf3"}, args...)...)
	}
	s := inside(to.namespace, "--server", "--one-off", "--forceflush")
	out, err := s.StdoutPipe()
	if err == nil {
		err = s.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Wait() }()
	for lines := bufio.NewScanner(out); lines.Scan() && !strings.HasPrefix(lines.Text(), "Server listening"); {
	}
	go func() { _, _ = bufio.NewReader(out).WriteTo(discard{}) }()
	text, err := inside(from, append([]string{"--client", to.address, "--time", "1", "--json"}, args...)...).Output()
	if err != nil {
		_ = s.Process.Kill()
		t.Fatalf("iperf3: %v\n%s", err, text)
	}
	var said struct {
		End struct {
			Received struct {
				Bits float64 `json:"bits_per_second"`
			} `json:"sum_received"`
			Sum struct {
				Bits float64 `json:"bits_per_second"`
				Lost float64 `json:"lost_percent"`
			} `json:"sum"`
		} `json:"end"`
	}
	if err := json.Unmarshal(text, &said); err != nil {
		t.Fatal(err)
	}
	if said.End.Received.Bits > 0 {
		return said.End.Received.Bits / 8
	}
	return said.End.Sum.Bits * (1 - said.End.Sum.Lost/100) / 8
}

type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }
