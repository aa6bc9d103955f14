// What runs, in words.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"
)

// status prints the lab's processes and nodes.
func (l *lab) status(w io.Writer) error {
	all, err := processes()
	if err != nil {
		return err
	}
	for _, p := range all {
		what := p.command
		if p.node != "" {
			what = "node " + p.node
		}
		if p.dir != l.dir {
			what += " of " + p.dir
		}
		fmt.Fprintf(w, "%7d  %s\n", p.pid, what)
	}
	if len(all) == 0 {
		return errors.New("no lab runs; `make lab-up` starts one")
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	out, err := l.kubectl(ctx, "", "get", "nodes,pods", "--all-namespaces", "-o", "wide")
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "\n%s\nexport KUBECONFIG=%s\n", out, l.kubeconfig("admin"))
	return nil
}
