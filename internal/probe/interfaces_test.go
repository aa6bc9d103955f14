package probe

import (
	"os"
	"testing"
	"testing/fstest"
)

// TestInterfaces: bytes of every interface but the loopback; the speed of cards, where
// the server is in this process's namespace, and of no virtual link.
func TestInterfaces(t *testing.T) {
	dev := "Inter-|   Receive | Transmit\n face |bytes packets errs drop fifo frame compressed multicast|bytes packets errs drop fifo colls carrier compressed\n" +
		"    lo: 9 1 0 0 0 0 0 0 9 1 0 0 0 0 0 0\n  eno1: 100 1 0 0 0 0 0 0 11 1 0 0 0 0 0 0\n  eno2: 7 1 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n veth0: 1 1 0 0 0 0 0 0 1 1 0 0 0 0 0 0\n"
	p := Place{PID: os.Getpid()}
	file := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }
	p.Root = fstest.MapFS{
		p.proc("net/dev"): file(dev), "sys/class/net/eno1/speed": file("1000\n"), "sys/class/net/eno1/device/vendor": file(""),
		"sys/class/net/eno2/speed": file("-1\n"), "sys/class/net/eno2/device/vendor": file(""), "sys/class/net/veth0/speed": file("10000\n"),
	}
	got := map[string]string{}
	for _, f := range Interfaces(p, "start") {
		got[f.Key] = f.Value
	}
	want := map[string]string{"interface.eno1.bytes": "111", "interface.eno1.mbit_per_s": "1000", "interface.eno2.bytes": "7", "interface.veth0.bytes": "2"}
	if len(got) != len(want) {
		t.Errorf("%v", got)
	}
	for key, value := range want {
		if got[key] != value {
			t.Errorf("%s is %q, want %q", key, got[key], value)
		}
	}
	if end := Interfaces(p, "end"); len(end) != 3 {
		t.Errorf("at the end: %v", end)
	}
	if got := Interfaces(Place{Root: p.Root}, "start"); got != nil {
		t.Errorf("of no process: %v", got)
	}
	p.Root = fstest.MapFS{}
	if got := Interfaces(p, "start"); len(got) != 1 || got[0].Unknown == "" {
		t.Errorf("without the file: %v", got)
	}
}
