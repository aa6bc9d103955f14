//go:build lab

package kubernetes

import (
	"context"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/tarebench/tare/internal/loadgen"
	"github.com/tarebench/tare/internal/record"
)

// labNetworks are what the record is to say of the lab's network plugins (CNI of
// make lab-up): bridge and ptp write nothing on their nodes, and are known by the
// pod's routes.
var labNetworks = map[string]struct{ plugin, between, mtu, link string }{
	"bridge":          {"", "", "1500", "bridged"},
	"ptp":             {"", "", "1500", "routed"},
	"flannel-vxlan":   {"flannel", "vxlan", "1450", "bridged"},
	"flannel-host-gw": {"flannel", "host-gw", "1500", "bridged"},
	"flannel-udp":     {"flannel", "udp, or alloc: Flannel writes no backend for these two", "1472", "bridged"},
}

// TestNetwork: a pod of one node loads a server in a pod of another, by the pod's own
// address and by its Service's, and the record says what the network path between them is
// like: plugin, mode, MTU, and round trips and bytes a second as the pod has them.
func TestNetwork(t *testing.T) {
	set := clients(settings(t), 1)
	set.ClientNode, set.Node = nodeNames(t)
	for _, address := range []string{podAddress, serviceAddress} {
		t.Run(address, func(t *testing.T) {
			set := set
			set.Address = address
			s, j := prepared(t, labArm(t, set), 2)
			j.MeasurePath = true
			var path []record.Fact
			outcome, reason, err := loadgen.Distribute(context.Background(), j, 1, s.request.Name, s.Generate, func(l record.Line) error {
				if l.Fact != nil && strings.HasPrefix(l.Fact.Key, "client.") {
					path = append(path, *l.Fact)
				}
				return nil
			})
			if err != nil || outcome != record.Measured {
				t.Fatalf("Distribute: %s %s, %v", outcome, reason, err)
			}
			checkPath(t, path)
			want, ok := labNetworks[os.Getenv("TARE_TEST_CNI")]
			if !ok {
				t.Skip("TARE_TEST_CNI names no plugin of the lab, by which to know what is to be found")
			}
			for key, value := range map[string]string{"network.plugin": want.plugin, "network.between": want.between, "network.mtu.eth0": want.mtu} {
				if got := factOf(s, key); got != value {
					t.Errorf("%s is %q, want %q", key, got, value)
				}
			}
			if got := factOf(s, "network.link"); !strings.HasPrefix(got, want.link) {
				t.Errorf("network.link is %q, want %s", got, want.link)
			}
		})
	}
}

// checkPath logs the figures of the path; what they are is the machine's.
func checkPath(t *testing.T, path []record.Fact) {
	t.Helper()
	if len(path) == 0 {
		t.Error("the load's pod says nothing of its network path to the server")
	}
	for _, f := range path {
		t.Logf("%s: %s %s%s", f.Phase, f.Key, f.Value, f.Unknown)
		// A path without loss retransmits nothing.
		if v, err := strconv.ParseFloat(f.Value, 64); err != nil || v < 0 || v == 0 && f.Key != "client.retransmitted" {
			t.Errorf("%s is %q (%s)", f.Key, f.Value, f.Unknown)
		}
	}
}
