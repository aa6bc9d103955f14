package kubernetes

// Which cluster is meant: the kubeconfig and its context, as kubectl takes them, and what is said where they
// name none.

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// NotFound is the error of a kubeconfig or a context that names no cluster: nothing was asked.
type NotFound struct{ error }

// Unwrap is what was wrong.
func (e NotFound) Unwrap() error { return e.error }

// found is what a kubeconfig says of a cluster.
type found struct {
	config    *rest.Config
	context   string // "" in a pod without a kubeconfig
	namespace string
}

// find reads the configuration as kubectl does. The error is a [NotFound].
func find(at Where) (found, error) {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = at.Kubeconfig
	loader := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, &clientcmd.ConfigOverrides{CurrentContext: at.Context})
	raw, err := loader.RawConfig()
	if err != nil {
		return found{}, NotFound{fmt.Errorf("find cluster: %w", unreadable(at, err))}
	}
	f := found{context: at.Context, namespace: at.Namespace}
	if f.context == "" {
		f.context = raw.CurrentContext
	}
	if _, has := raw.Contexts[f.context]; at.Context != "" && !has {
		names := make([]string, 0, len(raw.Contexts))
		for name := range raw.Contexts {
			names = append(names, name)
		}
		slices.Sort(names)
		return found{}, NotFound{fmt.Errorf("find cluster: %w", noContext(at.Context, names))}
	}
	f.config, err = loader.ClientConfig()
	if clientcmd.IsEmptyConfig(err) { // whose text advises a variable that kubectl no longer reads
		err = noKubeconfig(rules.GetLoadingPrecedence())
	}
	if err != nil {
		return found{}, NotFound{fmt.Errorf("find cluster: %w", err)}
	}
	if f.namespace == "" {
		var explicit bool
		if f.namespace, explicit, err = loader.Namespace(); err != nil {
			return found{}, NotFound{fmt.Errorf("find cluster: %w", err)}
		}
		if !explicit && f.namespace == "default" {
			f.namespace = "tare"
		}
	}
	return f, nil
}

// noKubeconfig is the error where none of the places of a kubeconfig has one. It names those without a file: a
// path of the variable KUBECONFIG can be mistyped, and client-go passes over it.
func noKubeconfig(places []string) error {
	var absent []string
	for _, path := range places {
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			absent = append(absent, path)
		}
	}
	which := ""
	switch len(absent) {
	case 0:
	case 1:
		which = ": " + absent[0] + " does not exist"
	default:
		which = ": " + strings.Join(absent, ", ") + " do not exist"
	}
	return fmt.Errorf("there is no kubeconfig%s; name one with --kubeconfig FILE or the variable KUBECONFIG", which)
}

// unreadable says in words what keeps a kubeconfig from being read.
func unreadable(at Where, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("kubeconfig %s does not exist", at.Kubeconfig)
	}
	return err
}

// noContext is the error for a context that no kubeconfig has, with those that there are.
func noContext(name string, names []string) error {
	if len(names) == 0 {
		return fmt.Errorf("context %q does not exist; the kubeconfig has no contexts: name another with --kubeconfig FILE or the variable KUBECONFIG", name)
	}
	const most = 10
	rest := ""
	if n := len(names) - most; n > 0 {
		names, rest = names[:most], fmt.Sprintf(" and %d more", n)
	}
	return fmt.Errorf("context %q does not exist; the kubeconfig has %s%s", name, strings.Join(names, ", "), rest)
}
