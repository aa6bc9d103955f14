package network

// How fast the link between the nodes sends: one of two queueing disciplines.

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/vishvananda/netlink"
)

// What can hold a link's rate.
const (
	TBF = "tbf" // a token bucket, whose queue is that of a switch port
	HTB = "htb" // a class with a token bucket, whose queue is as long as the kernel's own
)

// The token bucket of a link: its burst is that which holds 1 and 10 Gbit/s
// within a percent, its queue that of a switch port, 20 ms.
const (
	burstBytes   = 256 << 10
	queueSeconds = 0.020
)

// Buffers are how long the link's token bucket lasts at its rate, and its queue.
func (s Settings) Buffers() (burst, queue time.Duration) {
	return time.Duration(float64(burstBytes*8) / float64(s.Rate) * 1e9), time.Duration(queueSeconds * 1e9)
}

func (n *Network) limitRate(ctx context.Context, name string) error {
	return n.limitLink(ctx, name, uplink)
}

// limitLink limits what a link of a namespace sends.
func (n *Network) limitLink(_ context.Context, name, on string) error {
	if n.settings.Rate == 0 {
		return nil
	}
	h, err := n.handle(name)
	if err != nil {
		return err
	}
	defer h.Close()
	link, err := h.LinkByName(on)
	if err != nil {
		return fmt.Errorf("find link: %w", err)
	}
	limit := limitByTBF
	if n.settings.Qdisc == HTB {
		limit = limitByHTB
	}
	if err := limit(h, link.Attrs().Index, n.settings.Rate); err != nil {
		return fmt.Errorf("limit rate to %v: %w", n.settings.Rate, err)
	}
	return nil
}

// limitByTBF makes the token bucket the link's only queue.
func limitByTBF(h *netlink.Handle, link int, rate Rate) error {
	perSecond := uint64(rate) / 8
	err := h.QdiscReplace(&netlink.Tbf{
		QdiscAttrs: netlink.QdiscAttrs{LinkIndex: link, Handle: netlink.MakeHandle(1, 0), Parent: netlink.HANDLE_ROOT},
		Rate:       perSecond, Limit: uint32(queueSeconds*float64(perSecond)) + burstBytes, Buffer: bucket(perSecond),
	})
	if err != nil {
		return fmt.Errorf("add qdisc tbf (CONFIG_NET_SCH_TBF): %w", err)
	}
	return nil
}

// bucket is the burst as the kernel takes it: the time it lasts, in ticks.
func bucket(perSecond uint64) uint32 {
	micros := float64(burstBytes) * netlink.TIME_UNITS_PER_SEC / float64(perSecond)
	return uint32(micros * netlink.TickInUsec())
}

// limitByHTB puts all packets into one class, which may not borrow.
func limitByHTB(h *netlink.Handle, link int, rate Rate) error {
	const class = 1
	root, leaf := netlink.MakeHandle(1, 0), netlink.MakeHandle(1, class)
	qdisc := netlink.NewHtb(netlink.QdiscAttrs{LinkIndex: link, Handle: root, Parent: netlink.HANDLE_ROOT})
	qdisc.Defcls = class
	if err := h.QdiscReplace(qdisc); err != nil {
		return fmt.Errorf("add qdisc htb (CONFIG_NET_SCH_HTB): %w", err)
	}
	// One class shares with none, so what it gets at a time is of no account; the
	// kernel wants less than what follows from such a rate.
	const quantum = 60_000
	err := h.ClassAdd(netlink.NewHtbClass(netlink.ClassAttrs{LinkIndex: link, Parent: root, Handle: leaf}, netlink.HtbClassAttrs{
		Rate: uint64(rate), Ceil: uint64(rate), Buffer: burstBytes, Cbuffer: burstBytes, Quantum: quantum,
	}))
	if err != nil {
		return fmt.Errorf("add class of htb: %w", err)
	}
	return nil
}

// readRate is what a queueing discipline lets through, "" if that is all.
func readRate(h *netlink.Handle, l netlink.Link, q netlink.Qdisc) (string, error) {
	switch q := q.(type) {
	case *netlink.Tbf:
		return fmt.Sprintf(" rate %v limit %d", Rate(q.Rate*8), q.Limit), nil
	case *netlink.Htb:
		classes, err := h.ClassList(l, q.Handle)
		if err != nil {
			return "", fmt.Errorf("list classes: %w", err)
		}
		var texts []string
		for _, c := range classes {
			if class, ok := c.(*netlink.HtbClass); ok {
				texts = append(texts, fmt.Sprintf(" rate %v ceil %v", Rate(class.Rate*8), Rate(class.Ceil*8)))
			}
		}
		slices.Sort(texts)
		return strings.Join(texts, ""), nil
	}
	return "", nil
}
