// Load balancers: HAProxy between clients and the nodes, for each Service of type LoadBalancer, as a
// cloud's controller makes them. It runs in a namespace of its own on the switch.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// balancerNetns is where HAProxy runs. Its addresses on the switch begin at balancerFirst.
const (
	balancerNetns = prefix + "-lb"
	balancerFirst = 100
	balancersMost = 100
)

// exposed is what is read of a Service.
type exposed struct {
	Metadata struct {
		Name      string `json:"name"`
		Namespace string `json:"namespace"`
		UID       string `json:"uid"`
		Deleted   string `json:"deletionTimestamp"`
	} `json:"metadata"`
	Spec struct {
		Type  string `json:"type"`
		Ports []struct {
			Port     int `json:"port"`
			NodePort int `json:"nodePort"`
		} `json:"ports"`
	} `json:"spec"`
}

// balancer is one that runs.
type balancer struct {
	number  int
	process *exec.Cmd
}

func (b *balancer) address() string { return fmt.Sprintf("10.200.0.%d", balancerFirst+b.number) }

// balance runs beside the control plane for as long as the lab does. It looks again and again: a
// watch would tell sooner and would have to survive its own expiry.
func (l *lab) balance(ctx context.Context) error {
	running := map[string]*balancer{}
	for ctx.Err() == nil {
		if err := l.balanceAll(ctx, running); err != nil { // the API server can be away
			fmt.Fprintln(os.Stderr, err)
		}
		time.Sleep(time.Second)
	}
	return nil
}

// balanceAll starts what Services ask for and ends what none asks for any more.
func (l *lab) balanceAll(ctx context.Context, running map[string]*balancer) error {
	text, err := l.kubectl(ctx, "", "get", "services", "--all-namespaces", "-o", "json")
	if err != nil {
		return err
	}
	var found struct {
		Items []exposed `json:"items"`
	}
	if err := json.Unmarshal([]byte(text), &found); err != nil {
		return fmt.Errorf("read Services: %w", err)
	}
	asked := map[string]bool{}
	for _, s := range found.Items {
		if s.Spec.Type != "LoadBalancer" || s.Metadata.Deleted != "" || len(s.Spec.Ports) == 0 || s.Spec.Ports[0].NodePort == 0 {
			continue
		}
		asked[s.Metadata.UID] = true
		if running[s.Metadata.UID] == nil {
			b, e := l.startBalancer(ctx, s, running)
			if e != nil {
				err = errors.Join(err, e)
				continue
			}
			running[s.Metadata.UID] = b
		}
	}
	for uid, b := range running {
		if !asked[uid] {
			err = errors.Join(err, b.stop())
			delete(running, uid)
		}
	}
	return err
}

// startBalancer listens at an address of its own, and then says so in the Service's status.
func (l *lab) startBalancer(ctx context.Context, s exposed, running map[string]*balancer) (*balancer, error) {
	b := &balancer{number: freeNumber(running)}
	if b.number >= balancersMost {
		return nil, fmt.Errorf("start a load balancer for %s: there are %d", s.Metadata.Name, balancersMost)
	}
	if err := commands(fmt.Sprintf("ip -n %s addr replace %s/24 dev eth0", balancerNetns, b.address())); err != nil {
		return nil, err
	}
	file := l.path("run", "haproxy-"+s.Metadata.UID+".cfg")
	if err := writeFile(file, b.configuration(s)); err != nil {
		return nil, err
	}
	b.process = exec.Command("ip", "netns", "exec", balancerNetns, "haproxy", "-db", "-f", file)
	b.process.Stderr = os.Stderr
	if err := b.process.Start(); err != nil {
		return nil, fmt.Errorf("start haproxy: %w", err)
	}
	_, err := l.kubectl(ctx, "", "patch", "service", s.Metadata.Name, "--namespace", s.Metadata.Namespace, "--subresource=status", "--type=merge",
		"--patch", fmt.Sprintf(`{"status":{"loadBalancer":{"ingress":[{"ip":%q}]}}}`, b.address()))
	if err != nil {
		return nil, errors.Join(err, b.stop())
	}
	return b, nil
}

func freeNumber(running map[string]*balancer) int {
	taken := map[int]bool{}
	for _, b := range running {
		taken[b.number] = true
	}
	number := 0
	for taken[number] {
		number++
	}
	return number
}

// configuration leads from the Service's port to its NodePort on every node. There are no health
// checks: a connection that logs in to nothing counts against its host (max_connect_errors).
func (b *balancer) configuration(s exposed) string {
	var c strings.Builder
	fmt.Fprintf(&c, "defaults\n mode tcp\n timeout connect 5s\n timeout client 1h\n timeout server 1h\nlisten service\n bind %s:%d\n", b.address(), s.Spec.Ports[0].Port)
	for _, n := range nodes {
		fmt.Fprintf(&c, " server %s %s:%d\n", n.name, n.address(), s.Spec.Ports[0].NodePort)
	}
	return c.String()
}

// stop ends HAProxy, which ip has become.
func (b *balancer) stop() error {
	if err := b.process.Process.Signal(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("end haproxy: %w", err)
	}
	_ = b.process.Wait() // it was told to end
	return nil
}
