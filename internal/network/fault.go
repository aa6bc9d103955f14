package network

// What happens to the link of one member while the others' stay as they are.

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"github.com/tarebench/tare/internal/record"
)

// memberNode is the node of a member, from 1.
func memberNode(number int) string {
	if number == 1 {
		return node
	}
	return fmt.Sprintf("%s-%d", node, number)
}

// CutOff drops every packet that comes over the link of a member's node or leaves over it,
// without a word to anyone. The link stays up, with its addresses and routes.
func (n *Network) CutOff(ctx context.Context, number int) error {
	return n.dropAll(ctx, number, "-I")
}

// Reconnect ends what CutOff began.
func (n *Network) Reconnect(ctx context.Context, number int) error {
	return n.dropAll(ctx, number, "-D")
}

func (n *Network) dropAll(ctx context.Context, number int, verb string) error {
	rules := fmt.Sprintf("*mangle\n%[1]s PREROUTING -i %[2]s -j DROP\n%[1]s POSTROUTING -o %[2]s -j DROP\nCOMMIT\n", verb, uplink)
	if _, err := n.command(ctx, memberNode(number), rules, "iptables-restore", "--noflush"); err != nil {
		return record.CutMemberOff.Wrap(err, strconv.Itoa(number))
	}
	return nil
}

// SlowDown limits the link of a member's node to a rate, in both directions.
func (n *Network) SlowDown(number int, rate Rate) error {
	for _, l := range n.directions(number) {
		if err := n.replaceQueue(l, func(h *netlink.Handle, index int) error { return limitByTBF(h, index, rate) }); err != nil {
			return record.SlowLink.Wrap(err, strconv.Itoa(number))
		}
	}
	return nil
}

// SpeedUp gives the link the rate that it had before SlowDown.
func (n *Network) SpeedUp(ctx context.Context, number int) error {
	for _, l := range n.directions(number) {
		err := n.replaceQueue(l, func(*netlink.Handle, int) error { return nil })
		if err == nil {
			err = n.limitLink(ctx, l.namespace, l.name)
		}
		if err != nil {
			return record.SpeedUpLink.Wrap(err, strconv.Itoa(number))
		}
	}
	return nil
}

// direction is the link that sends in one direction.
type direction struct{ namespace, name string }

// directions are those from a member's node and to it: what is sent to it leaves the port of
// the switch, or of two nodes the other one.
func (n *Network) directions(number int) []direction {
	own := memberNode(number)
	for _, e := range n.settings.ends() {
		switch {
		case n.settings.switched() && e.name == own:
			return []direction{{own, uplink}, {switchName, portOf(e)}}
		case !n.settings.switched() && e.name != own:
			return []direction{{own, uplink}, {e.name, uplink}}
		}
	}
	return []direction{{own, uplink}}
}

// replaceQueue takes a link's queueing discipline away and adds another one.
func (n *Network) replaceQueue(on direction, add func(h *netlink.Handle, index int) error) error {
	h, err := n.handle(on.namespace)
	if err != nil {
		return err
	}
	defer h.Close()
	link, err := h.LinkByName(on.name)
	if err != nil {
		return fmt.Errorf("find link: %w", err)
	}
	index := link.Attrs().Index
	err = h.QdiscDel(&netlink.GenericQdisc{QdiscAttrs: netlink.QdiscAttrs{LinkIndex: index, Parent: netlink.HANDLE_ROOT}})
	// The kernel's own default cannot be deleted.
	if err != nil && !errors.Is(err, unix.ENOENT) && !errors.Is(err, unix.EINVAL) {
		return fmt.Errorf("delete qdisc: %w", err)
	}
	return add(h, index)
}
