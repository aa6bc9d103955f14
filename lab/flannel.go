// Flannel: its agent in every node, which finds the others through the API server
// and makes the network path to their pods.
package main

import (
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

//go:embed manifests/flannel.yaml
var flannelManifest string

const (
	// flannelFile is the node's copy of what the ConfigMap kube-flannel-cfg holds
	// elsewhere.
	flannelFile = "flannel.json"
	// subnetFile is what the agent leaves for Flannel's plugin once it has a way.
	subnetFile = "/run/flannel/subnet.env"
)

func flannelConfig(backend string) string {
	return fmt.Sprintf(`{"Network": %q, "Backend": {"Type": %q}}`+"\n", podNetwork, backend)
}

// flannel is the agent's command line. Which node it is on stands in NODE_NAME.
func (l *lab) flannel(n node) []string {
	return []string{l.path("bin", "flanneld"), "--kube-subnet-mgr", "--kubeconfig-file=" + l.kubeconfig("flannel"),
		"--net-config-path=" + l.in(n, flannelFile), "--iface=eth0", "--ip-masq"}
}

// flannelPods tells of pods as soon as the agent has a way for them, with the MTU
// that it leaves. Until then the node is not ready, as in any cluster.
func (l *lab) flannelPods(n node, p plugin) {
	var text []byte
	err := fs.ErrNotExist
	for ; errors.Is(err, fs.ErrNotExist); text, err = os.ReadFile(subnetFile) {
		time.Sleep(200 * time.Millisecond)
	}
	mtu := 0
	if err == nil {
		mtu, err = flannelMTU(string(text))
	}
	if err == nil {
		err = l.tellPods(n, p, mtu)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err) // the node's log; it stays without a network
	}
}

// flannelMTU reads the agent's file, lines of NAME=value.
func flannelMTU(text string) (int, error) {
	for line := range strings.Lines(text) {
		if value, ok := strings.CutPrefix(strings.TrimSpace(line), "FLANNEL_MTU="); ok {
			mtu, err := strconv.Atoi(value)
			if err != nil {
				return 0, fmt.Errorf("read %s: %w", subnetFile, err)
			}
			return mtu, nil
		}
	}
	return 0, fmt.Errorf("read %s: it has no FLANNEL_MTU", subnetFile)
}

// checkFlannel says what a backend lacks on this machine.
func (l *lab) checkFlannel(backend string) error {
	if backend == "" {
		return nil
	}
	var errs []error
	if _, err := os.Stat(l.path("bin", "flanneld")); err != nil {
		errs = append(errs, errors.New("flanneld is not built; `make lab-up CNI=flannel-"+backend+"` builds it"))
	}
	switch backend {
	case "vxlan":
		if _, err := output(exec.Command("unshare", "-n", "ip", "link", "add", "try0", "type", "vxlan", "id", "1", "dstport", "8472")); err != nil {
			errs = append(errs, fmt.Errorf("the kernel cannot make a link of type vxlan (CONFIG_VXLAN): %w", err))
		}
	case "udp":
		if _, err := os.Stat("/dev/net/tun"); err != nil {
			errs = append(errs, fmt.Errorf("the kernel has no TUN device (CONFIG_TUN): %w", err))
		}
	}
	return errors.Join(errs...)
}
