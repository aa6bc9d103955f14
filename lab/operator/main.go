// Command operator is the lab's stand-in for a MySQL operator: a controller that is driven
// by a descriptor and behaves as operators do. Its login comes late, its status passes
// through stages, it undoes what others change, it holds its resource by a finalizer, it
// gives the server options of its own, and it leaves claims and Secrets behind.
//
// It proves tare's handling of operators from one end to the other, and says nothing about
// any operator.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/tools/clientcmd"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "operator:", err)
		os.Exit(1) //nolint:forbidigo // this is main
	}
}

func run() error {
	kubeconfig := flag.String("kubeconfig", os.Getenv("KUBECONFIG"), "kubeconfig of an administrator")
	file := flag.String("descriptor", "descriptor.yaml", "descriptor in the form of internal/operator/descriptors")
	late := flag.Duration("late", 3*time.Second, "time from the pod to the Secret with its password")
	reverted := flag.String("revert", "sync_binlog=1", "comma-separated options that the resource cannot change")
	flag.Parse()
	d, err := readDescriptor(*file)
	if err != nil {
		return err
	}
	config, err := clientcmd.BuildConfigFromFlags("", *kubeconfig)
	if err != nil {
		return fmt.Errorf("read kubeconfig: %w", err)
	}
	config.QPS, config.Burst = 50, 100
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		return fmt.Errorf("connect: %w", err)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	c := &controller{descriptor: d, client: client, late: *late, reverted: strings.Split(*reverted, ",")}
	for ctx.Err() == nil {
		if err := c.round(ctx); err != nil && ctx.Err() == nil { // it is tried again
			fmt.Fprintln(os.Stderr, err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(time.Second):
		}
	}
	return nil
}
