package network

import (
	"context"
	"flag"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// TestService: connections to the Service's address arrive at the server, from
// every place, by both kinds of rules, whatever other rules exist; the server
// sees the pod that asks, as it does behind kube-proxy.
func TestService(t *testing.T) {
	t.Parallel()
	for proxy, many := range map[string]int{iptablesProxy: 10_000, nftablesProxy: 3000} {
		for _, c := range []struct {
			client, plugin, from string
			others               int
		}{
			{OtherPod, "bridge", "10.244.0.3", 0},
			{OtherPod, "bridge", "10.244.0.3", 1},
			{OtherPod, "ptp", "10.244.0.3", 1000},
			{OtherNode, "bridge", "10.244.1.2", 10},
			{Host, "bridge", "10.244.0.1", many},
			{SamePod, "bridge", "10.244.0.1", 1}, // hairpin: masqueraded
			{Host, "ptp", "10.244.0.1", 1},
			{Host, "", nodeAddress, 1},
		} {
			t.Run(fmt.Sprint(proxy, "/", c.client, "/", c.plugin, "/", c.others), func(t *testing.T) {
				t.Parallel()
				n := built(t, Settings{Client: c.client, Block: Block{Plugin: c.plugin}, Service: Service{Proxy: proxy, Others: c.others}})
				if n.Server() != serviceAddress {
					t.Fatalf("the client is to use %s", n.Server())
				}
				n.serve(t, greet)
				if got := greeting(t, n.dial(t)); got != c.from {
					t.Errorf("the client comes from %s, want %s", got, c.from)
				}
				facts := known(n.Facts(context.Background()))
				for _, name := range n.nodes() {
					if got := facts["network."+name+".services"]; got != strconv.Itoa(c.others+1) {
						t.Errorf("%s holds %q Services, want %d", name, got, c.others+1)
					}
				}
			})
		}
	}
}

// TestRules compares the rules with golden files. They follow kube-proxy's
// sources (pkg/proxy/iptables, pkg/proxy/nftables, v1.34); they have not been compared
// with those of a live kube-proxy.
func TestRules(t *testing.T) {
	n := &Network{settings: Settings{Service: Service{Others: 2}}, endpoint: "10.244.0.2"}
	for name, got := range map[string]string{"iptables": iptablesRules(n.services(), transaction), "nftables": nftablesRules(n.services())} {
		file := "testdata/" + name + ".golden"
		if *update {
			if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if got != string(want) {
			t.Errorf("%s:\n%s\nwant\n%s", name, got, want)
		}
	}
}

// TestHash: kube-proxy's name for the Service of the API server is known to
// everyone who has ever listed its rules.
func TestHash(t *testing.T) {
	s := service{name: "default/kubernetes:https"}
	if got := s.serviceChain(); got != "KUBE-SVC-NPX46M4PTMTKRN6Y" {
		t.Error(got)
	}
}

// TestServicesDiffer: no two Services share an address or a chain.
func TestServicesDiffer(t *testing.T) {
	n := &Network{settings: Settings{Service: Service{Others: maxOthers}}, endpoint: "10.244.0.2"}
	seen := map[string]bool{}
	for _, s := range n.services() {
		for _, key := range []string{s.address, s.endpoint, s.serviceChain(), s.endpointChain(), s.nftService()} {
			if seen[key] {
				t.Fatalf("%s stands twice", key)
			}
			seen[key] = true
		}
		if strings.Count(s.address, ".") != 3 {
			t.Fatalf("%q is not an address", s.address)
		}
	}
}
