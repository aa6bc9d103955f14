package network

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// Check says what of the settings this machine cannot do, and why: it builds
// the network in namespaces that end with it.
func Check(ctx context.Context, s Settings, helper []string) error {
	if !s.Wanted() {
		return nil
	}
	if os.Geteuid() != 0 {
		return errors.New("only root can make network namespaces; run tare as root")
	}
	if s.podNetwork() {
		for _, name := range []string{s.Plugin, "host-local"} {
			if _, err := findPlugin(name); err != nil {
				return err
			}
		}
	}
	if err := s.checkPrograms(); err != nil {
		return err
	}
	s.Service.Others = min(s.Service.Others, 1) // more take longer and nothing else
	// What cannot be removed does not keep this check from its own, and `tare clean` names it.
	_ = RemoveTrials()
	dir, lock, err := beginTrial()
	if err != nil {
		return fmt.Errorf("try network: %w", err)
	}
	defer endTrial(lock)
	// Named after the directory, so that no two checks meet.
	name := strings.TrimPrefix(filepath.Base(dir), "tare-")
	n, err := Build(ctx, s, Env{Instance: name, Dir: dir, Helper: helper})
	if err := errors.Join(err, n.Remove()); err != nil {
		return fmt.Errorf("try network: %w", explained(err))
	}
	return nil
}

// explained says what a kernel means that lacks a kind of link, queue or rule.
func explained(err error) error {
	if errors.Is(err, unix.EOPNOTSUPP) || errors.Is(err, unix.ENOENT) {
		return fmt.Errorf("%w (this kernel was built without it, or its module is not loaded)", err)
	}
	return err
}

// checkPrograms asks for the programs that write rules.
func (s Settings) checkPrograms() error {
	var want []string
	switch s.Service.Proxy {
	case nftablesProxy:
		want = append(want, "nft")
	case legacyProxy:
		want = append(want, "iptables-legacy-restore")
	}
	if s.Service.Proxy == iptablesProxy || s.Loss > 0 || s.Delay > 0 || s.silent() || s.CutOff {
		want = append(want, "iptables-restore")
	}
	for _, program := range want {
		if _, err := findProgram(program); err != nil {
			packages := map[string]string{"nft": "nftables", "iptables-restore": "iptables", "iptables-legacy-restore": "iptables"}
			return fmt.Errorf("find %s, which writes the rules: %w; install it (apt install %s)", program, err, packages[program])
		}
	}
	return nil
}
