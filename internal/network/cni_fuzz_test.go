package network

import (
	"net"
	"runtime"
	"testing"

	"github.com/containernetworking/cni/pkg/types/create"
)

// FuzzCNIResult: whatever a plugin prints, the pod has an address or there is an error, in
// bounded memory.
func FuzzCNIResult(f *testing.F) {
	for _, s := range []string{
		`{"cniVersion": "1.0.0", "ips": [{"address": "10.1.0.2/24", "gateway": "10.1.0.1"}], "interfaces": [{"name": "eth0"}]}`,
		`{"cniVersion": "0.2.0", "ip4": {"ip": "10.1.0.2/24"}}`, `{"cniVersion": "0.4.0", "ips": [{"version": "4", "address": "10.1.0.2/24"}]}`,
		`{"cniVersion": "1.0.0", "ips": [null]}`, `{"cniVersion": "1.0.0", "ips": [{}]}`, `{"cniVersion": "1.0.0"}`, `{"cniVersion": "9"}`, `{}`, `[]`, ``,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, printed []byte) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		result, err := create.CreateFromBytes(printed)
		if err == nil && result != nil {
			if address, err := addressOf(result); err == nil && net.ParseIP(address) == nil {
				t.Errorf("the address is %q", address)
			}
		}
		runtime.ReadMemStats(&after)
		if got := after.TotalAlloc - before.TotalAlloc; got > 32<<20 {
			t.Errorf("%d bytes allocated for %d", got, len(printed))
		}
	})
}
