package runner

// This file says whether the server and the load generators of a trial were on the machine that the gates are
// read on, which is tare's own: what else runs there disturbs nothing that is elsewhere.
//
// Machines are told apart by the boot id of their kernels (random(4)): the kubelet reports it in a node's status, and a
// load generator reads its own. Equal ids are one kernel, and so one set of CPUs, disks and memory, also where
// containers or network namespaces are the nodes (kind, the lab of docs/lab.md). Rejected: the machine id, which virtual
// machines cloned from one image share, and the time of the boot, which two machines can share. A virtual machine on
// this one has a kernel of its own and counts as elsewhere: what its host takes from it is its steal.

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"

	"github.com/tarebench/tare/internal/environment"
	"github.com/tarebench/tare/internal/keys"
	"github.com/tarebench/tare/internal/record"
)

// sides are what tells where a trial's server and its load were.
type sides struct {
	own        string // the boot id of tare's machine
	generators int    // elsewhere; 0: the load comes from tare
	sameNodes  bool   // the names of the generators' nodes and of the server's are those of one cluster
	// local: the server is one that tare started on its machine. address is the host of one that runs
	// already, "" for one in a cluster.
	local   bool
	address string
	// told are facts of the trial by their keys.
	told map[string]string
}

// fact is where something is. The error says why that is not known.
func (s sides) fact(key string, boot, source string, err error) record.Fact {
	f := record.Fact{Key: key, Source: source, Value: record.Elsewhere}
	switch {
	case err != nil:
		f.Value, f.Unknown = "", err.Error()
	case s.own == "":
		f.Value, f.Unknown = "", "the kernel of tare's machine tells no boot id"
	case boot == s.own:
		f.Value = record.Here
	}
	return f
}

// load is where the generators were: here if one of them was.
func (s sides) load() record.Fact {
	if s.generators == 0 {
		return record.Fact{Key: keys.GateLoad, Value: record.Here, Source: "tare sends the load"}
	}
	const source = "boot ids of the load generators' kernels and of tare's"
	var missing error
	for number := range s.generators {
		switch boot := s.told[fmt.Sprintf(keys.LoadPodPrefix+"%d.boot_id", number)]; boot {
		case "":
			missing = fmt.Errorf("load generator %d did not tell the boot id of its kernel", number)
		case s.own:
			return s.fact(keys.GateLoad, boot, source, nil)
		}
	}
	return s.fact(keys.GateLoad, "", source, missing)
}

// server is where the server was. Without the permission to read nodes, a load pod on its node tells.
func (s sides) server(ctx context.Context) record.Fact {
	if s.local {
		return record.Fact{Key: keys.GateServer, Value: record.Here, Source: "tare started it on its machine"}
	}
	if s.address != "" {
		return s.running(ctx)
	}
	if boot := s.told[keys.NodeBootID]; boot != "" {
		return s.fact(keys.GateServer, boot, "boot ids of node "+s.told[keys.PodNode]+" and of tare's kernel", nil)
	}
	for number := range s.generators {
		prefix := keys.LoadPodPrefix + strconv.Itoa(number) + "."
		inside, node := s.told[keys.LoadClient] != "", s.told[prefix+"node"]
		beside := s.sameNodes && node != "" && node == s.told[keys.PodNode]
		if boot := s.told[prefix+"boot_id"]; boot != "" && (inside || beside) {
			return s.fact(keys.GateServer, boot, "boot ids of the kernel of load pod "+strconv.Itoa(number)+", which was on the server's node, and of tare's", nil)
		}
	}
	return s.fact(keys.GateServer, "", "", errors.New("the boot id of the server's node may not be read, and no load pod was on that node"))
}

// running is where a server was that runs already: its address tells no more than that it is not here.
func (s sides) running(ctx context.Context) record.Fact {
	f := record.Fact{Key: keys.GateServer, Source: record.ByAddress + s.address}
	own, err := ownAddress(ctx, s.address)
	switch {
	case err != nil:
		f.Unknown = err.Error()
	case own:
		f.Unknown = "an address of tare's machine can be a proxy's or a tunnel's"
	default:
		f.Value = record.Elsewhere
	}
	return f
}

// ownAddress tells whether a host is this machine, as far as addresses tell.
func ownAddress(ctx context.Context, host string) (bool, error) {
	ips, err := net.DefaultResolver.LookupIPAddr(ctx, host)
	if err != nil {
		return false, fmt.Errorf("look up %s: %w", host, err)
	}
	interfaces, err := net.InterfaceAddrs()
	if err != nil {
		return false, fmt.Errorf("read the addresses of this machine: %w", err)
	}
	return slices.ContainsFunc(ips, func(ip net.IPAddr) bool {
		return ip.IP.IsLoopback() || slices.ContainsFunc(interfaces, func(a net.Addr) bool {
			n, ok := a.(*net.IPNet)
			return ok && n.IP.Equal(ip.IP)
		})
	}), nil
}

// sides of the trial, once all its facts have been read.
func (t *trial) sides() sides {
	own, _ := environment.Boot() // "" where the kernel does not tell, as on other systems than Linux
	s := sides{own: own, told: t.told, sameNodes: t.From == nil}
	place, _ := t.place(t.plan)
	if t.distributed() {
		s.generators = t.server.Capabilities().Generators
		if t.From != nil {
			s.generators = t.From.Generators
		}
	}
	switch at := place.Capabilities().Endpoint; {
	case at != nil && at.Socket != "": // of this machine
		s.local = true
	case at != nil:
		s.address = at.Host
	default:
		s.local = t.server.Capabilities().Probe == nil
	}
	return s
}

// tells whether a fact is one that says where the trial's parts were.
func tells(key string) bool {
	return key == keys.PodNode || key == keys.NodeBootID || key == keys.LoadClient || strings.HasPrefix(key, keys.LoadPodPrefix)
}
