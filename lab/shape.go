// What the wires do to packets: rate, loss and latency.
package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"time"
)

// rate limits what the switch sends to each node: a token bucket of 256 KiB and
// 20 ms of queue, which holds 10 Gbit/s within 0.5 %.
func rate(_ context.Context, _ *lab, args []string) error {
	if len(args) != 1 {
		return fmt.Errorf("write lab rate 1gbit, or off")
	}
	for _, n := range nodes {
		line := fmt.Sprintf("tc -n %s qdisc replace dev p-%s root tbf rate %s burst 256kb latency 20ms", switchNetns, n.name, args[0])
		if args[0] == "off" {
			line = fmt.Sprintf("tc -n %s qdisc replace dev p-%s root pfifo limit 1000", switchNetns, n.name)
		}
		if err := commands(line); err != nil {
			return err
		}
	}
	return nil
}

// loss drops packets that a node receives from others, not those from the control
// plane: its failures are another experiment.
func loss(_ context.Context, l *lab, args []string) error {
	if len(args) != 1 {
		return errors.New("write lab loss 0.5 (%), or off")
	}
	var share float64
	if args[0] != "off" {
		if _, err := fmt.Sscanf(args[0], "%g", &share); err != nil || share < 0 || share > 100 {
			return fmt.Errorf("loss %q: write %% from 0 to 100, or off", args[0])
		}
	}
	for _, n := range nodes {
		rule := ""
		if share > 0 {
			rule = fmt.Sprintf("-m statistic --mode random --probability %.6f -j DROP", share/100)
		}
		if err := l.onPackets(n, lossChain, rule); err != nil {
			return err
		}
	}
	return nil
}

// latency holds what a node receives from others, by tare's own helper behind a
// netfilter queue: a kernel without netem can do that. A round trip between two
// nodes takes twice as long, and some 0.2 ms more.
func latency(_ context.Context, l *lab, args []string) error {
	var delay time.Duration
	var err error
	if len(args) != 1 {
		return errors.New("write lab latency 250us, or off")
	}
	if args[0] != "off" {
		if delay, err = time.ParseDuration(args[0]); err != nil || delay <= 0 {
			return fmt.Errorf("latency %q: write a time such as 250us, or off", args[0])
		}
	}
	if err := l.endHelpers(); err != nil {
		return err
	}
	for _, n := range nodes {
		if delay == 0 {
			err = l.onPackets(n, delayChain, "")
		} else if err = l.startHelper(n, delay); err == nil {
			// Without the helper packets pass.
			err = l.onPackets(n, delayChain, "-j NFQUEUE --queue-num 1 --queue-bypass")
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Chains of the table mangle with what is done to the packets that a node receives: the sender of a
// packet that is dropped before it is sent is told so, and one that waits there counts as unsent.
const (
	lossChain  = "LAB-LOSS"
	delayChain = "LAB-DELAY"
)

// onPackets makes a chain hold one rule for what comes from other nodes, or none.
func (l *lab) onPackets(n node, chain, rule string) error {
	_ = l.inside(n, "iptables -w -t mangle -N "+chain) // it may be there, and then the next says nothing
	lines := "iptables -w -t mangle -F " + chain + "\n"
	if rule != "" {
		lines += "iptables -w -t mangle -A " + chain + " " + rule + "\n"
	}
	jump := "PREROUTING -i eth0 ! -s " + apiAddress + " -j " + chain
	if l.inside(n, "iptables -w -t mangle -C "+jump) != nil {
		lines += "iptables -w -t mangle -A " + jump + "\n"
	}
	return l.inside(n, lines)
}

// helperWithin is how long a helper has until it holds packets.
const helperWithin = time.Minute

// startHelper starts the process that holds a node's packets, and waits until it does: packets
// pass a queue that is not read. It ends with its standard input, whose other end it is given
// itself.
func (l *lab) startHelper(n node, delay time.Duration) error {
	read, write, err := os.Pipe()
	if err != nil {
		return fmt.Errorf("start helper: %w", err)
	}
	defer read.Close()
	defer write.Close()
	log, err := l.log(n.name + "-latency")
	if err != nil {
		return err
	}
	defer log.Close()
	said, output, err := os.Pipe()
	if err != nil {
		return fmt.Errorf("start helper: %w", err)
	}
	defer said.Close()
	defer output.Close()
	c := exec.Command("nsenter", "--net=/run/netns/"+n.netns(), "--", l.path("bin", helperName), "packets", "delay", "--queue", "1", "--delay", delay.String())
	c.Stdin, c.Stdout, c.Stderr, c.ExtraFiles = read, output, log, []*os.File{write}
	c.Env = append(os.Environ(), mark+"="+l.dir)
	c.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := c.Start(); err != nil {
		return fmt.Errorf("start helper: %w", err)
	}
	_ = output.Close() // the reading below ends when the helper does
	if err := said.SetReadDeadline(time.Now().Add(helperWithin)); err != nil {
		return fmt.Errorf("start helper: %w", err)
	}
	if _, err := bufio.NewReader(said).ReadString('\n'); err != nil {
		return fmt.Errorf("start helper: it does not say that it is ready, see %s: %w", log.Name(), err)
	}
	return nil
}

// helperName is the program that holds packets; nothing else of a lab is called so.
const helperName = "tare"

// endHelpers ends those that run.
func (l *lab) endHelpers() error {
	all, err := processes()
	if err != nil {
		return err
	}
	for _, p := range all {
		if p.dir != l.dir || p.command != helperName {
			continue
		}
		if err := syscall.Kill(p.pid, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
			return fmt.Errorf("end process %d (%s): %w", p.pid, p.command, err)
		}
		if err := waitGone(p.pid); err != nil {
			return err
		}
	}
	return nil
}
