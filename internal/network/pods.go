package network

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/containernetworking/cni/libcni"
	"github.com/containernetworking/cni/pkg/invoke"
	cnitypes "github.com/containernetworking/cni/pkg/types"
	types "github.com/containernetworking/cni/pkg/types/100"

	"github.com/tarebench/tare/internal/environment"
	"github.com/tarebench/tare/internal/record"
)

// pluginDirs are where CNI plugins lie: the upstream default, and where
// distributions put them (Debian; Fedora and RHEL).
func pluginDirs() []string {
	return []string{"/opt/cni/bin", "/usr/lib/cni", "/usr/libexec/cni"}
}

// findPlugin is where a plugin is.
func findPlugin(name string) (string, error) {
	for _, dir := range pluginDirs() {
		path := filepath.Join(dir, name)
		if _, err := exec.LookPath(path); err == nil {
			return path, nil
		}
	}
	return "", errors.New(record.NoPlugin.Say(name, fmt.Sprint(pluginDirs())))
}

// addPods gives the pods their networks and finds the server's address.
func (n *Network) addPods(ctx context.Context) error {
	n.server = "127.0.0.1"
	if n.settings.Client == OtherNode || n.settings.Service.Wanted() {
		n.server = nodeAddress
	}
	if !n.settings.podNetwork() {
		n.members = n.settings.memberNodes()
		return nil
	}
	for _, name := range n.nodes() {
		// What a container network wants of its host (kubelet's and kube-proxy's
		// preflight checks).
		if err := Inside(n.path(name), func() error { return sysctl("net/ipv4/ip_forward", "1") }); err != nil {
			return err
		}
	}
	address, err := n.addPod(ctx, pod, node)
	if err != nil {
		return err
	}
	n.members = []string{address}
	if n.server = address; n.settings.Client == SamePod && !n.settings.Service.Wanted() {
		n.server = "127.0.0.1"
	}
	if n.clientPod() {
		if _, err = n.addPod(ctx, client, n.clientNode()); err != nil {
			return err
		}
	}
	return n.addMembers(ctx)
}

// addMembers gives the pods of the further members their networks.
func (n *Network) addMembers(ctx context.Context) error {
	for _, e := range n.settings.ends() {
		if e.name == node || e.name == otherNode {
			continue
		}
		address, err := n.addPod(ctx, e.pod, e.name)
		if err != nil {
			return err
		}
		n.members = append(n.members, address)
	}
	return nil
}

// memberNodes are the addresses of the members' nodes.
func (s Settings) memberNodes() (all []string) {
	for _, e := range s.ends() {
		if e.name != otherNode {
			all = append(all, e.address)
		}
	}
	return all
}

// nodes are the namespaces of the nodes that there are.
func (n *Network) nodes() (all []string) {
	for _, e := range n.settings.ends() {
		all = append(all, e.name)
	}
	return all
}

func (n *Network) clientNode() string {
	if n.settings.Client == OtherNode {
		return otherNode
	}
	return node
}

// addPod runs the plugin on a node for a pod's namespace, as a container
// runtime does (CNI specification 1.0.0, ADD), and returns the pod's address.
func (n *Network) addPod(ctx context.Context, name, on string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	list, err := libcni.ConfListFromBytes(n.pluginConfig(on))
	if err != nil {
		return "", fmt.Errorf("add pod %s: %w", name, err)
	}
	cni := libcni.NewCNIConfigWithCacheDir(pluginDirs(), filepath.Join(n.dir, "cache"), marked(n.instance))
	var address string
	err = Inside(n.path(on), func() error {
		added, err := cni.AddNetworkList(ctx, list, &libcni.RuntimeConf{ContainerID: "tare-" + n.instance + "-" + name, NetNS: n.path(name), IfName: "eth0"})
		if err != nil {
			return err
		}
		address, err = addressOf(added)
		return err
	})
	if err != nil {
		return "", record.AddPod.Wrap(err, name, n.settings.Plugin)
	}
	return address, nil
}

// addressOf is the first address that a plugin gave, of what it printed.
func addressOf(added cnitypes.Result) (string, error) {
	result, err := types.NewResultFromResult(added)
	if err != nil {
		return "", err
	}
	if len(result.IPs) == 0 || result.IPs[0] == nil || result.IPs[0].Address.IP == nil {
		return "", errors.New("the plugin gave it no address")
	}
	return result.IPs[0].Address.IP.String(), nil
}

// pluginConfig is the network configuration of a node, as Flannel's installation
// writes it for the bridge; the plugin ptp takes the same.
func (n *Network) pluginConfig(on string) []byte {
	subnet := ""
	for _, e := range n.settings.ends() {
		if e.name == on {
			subnet = e.pods
		}
	}
	plugin := map[string]any{
		"type": n.settings.Plugin, "mtu": n.settings.MTU,
		"ipam": map[string]any{
			"type": "host-local", "dataDir": filepath.Join(n.dir, on),
			"ranges": [][]map[string]string{{{"subnet": subnet}}},
			"routes": []map[string]string{{"dst": "0.0.0.0/0"}},
		},
	}
	if n.settings.Plugin == "bridge" {
		plugin["bridge"], plugin["isGateway"], plugin["hairpinMode"] = "cni0", true, true
	}
	text, err := json.Marshal(map[string]any{"cniVersion": "1.0.0", "name": "pods", "plugins": []any{plugin}})
	if err != nil {
		panic(err) // strings and integers always encode
	}
	return text
}

// marking runs plugins with the instance's name in their environment, by which
// a sweep finds one whose tare was killed, and without the variables of this process that
// they do not need.
type marking struct {
	*invoke.DefaultExec
	instance string
}

func marked(instance string) invoke.Exec {
	return marking{&invoke.DefaultExec{RawExec: &invoke.RawExec{Stderr: os.Stderr}}, instance}
}

func (m marking) ExecPlugin(ctx context.Context, path string, stdin []byte, env []string) ([]byte, error) {
	// The parameters of the CNI specification 1.0.0 (section 2); libcni adds them to all
	// variables of this process.
	needed := environment.Of(env, "CNI_COMMAND", "CNI_CONTAINERID", "CNI_NETNS", "CNI_IFNAME", "CNI_ARGS", "CNI_PATH")
	return m.DefaultExec.ExecPlugin(ctx, path, stdin, append(needed, "TARE_INSTANCE="+m.instance))
}
