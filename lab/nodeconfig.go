// The configuration files of a node's agents.
package main

import (
	"fmt"
	"os"
	"path/filepath"
)

func writeFile(name, text string) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return nil
}

// kubeletConfig reserves a tenth of a CPU and 256 MiB, so that allocatable is
// not capacity; what the static policy reserves it takes as one whole CPU.
func (l *lab) kubeletConfig(n node) string {
	policy := "none"
	if n.exclusive {
		policy = l.cpuPolicy
	}
	return fmt.Sprintf(`apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
authentication: {anonymous: {enabled: false}, webhook: {enabled: true}, x509: {clientCAFile: /etc/kubernetes/ca.crt}}
authorization: {mode: Webhook}
cgroupDriver: cgroupfs
cgroupRoot: /%s/%s
enforceNodeAllocatable: [pods]
containerRuntimeEndpoint: unix:///run/containerd/containerd.sock
cpuManagerPolicy: %s
failSwapOn: false
failCgroupV1: false
clusterDNS: [%s]
clusterDomain: cluster.local
kubeReserved: {cpu: 100m, memory: 256Mi}
evictionHard: {memory.available: 100Mi, nodefs.available: "1%%", imagefs.available: "1%%"}
# Images are put there once and come from no registry: none is garbage.
imageGCHighThresholdPercent: 100
localStorageCapacityIsolation: false
nodeStatusUpdateFrequency: 4s
resolvConf: /etc/kubernetes/resolv.conf
`, prefix, n.name, policy, dnsService)
}

// proxyConfig leaves the connection tracking table as it is: its size is not a
// namespace's.
func (l *lab) proxyConfig(n node) string {
	return fmt.Sprintf(`apiVersion: kubeproxy.config.k8s.io/v1alpha1
kind: KubeProxyConfiguration
clientConnection: {kubeconfig: %s}
hostnameOverride: %s
mode: %s
clusterCIDR: %s
conntrack: {maxPerCore: 0, min: 0, tcpEstablishedTimeout: 0s, tcpCloseWaitTimeout: 0s}
`, l.kubeconfig("kube-proxy"), n.name, l.proxy, podNetwork)
}

// containerdConfig: the standard one with the lab's pause image. Without
// CAP_SYS_RESOURCE no process may lower an OOM score.
func containerdConfig(root, state string) string {
	return fmt.Sprintf(`version = 2
root = %q
state = %q
[grpc]
  address = %q
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = %q
  restrict_oom_score_adj = true
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "/opt/cni/bin"
    conf_dir = "/etc/cni/net.d"
  [plugins."io.containerd.grpc.v1.cri".containerd]
    snapshotter = "overlayfs"
    [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
      runtime_type = "io.containerd.runc.v2"
`, root, state, filepath.Join(state, "containerd.sock"), pauseImage)
}
