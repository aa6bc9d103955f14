package container_test

import (
	"bytes"
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tarebench/tare/internal/mysqld/mysqldtest"
	"github.com/tarebench/tare/internal/network"
	"github.com/tarebench/tare/internal/target"
	"github.com/tarebench/tare/internal/target/container"
	"github.com/tarebench/tare/internal/target/targettest"
)

// TestContainerWithNetwork: a server in a pod network passes the suite that
// every target passes.
func TestContainerWithNetwork(t *testing.T) {
	needRoot(t)
	t.Parallel()
	targettest.Run(t, func(t *testing.T) (target.Target, func() target.Request) {
		return newTarget(t, container.Settings{
			Client: network.OtherPod, Network: &network.Block{Plugin: "bridge"},
		}), targettest.Requests(t, mysqldtest.Distributions(t)[0])
	})
}

// TestClients: from every place the server of every flavour answers the account
// that the client is given, and the server's own process is in the namespace
// that it should be in.
func TestClients(t *testing.T) {
	needRoot(t)
	t.Parallel()
	for _, d := range mysqldtest.Distributions(t) {
		request := targettest.Requests(t, d)
		for _, c := range []struct {
			settings container.Settings
			from     string
		}{
			{container.Settings{Client: network.Host}, "127.0.0.1"},
			{container.Settings{Client: network.SamePod, Network: &network.Block{Plugin: "ptp"}}, "127.0.0.1"},
			{container.Settings{Client: network.OtherPod, Network: &network.Block{Plugin: "bridge"}}, "10.244.0.3"},
			{container.Settings{Client: network.OtherNode, Network: &network.Block{Plugin: "ptp"}}, "10.244.1.2"},
		} {
			t.Run(d.Flavour+"/"+c.settings.Client, func(t *testing.T) {
				s := started(t, c.settings, request())
				if got := targettest.ClientFrom(t, s); got != c.from {
					t.Errorf("the client is %s, want %s", got, c.from)
				}
				facts := known(s.Facts(context.Background(), "start"))
				if facts["network.client"] != c.settings.Client || facts["container.namespace.net"] != "its own" {
					t.Errorf("client %s, namespace %s", facts["network.client"], facts["container.namespace.net"])
				}
			})
		}
	}
}

// TestPasswordIsSecret: the account's password stands in no fact and in no file
// that others than the server can read.
func TestPasswordIsSecret(t *testing.T) {
	needRoot(t)
	t.Parallel()
	r := targettest.Requests(t, mysqldtest.Distributions(t)[0])()
	s := started(t, container.Settings{Client: network.Host}, r)
	secret := target.ClientOf(s).Address.Password
	for _, f := range s.Facts(context.Background(), "start") {
		if strings.Contains(f.Value+f.Source+f.Unknown, secret) {
			t.Errorf("fact %s holds the password", f.Key)
		}
	}
	found := 0
	rootfs := filepath.Join(r.Dir, "container", "rootfs") // the files of this machine, where other tests make and remove theirs
	for _, dir := range []string{r.RunDir, filepath.Join(r.Dir, "container")} {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			switch {
			case path == rootfs:
				return fs.SkipDir
			case err != nil || !d.Type().IsRegular():
				return err
			}
			text, err := os.ReadFile(path)
			if err != nil || !bytes.Contains(text, []byte(secret)) {
				return err
			}
			found++
			info, err := d.Info()
			if err == nil && info.Mode()&0o077 != 0 {
				t.Errorf("%s holds the password and has mode %v", path, info.Mode())
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	}
	if found != 1 {
		t.Errorf("%d files hold the password, want the one that the server reads", found)
	}
}

// TestNetworkSettings: contradictions are said of their fields.
func TestNetworkSettings(t *testing.T) {
	_, err := container.New(func(into any) error {
		*into.(*container.Settings) = container.Settings{Client: "moon", Network: &network.Block{MTU: 1, Plugin: "none"}}
		return nil
	}, container.Env{})
	for _, want := range []string{"client: \"moon\"", "network.mtu: 1 is", "network.plugin: \"none\" is not known"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v does not say %q", err, want)
		}
	}
}
