package network

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/containernetworking/cni/pkg/invoke"
)

// TestPluginEnvironment: a CNI plugin gets its parameters and what a program needs to run, and
// no other variable of tare, as one of them may be a password.
func TestPluginEnvironment(t *testing.T) {
	t.Setenv("TARE_TEST_SECRET", "0f3b9c77e1d2")
	plugin := filepath.Join(t.TempDir(), "plugin")
	if err := os.WriteFile(plugin, []byte("#!/bin/sh\nexec env\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	environ := (&invoke.Args{Command: "ADD", ContainerID: "tare-x", NetNS: "/run/netns/x", IfName: "eth0", Path: "/opt/cni/bin", PluginArgsStr: "K=V"}).AsEnv()
	out, err := marked("x").ExecPlugin(t.Context(), plugin, nil, environ)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(out), "0f3b9c77e1d2") {
		t.Errorf("the plugin has the password:\n%s", out)
	}
	for _, want := range []string{"CNI_COMMAND=ADD", "CNI_CONTAINERID=tare-x", "CNI_NETNS=/run/netns/x", "CNI_IFNAME=eth0", "CNI_PATH=/opt/cni/bin", "CNI_ARGS=K=V", "PATH=" + os.Getenv("PATH"), "TARE_INSTANCE=x"} {
		if !strings.Contains("\n"+string(out), "\n"+want+"\n") {
			t.Errorf("the plugin lacks %s:\n%s", want, out)
		}
	}
}
