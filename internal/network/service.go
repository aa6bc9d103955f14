package network

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base32"
	"errors"
	"fmt"
	"net"
	"os/exec"
	"regexp"
	"strings"

	"github.com/tarebench/tare/internal/record"
)

// serviceAddress is the Service of the server; serviceNet holds all of them,
// the range that kubeadm gives them by default.
const (
	serviceAddress = "10.96.0.100"
	serviceNet     = "10.96.0.0/12"
)

// The forms of kube-proxy's rules. Those of iptables are the same in both: they are
// held by nf_tables, as distributions' iptables does today, or by the kernel's older
// tables, which take 30,000 Services in 3 s where nf_tables takes 9.
const (
	iptablesProxy = "iptables"
	legacyProxy   = "iptables-legacy"
	nftablesProxy = "nftables"
)

// How many Services a rule set may hold beside the server's. Kubernetes is tested with 10,000
// ("Considerations for large clusters"). In nftables mode every Service has an anonymous set, and
// the kernel compares each of them with all others of the transaction and of the table
// (nf_tables_api.c, nft_set_trans_bind and nf_tables_set_alloc_name): 10,000 take 23 s, 30,000
// were not written in 8 minutes (Linux 6.18).
const (
	maxOthers    = 30_000
	maxOthersNFT = 10_000
)

// service is a Service of one port with one endpoint.
type service struct {
	name         string // namespace/name:port
	address      string
	port         int
	endpoint     string
	endpointPort int
}

// services are those of the node: the server's, in the middle of the others.
// kube-proxy's own order is that of a Go map.
func (n *Network) services() []service {
	own := service{name: "default/mysql:mysql", address: serviceAddress, port: Port, endpoint: n.endpoint, endpointPort: Port}
	var all []service
	for i := range n.settings.Service.Others {
		if i == n.settings.Service.Others/2 {
			all = append(all, own)
		}
		all = append(all, other(i))
	}
	if len(all) == 0 {
		all = append(all, own)
	}
	return all
}

// other is one of the Services without traffic.
func other(i int) service {
	return service{
		name: fmt.Sprintf("other/service-%d:http", i), port: 80, endpointPort: 8080,
		address:  nth(net.IPv4(10, 97, 0, 1), i),
		endpoint: nth(net.IPv4(10, 245, 0, 1), i),
	}
}

// nth is the address i after first.
func nth(first net.IP, i int) string {
	b := first.To4()
	v := uint32(b[0])<<24 | uint32(b[1])<<16 | uint32(b[2])<<8 | uint32(b[3])
	v += uint32(i)
	return net.IPv4(byte(v>>24), byte(v>>16), byte(v>>8), byte(v)).String()
}

// hash is kube-proxy's short name for a Service or an endpoint
// (pkg/proxy/iptables/proxier.go, portProtoHash and servicePortEndpointChainName).
func hash(length int, parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "")))
	return base32.StdEncoding.EncodeToString(sum[:])[:length]
}

// addService writes the rules into every node, as kube-proxy does, and makes the
// Service's address the server's.
func (n *Network) addService(ctx context.Context) error {
	s := n.settings.Service
	if !s.Wanted() {
		return nil
	}
	n.endpoint, n.server = n.server, serviceAddress
	all := n.services()
	argv, rules := []string{s.Proxy + "-restore", "--noflush"}, ""
	switch s.Proxy {
	case nftablesProxy:
		argv, rules = []string{"nft", "-f", "-"}, nftablesRules(all)
	case legacyProxy:
		rules = iptablesRules(all, len(all))
	default:
		rules = iptablesRules(all, transaction)
	}
	for _, name := range n.nodes() {
		if _, err := n.command(ctx, name, rules, argv...); err != nil {
			return fmt.Errorf("write the rules of %d Services: %w", s.Others+1, err)
		}
	}
	return n.filterBridges()
}

// filterBridges makes bridged packets go through the rules: without it the
// answer of a pod to another pod of its node goes back without having its address
// translated (kubeadm's preflight check).
func (n *Network) filterBridges() error {
	if n.settings.Plugin != "bridge" {
		return nil
	}
	for _, name := range n.nodes() {
		err := Inside(n.path(name), func() error { return sysctl("net/bridge/bridge-nf-call-iptables", "1") })
		if err != nil {
			return fmt.Errorf("%w; load the kernel module br_netfilter", err)
		}
	}
	return nil
}

// command runs a program in a namespace, and returns what it prints.
func (n *Network) command(ctx context.Context, name, stdin string, argv ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	var out, complaint bytes.Buffer
	err := Inside(n.path(name), func() error {
		cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
		// A shell's PATH need not hold the programs of the system's.
		cmd.Env = []string{"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "TARE_INSTANCE=" + n.instance}
		if path, err := findProgram(argv[0]); err == nil {
			cmd.Path, cmd.Err = path, nil
		}
		cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), &out, &complaint
		return cmd.Run()
	})
	if err != nil {
		return "", fmt.Errorf("run %s: %w: %s", argv[0], errors.Join(err, ctx.Err()), strings.TrimSpace(complaint.String()))
	}
	return out.String(), nil
}

// findProgram looks where the system's programs are, whatever PATH says.
func findProgram(name string) (string, error) {
	for _, dir := range []string{"/usr/sbin", "/sbin", "/usr/bin", "/bin"} {
		if path, err := exec.LookPath(dir + "/" + name); err == nil {
			return path, nil
		}
	}
	return exec.LookPath(name)
}

// serviceFacts count the rules that the kernel holds.
func (n *Network) serviceFacts(ctx context.Context, name string) []record.Fact {
	if !n.settings.Service.Wanted() {
		return nil
	}
	argv, pattern := []string{n.settings.Service.Proxy + "-save", "-t", "nat"}, `(?m)^-A KUBE-SERVICES .*-j KUBE-SVC-`
	if n.settings.Service.Proxy == nftablesProxy {
		argv, pattern = []string{"nft", "list", "map", "ip", "kube-proxy", "service-ips"}, `goto service-`
	}
	services := record.Fact{Key: "network." + name + ".services", Source: strings.Join(argv, " ")}
	text, err := n.command(ctx, name, "", argv...)
	if err != nil {
		services.Unknown = err.Error()
	} else {
		services.Value = fmt.Sprint(len(regexp.MustCompile(pattern).FindAllString(text, -1)))
	}
	return []record.Fact{
		{Key: "network." + name + ".proxy", Value: n.settings.Service.Proxy, Source: "experiment.yaml"}, services,
	}
}
