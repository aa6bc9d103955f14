package container_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/tarebench/tare/internal/mysqld/mysqldtest"
	"github.com/tarebench/tare/internal/network"
	"github.com/tarebench/tare/internal/target"
	"github.com/tarebench/tare/internal/target/container"
	"github.com/tarebench/tare/internal/target/targettest"
)

// TestLoadPod: the load's generator gets its job, in a pod of its own with a quota
// and where the client is; the server beside it has no quota and no huge pages.
func TestLoadPod(t *testing.T) {
	needRoot(t)
	t.Parallel()
	r := targettest.Requests(t, mysqldtest.Distributions(t)[0])()
	s := started(t, container.Settings{Client: network.Host, ClientCPU: 300, Reconnect: 7, HugePages: "never"}, r)
	has := s.Capabilities()
	if has.Generators != 1 || has.Generate == nil || target.ClientOf(s).Reconnect != 7 {
		t.Fatalf("%T has no generator, or connections that stand", s)
	}
	var said []string
	long := strings.Repeat("x", 1<<17) // longer than any line of a scanner's
	err := has.Generate(context.Background(), []byte(long+"\n"), func(_ int, text []byte) error {
		said = append(said, strings.TrimSpace(string(text)))
		return nil
	})
	all := strings.Join(said[min(1, len(said)):], "\n")
	if err != nil || len(said) < 2 || said[0] != long || !strings.Contains(all, "podclient/client") || strings.Contains(all, "podserver") || strings.Contains(all, "eth0") {
		t.Errorf("the generator said %.300s, %v", all, err)
	}
	refused := errors.New("enough")
	if err := has.Generate(context.Background(), []byte("job\n"), func(int, []byte) error { return refused }); !errors.Is(err, refused) {
		t.Errorf("%v", err)
	}
	facts := known(s.Facts(context.Background(), "start"))
	if q := facts["client.cgroup.pod.cpu.cfs_quota_us"] + facts["client.cgroup.pod.cpu.max"]; !strings.HasPrefix(q, "30000") {
		t.Errorf("the load's pod has a quota of %q", q)
	}
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", target.PIDOf(s)))
	if err != nil || !strings.Contains(string(status), "THP_enabled:\t0") {
		t.Errorf("the server may have huge pages: %v", err)
	}
	own, err := os.ReadFile("/proc/self/status")
	if err != nil || strings.Contains(string(own), "THP_enabled:\t0") {
		t.Errorf("tare has no huge pages any more: %v", err)
	}
}

// TestClientSettings: what no client can be is refused by its field.
func TestClientSettings(t *testing.T) {
	_, err := container.New(func(into any) error {
		*into.(*container.Settings) = container.Settings{ClientCPU: -1, Reconnect: -1, HugePages: "some"}
		return nil
	}, container.Env{})
	for _, want := range []string{"clientCPU: expected an amount", "reconnect: -1", "hugePages: \"some\""} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v does not say %q", err, want)
		}
	}
}
