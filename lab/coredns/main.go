// Command coredns is CoreDNS with the plugins that a cluster's name service
// needs, and no others: the full set takes twice as long to build.
package main

import (
	"github.com/coredns/coredns/core/dnsserver"
	"github.com/coredns/coredns/coremain"
	_ "github.com/coredns/coredns/plugin/cache"
	_ "github.com/coredns/coredns/plugin/errors"
	_ "github.com/coredns/coredns/plugin/health"
	_ "github.com/coredns/coredns/plugin/kubernetes"
	_ "github.com/coredns/coredns/plugin/loadbalance"
	_ "github.com/coredns/coredns/plugin/ready"
)

func main() {
	// The order in which the plugins see a query.
	dnsserver.Directives = []string{"health", "ready", "errors", "cache", "loadbalance", "kubernetes"}
	coremain.Run()
}
