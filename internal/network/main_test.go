package network

import (
	"fmt"
	"os"
	"strconv"
	"testing"
	"time"
)

// TestMain lets the test binary be a helper: network delay --queue N --delay D,
// network relay --tun NAME --local ADDRESS --peer NETWORK=ADDRESS ...
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == "network" {
		if err := helping(os.Args[2], os.Args[3:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

func helping(kind string, args []string) error {
	if kind == "delay" {
		queue, err := strconv.ParseUint(args[1], 10, 16)
		if err != nil {
			return err
		}
		delay, err := time.ParseDuration(args[3])
		if err != nil {
			return err
		}
		return RunDelay(uint16(queue), delay, 0, os.Stdout)
	}
	if kind == "dns" {
		delay, err := time.ParseDuration(args[3])
		if err != nil {
			return err
		}
		return RunDNS(args[1], delay, os.Stdin, os.Stdout)
	}
	if kind == "relay" {
		var peers []string
		for i := 5; i < len(args); i += 2 {
			peers = append(peers, args[i])
		}
		return RunRelay(args[1], args[3], peers, os.Stdin, os.Stdout)
	}
	return fmt.Errorf("no helper is called %q", kind)
}
