package network

import (
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/tarebench/tare/internal/keys"
	"github.com/tarebench/tare/internal/record"
)

// counted are the columns of the line Ip of /proc/net/snmp (RFC 4293) that say what
// became of packets that did not fit, by what facts call them.
func counted() map[string]string {
	return map[string]string{"FragCreates": keys.IPFragments, "FragFails": keys.IPFragmentationFailures, "ReasmReqds": keys.IPReassembled}
}

// Counters read what the nodes did with packets that were too large. Those of the
// server's own namespace do not have it: a tunnel's packets, and those that are
// passed on, are the node's.
func (n *Network) Counters() []record.Fact {
	if n == nil {
		return nil
	}
	var facts []record.Fact
	for _, name := range n.nodes() {
		prefix := "network." + name + "."
		var text []byte
		err := Inside(n.path(name), func() (err error) {
			text, err = os.ReadFile("/proc/thread-self/net/snmp")
			return err
		})
		if err != nil {
			facts = append(facts, record.Fact{Key: prefix + keys.IPFragments, Source: n.path(name), Unknown: err.Error()})
			continue
		}
		line := ipLine(string(text))
		for _, column := range slices.Sorted(maps.Keys(line)) {
			if what, ok := counted()[column]; ok {
				facts = append(facts, record.Fact{Key: prefix + what, Value: line[column], Source: "/proc/net/snmp, Ip " + column})
			}
		}
	}
	return facts
}

// ipLine pairs the names of the line Ip with its values.
func ipLine(text string) map[string]string {
	pairs := map[string]string{}
	var names []string
	for line := range strings.Lines(text) {
		rest, ok := strings.CutPrefix(line, "Ip:")
		if !ok {
			continue
		}
		if f := strings.Fields(rest); names == nil {
			names = f
		} else if len(f) == len(names) {
			for i, name := range names {
				pairs[name] = f[i]
			}
		}
	}
	return pairs
}
