// The control plane: etcd, API server, controllers and scheduler as processes in
// one network namespace.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
	"time"
)

// controlPlane are its processes with their arguments, in the order in which they
// need each other. etcd keeps its data in memory: they are worth nothing after a crash,
// etcd 3.4 cannot be told not to sync, and on a busy disk its requests time out.
func controlPlane() []control {
	return []control{
		{"etcd", "--data-dir " + etcdDir + " --listen-client-urls http://127.0.0.1:2379 --advertise-client-urls http://127.0.0.1:2379 --listen-peer-urls http://127.0.0.1:2380 --logger zap"},
		{"kube-apiserver", "--etcd-servers=http://127.0.0.1:2379 --bind-address=0.0.0.0 --advertise-address=" + apiAddress +
			" --service-cluster-ip-range=" + serviceNet + " --allow-privileged=true --authorization-mode=Node,RBAC --enable-admission-plugins=NodeRestriction" +
			" --client-ca-file=PKI/ca.crt --tls-cert-file=PKI/apiserver.crt --tls-private-key-file=PKI/apiserver.key" +
			" --kubelet-client-certificate=PKI/kubelet-client.crt --kubelet-client-key=PKI/kubelet-client.key --kubelet-preferred-address-types=InternalIP" +
			" --service-account-key-file=PKI/service-accounts.key --service-account-signing-key-file=PKI/service-accounts.key --service-account-issuer=https://kubernetes.default.svc" +
			// Webhooks are called by their endpoints' addresses: the control plane
			// has no kube-proxy.
			" --enable-aggregator-routing=true --profiling=false"},
		{"kube-controller-manager", "--kubeconfig=PKI/kube-controller-manager.kubeconfig --use-service-account-credentials=true" +
			" --service-account-private-key-file=PKI/service-accounts.key --root-ca-file=PKI/ca.crt --leader-elect=false --allocate-node-cidrs=false --profiling=false" +
			// A node that loses power is noticed in seconds, not in five minutes.
			" --node-monitor-grace-period=20s"},
		{"kube-scheduler", "--kubeconfig=PKI/kube-scheduler.kubeconfig --leader-elect=false --profiling=false"},
	}
}

type control struct{ name, args string }

// startControlPlane starts the processes and waits until the API server is
// ready.
func (l *lab) startControlPlane(ctx context.Context) error {
	for _, c := range controlPlane() {
		started, err := l.startControl(c)
		if err != nil {
			return err
		}
		if c.name != apiServer {
			continue
		}
		// Before the controllers: they give up when it is not ready within ten seconds.
		if err := l.waitForAPI(ctx, started); err != nil {
			return err
		}
	}
	return nil
}

const apiServer = "kube-apiserver"

func (l *lab) startControl(c control) (*os.Process, error) {
	program := l.path("bin", c.name)
	if c.name == "etcd" {
		program = "etcd"
	}
	args := strings.Fields(strings.NewReplacer("PKI", l.path("run", "pki")).Replace(c.args))
	return l.spawn(c.name, append([]string{"nsenter", "--net=/run/netns/" + controlNetns, "--", program}, args...), nil)
}

// startPatience bounds every wait of a start: only a start that fails takes so long. In an emulated
// machine (make lab-guest) all is twenty times slower.
const startPatience = 15 * time.Minute

// waitForAPI waits for an API server that answers, or has ended at its start.
func (l *lab) waitForAPI(ctx context.Context, server *os.Process) error {
	return l.until(ctx, startPatience, "the API server is ready", func() error {
		if pid, err := syscall.Wait4(server.Pid, nil, syscall.WNOHANG, nil); err != nil || pid == server.Pid {
			return final{fmt.Errorf("it has ended: see %s", l.path("run", "logs", apiServer+".log"))}
		}
		_, err := l.kubectl(ctx, "", "get", "--raw", "/readyz")
		return err
	})
}

// final is an error after which waiting is of no use.
type final struct{ error }

// until tries again and again, with a bound.
func (l *lab) until(ctx context.Context, within time.Duration, what string, try func() error) error {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	for {
		err := try()
		if err == nil {
			return nil
		}
		if errors.As(err, &final{}) {
			return fmt.Errorf("wait until %s: %w", what, err)
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("wait until %s: not within %s: %w", what, within, err)
		case <-time.After(200 * time.Millisecond):
		}
	}
}
