package probe

import (
	"io/fs"
	"os"
	"strconv"
	"strings"

	"github.com/tarebench/tare/internal/keys"
	"github.com/tarebench/tare/internal/record"
)

// Interfaces are the bytes that every interface of the server's network namespace but the
// loopback has carried in both directions and, where that is this process's own, its speed:
// /sys/class/net has the interfaces of the namespace that it was mounted in. A virtual link
// states no speed, or one that means nothing, and has none here. A server elsewhere has no
// facts.
func Interfaces(p Place, phase string) []record.Fact {
	if p.PID == 0 || p.Remote {
		return nil
	}
	text, err := read(p.Root, p.proc("net/dev"))
	if err != nil {
		return []record.Fact{{Key: keys.InterfacePrefix + "bytes", Source: p.proc("net/dev"), Unknown: err.Error(), Phase: phase}}
	}
	here := sameNetwork(p)
	var facts []record.Fact
	for line := range strings.Lines(text) {
		name, rest, ok := strings.Cut(line, ":")
		f := strings.Fields(rest)
		if name = strings.TrimSpace(name); !ok || len(f) < 16 || name == "lo" {
			continue
		}
		received, _ := number(f[0])
		sent, _ := number(f[8])
		facts = append(facts, record.Fact{Key: keys.InterfacePrefix + name + ".bytes", Value: strconv.FormatFloat(received+sent, 'f', 0, 64), Source: "/proc/PID/net/dev", Phase: phase})
		if phase != "start" || !here {
			continue
		}
		if speed, ok := linkSpeed(p.Root, name); ok {
			facts = append(facts, record.Fact{Key: keys.InterfacePrefix + name + ".mbit_per_s", Value: strconv.FormatFloat(speed, 'f', 0, 64), Source: "/sys/class/net/" + name + "/speed", Phase: phase})
		}
	}
	return facts
}

// linkSpeed is that of a device; a link without one below it is virtual. -1 is that of a card
// whose link is down (Documentation/ABI/testing/sysfs-class-net).
func linkSpeed(root fs.FS, name string) (mbit float64, ok bool) {
	dir := "sys/class/net/" + name
	if _, err := fs.Stat(root, dir+"/device"); err != nil {
		return 0, false
	}
	v, err := single(root, dir+"/speed")
	return v, err == nil && v > 0
}

// sameNetwork says whether the server is in this process's network namespace.
func sameNetwork(p Place) bool {
	own, err := os.Readlink("/proc/self/ns/net")
	server, err2 := os.Readlink("/" + p.proc("ns/net"))
	return err == nil && err2 == nil && own == server
}
