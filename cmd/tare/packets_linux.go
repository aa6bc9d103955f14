package main

import (
	"time"

	"github.com/spf13/cobra"

	"github.com/tarebench/tare/internal/network"
)

// packetsVerb is plumbing: a process that packets of an arm's network go
// through. It ends with its standard input, so that it never outlives the tare
// that started it.
func packetsVerb(t *terminal) *cobra.Command {
	c := &cobra.Command{
		Use:    "packets",
		Short:  "Let packets through until standard input ends",
		Hidden: true,
	}
	c.AddCommand(delayVerb(t), relayVerb(t), dnsVerb(t))
	return c
}

func delayVerb(t *terminal) *cobra.Command {
	var queue uint16
	var delay time.Duration
	c := &cobra.Command{
		Use:   "delay",
		Short: "Hold every packet of a netfilter queue for a time",
		Args:  args(cobra.NoArgs),
		RunE: func(*cobra.Command, []string) error {
			return network.RunDelay(queue, delay, 0, t.out)
		},
	}
	c.Flags().Uint16Var(&queue, "queue", 0, "number of the queue")
	spanFlag(c.Flags(), &delay, "delay", 0, "how long")
	return c
}

func relayVerb(t *terminal) *cobra.Command {
	var tun, local string
	var peers []string
	c := &cobra.Command{
		Use:   "relay",
		Short: "Send what is routed into a TUN link to peers by UDP, and back",
		Args:  args(cobra.NoArgs),
		RunE: func(*cobra.Command, []string) error {
			return network.RunRelay(tun, local, peers, t.in, t.out)
		},
	}
	c.Flags().StringVar(&tun, "tun", "", "name of the link")
	c.Flags().StringVar(&local, "local", "", "address to send from")
	c.Flags().StringArrayVar(&peers, "peer", nil, "NETWORK=ADDRESS: packets to the network are sent to the address; repeatable")
	return c
}

func dnsVerb(t *terminal) *cobra.Command {
	var address string
	var delay time.Duration
	c := &cobra.Command{
		Use:   "dns",
		Short: "Answer every question of DNS, after a time, that there is no such name",
		Args:  args(cobra.NoArgs),
		RunE: func(*cobra.Command, []string) error {
			return network.RunDNS(address, delay, t.in, t.out)
		},
	}
	c.Flags().StringVar(&address, "address", "", "address to answer at")
	spanFlag(c.Flags(), &delay, "delay", 0, "how long to take")
	return c
}
