// Command kube is Kubernetes in one file: the name it is called by says which
// component it is. Six programs from the same packages would be linked six
// times, which takes longer than compiling on a small machine. K3s ships
// Kubernetes the same way.
package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/component-base/cli"
	_ "k8s.io/component-base/metrics/prometheus/clientgo"
	_ "k8s.io/component-base/metrics/prometheus/version"
	kubectl "k8s.io/kubectl/pkg/cmd"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	controllers "k8s.io/kubernetes/cmd/kube-controller-manager/app"
	proxy "k8s.io/kubernetes/cmd/kube-proxy/app"
	scheduler "k8s.io/kubernetes/cmd/kube-scheduler/app"
	kubelet "k8s.io/kubernetes/cmd/kubelet/app"
)

// components by the name they are called by.
var components = map[string]func() *cobra.Command{
	"kube-apiserver":          apiserver.NewAPIServerCommand,
	"kube-controller-manager": controllers.NewControllerManagerCommand,
	"kube-scheduler":          func() *cobra.Command { return scheduler.NewSchedulerCommand() },
	"kube-proxy":              proxy.NewProxyCommand,
	"kubelet":                 func() *cobra.Command { return kubelet.NewKubeletCommand(context.Background()) },
	"kubectl":                 kubectl.NewDefaultKubectlCommand,
}

func main() {
	name := filepath.Base(os.Args[0])
	component, ok := components[name]
	if !ok {
		fmt.Fprintf(os.Stderr, "call this program by the name of a component (a link to it): %s\n", strings.Join(names(), ", "))
		os.Exit(2)
	}
	os.Exit(run(name, component()))
}

// run a component. kubectl prints its errors itself (cmd/kubectl/kubectl.go).
func run(name string, command *cobra.Command) int {
	if name != "kubectl" {
		return cli.Run(command)
	}
	if err := cli.RunNoErrOutput(command); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

func names() []string {
	var all []string
	for name := range components {
		all = append(all, name)
	}
	sort.Strings(all)
	return all
}
