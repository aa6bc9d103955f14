package members

// A proxy between the load and the first member, as an arm's setting.

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/tarebench/tare/internal/environment"
	"github.com/tarebench/tare/internal/keys"
	"github.com/tarebench/tare/internal/network"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/spawn"
	"github.com/tarebench/tare/internal/target"
)

// The proxy's place: beside the second member, so that a statement crosses the network between
// the nodes twice, as through a proxy's pod on a node that is not the primary's.
const (
	proxyPort  = 3307
	proxyFile  = "haproxy.cfg"
	proxyReady = time.Minute
)

// proxy is a HAProxy that passes on TCP connections.
type proxy struct {
	cmd     *exec.Cmd
	address string // that the load connects to
	config  string
	said    strings.Builder // by the proxy, until ended
	ended   chan struct{}
	err     error // how it ended
}

// haproxyConfig has no checks: the load goes to the first member as long as there is one, and
// a check would find it down between its turns. Sessions last as long as the load, and as many
// are possible as the process may have files.
func haproxyConfig(member string) string {
	return fmt.Sprintf(`defaults
  mode tcp
  timeout connect 10s
  timeout client 24h
  timeout server 24h
listen mysql
  bind 0.0.0.0:%d
  server member-1 %s
`, proxyPort, member)
}

// startProxy starts the proxy where the settings have one, and waits until it listens.
func (s *servers) startProxy(ctx context.Context) error {
	if s.database.Settings().Proxy == "" {
		return nil
	}
	hosts, port := s.database.Hosts(), strconv.Itoa(proxyPort)
	p := &proxy{address: net.JoinHostPort(hosts[1], port), config: filepath.Join(s.request.RunDir, proxyFile), ended: make(chan struct{})}
	if err := os.WriteFile(p.config, []byte(haproxyConfig(net.JoinHostPort(hosts[0], strconv.Itoa(network.Port)))), 0o644); err != nil {
		return fmt.Errorf("write proxy's configuration: %w", err)
	}
	p.cmd = exec.Command("haproxy", "-db", "-f", p.config)
	p.cmd.Env = append(environment.Passed(), target.InstanceVariable+"="+s.request.Name)
	p.cmd.Stdout, p.cmd.Stderr = &p.said, &p.said
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}
	namespace := s.network.MemberNamespace(2)
	if err := p.launch(namespace); err != nil {
		return errors.Join(record.StartProxy.Wrap(err), os.Remove(p.config))
	}
	s.proxy = p
	return p.listens(ctx, namespace)
}

// launch starts the process in a network namespace.
func (p *proxy) launch(namespace string) error {
	return spawn.StartHeld(func() error { return network.Inside(namespace, p.cmd.Start) }, func() {
		p.err = p.cmd.Wait()
		close(p.ended)
	})
}

// listens waits until the proxy takes connections.
func (p *proxy) listens(ctx context.Context, namespace string) error {
	ctx, cancel := context.WithTimeout(ctx, proxyReady)
	defer cancel()
	for {
		err := network.Inside(namespace, func() error {
			c, err := (&net.Dialer{Timeout: time.Second}).DialContext(ctx, "tcp", p.address)
			if err != nil {
				return err
			}
			return c.Close()
		})
		if err == nil {
			return nil
		}
		select {
		case <-p.ended:
			return record.StartProxy.Error(p.err, record.ProxyEnded.Say(fmt.Sprint(p.err), p.said.String()))
		default:
		}
		if !every(ctx, 20*time.Millisecond) {
			return record.WaitProxy.Wrap(err)
		}
	}
}

// signal reaches a proxy that runs; nil has none.
func (p *proxy) signal(sig unix.Signal) error {
	if p == nil {
		return nil
	}
	select {
	case <-p.ended:
		return nil
	default:
	}
	if err := unix.Kill(p.cmd.Process.Pid, sig); err != nil && !errors.Is(err, unix.ESRCH) {
		return fmt.Errorf("signal proxy: %w", err)
	}
	return nil
}

// stop ends the proxy. It can be repeated.
func (p *proxy) stop() error {
	if p == nil {
		return nil
	}
	if err := p.signal(unix.SIGKILL); err != nil {
		return err
	}
	<-p.ended
	if err := os.Remove(p.config); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("remove proxy's configuration: %w", err)
	}
	return nil
}

// alive says how a proxy ended.
func (p *proxy) alive() error {
	if p == nil {
		return nil
	}
	select {
	case <-p.ended:
		return record.ProxyGone.Error(p.err, fmt.Sprint(p.err), p.said.String())
	default:
		return nil
	}
}

// client is how the load gets to the first member through the proxy.
func (p *proxy) client(c target.Client) target.Client {
	if p == nil {
		return c
	}
	host, _, _ := net.SplitHostPort(p.address) // it was joined above
	c.Address.Host, c.Address.Port = host, proxyPort
	return c
}

// facts are where it is and what it used.
func (p *proxy) facts(phase string) []record.Fact {
	if p == nil {
		return nil
	}
	facts := []record.Fact{
		{Key: keys.ReplicationProxy, Value: "haproxy", Source: "experiment.yaml", Phase: phase},
		{Key: keys.ReplicationProxyAddress, Value: p.address, Source: "tare", Phase: phase},
	}
	for _, f := range target.ProcessFacts(p.cmd.Process.Pid, phase) {
		switch f.Key {
		case keys.ServerRunNS, keys.ServerRunQueueWaitNS, keys.ServerRSS:
			f.Key = keys.ReplicationProxyPrefix + strings.TrimPrefix(f.Key, "server.")
			facts = append(facts, f)
		}
	}
	return facts
}
