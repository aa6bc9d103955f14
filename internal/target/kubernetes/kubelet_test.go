package kubernetes

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestContainerMetrics: of a page of cAdvisor's, what is of the one container, and
// not of its pod's sum or of a container of the same name elsewhere.
func TestContainerMetrics(t *testing.T) {
	page := `# TYPE container_cpu_cfs_periods_total counter
container_cpu_cfs_periods_total{container="",namespace="tare",pod="db-0"} 1000 1700000000000
container_cpu_cfs_periods_total{container="mysqld",namespace="other",pod="db-0"} 2000 1700000000000
container_cpu_cfs_periods_total{container="mysqld",image="m",namespace="tare",pod="db-0"} 300 1700000000000
# TYPE container_spec_cpu_quota gauge
container_spec_cpu_quota{container="mysqld",image="m",namespace="tare",pod="db-0"} 50000
# TYPE container_memory_cache gauge
container_memory_cache{container="mysqld",namespace="tare",pod="db-1"} 1
`
	got, err := containerMetrics(page, "tare", "db-0", "mysqld")
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]float64{"container_cpu_cfs_periods_total": 300, "container_spec_cpu_quota": 50000}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("metrics (-want +got):\n%s", diff)
	}
	if _, err := containerMetrics("<html>", "tare", "db-0", "mysqld"); err == nil {
		t.Error("a page of something else is read as metrics")
	}
}

// TestReadLinks: the routes are those that the plugins bridge and ptp leave in a
// pod of the lab.
func TestReadLinks(t *testing.T) {
	const head = "tare: route Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT\n" +
		"tare: route eth0\t00000000\t0101F50A\t0003\t0\t0\t0\t00000000\t0\t0\t0\n"
	for name, c := range map[string]struct{ log, mode string }{
		"bridge": {"tare: route eth0\t0001F50A\t00000000\t0001\t0\t0\t0\t00FFFFFF\t0\t0\t0\n", "bridged"},
		"ptp": {"tare: route eth0\t0001F50A\t0101F50A\t0003\t0\t0\t0\t00FFFFFF\t0\t0\t0\n" +
			"tare: route eth0\t0101F50A\t00000000\t0005\t0\t0\t0\tFFFFFFFF\t0\t0\t0\n", "routed"},
	} {
		facts := readLinks(strings.NewReader("tare: link eth0 mtu 1450\ntare: link lo mtu 65536\n"+head+c.log), false)
		if len(facts) != 2 || facts[0].Key != "network.mtu.eth0" || facts[0].Value != "1450" || !strings.HasPrefix(facts[1].Value, c.mode) {
			t.Errorf("%s: %+v", name, facts)
		}
	}
	if facts := readLinks(strings.NewReader("tare: link eth0 mtu 1450\n"+head+"tare: route eth0 1 2 3 4\n"), false); len(facts) != 1 {
		t.Errorf("routes that tell nothing, and half a line: %+v", facts)
	}
	node := "tare: link eth0 mtu 1500\ntare: link veth1fc024d5 mtu 1500\ntare: link cali9 mtu 1440\n" + head + "tare: route cali9\t0101F50A\t00000000\t0005\t0\t0\t0\tFFFFFFFF\t0\t0\t0\n"
	if facts := readLinks(strings.NewReader(node), true); len(facts) != 1 || facts[0].Key != "network.mtu.eth0" {
		t.Errorf("links of a node: %v", facts)
	}
	if facts := readLinks(strings.NewReader("mysqld: ready\n"), false); len(facts) != 1 || facts[0].Unknown == "" {
		t.Errorf("a log without links: %+v", facts)
	}
}
