package compare

// This file tests whether an arm is limited by its network, which a correlation with
// bandwidth alone does not show: the bytes that the server's interfaces carried, compared
// with what the link can carry.

import (
	"slices"
	"strconv"

	"github.com/tarebench/tare/internal/keys"
	"github.com/tarebench/tare/internal/stats"
)

// LinkUse is how much of its link an arm used.
type LinkUse struct {
	Arm     string
	Threads int
	// Sent and Received are bytes per second of the server's interfaces, loopback excluded,
	// the mean over the trials.
	Sent, Received float64
	// Capacity is in bytes per second in each direction. Source says where it is from:
	// "configured", "link" (the interface's speed) or "measured" (the largest transfer
	// of the idle path, which is less than the link has).
	Capacity float64
	Source   string
	// Share is the busier direction's part of Capacity, Interval its 95 % interval over
	// the rounds; nil with fewer than two.
	Share    float64
	Interval *Interval
	// Limited is Yes where the interval is above BusyLink, No where it is below.
	Limited Answer
	// IRQ is the CPU time that the machine spent in interrupts and softirqs for each byte,
	// in ns; NaN where it was not read. It is that of everything on the machine.
	IRQ float64
}

// Answer is the result of a test.
type Answer string

// The answers of a test.
const (
	Yes     Answer = "yes"
	No      Answer = "no"
	NotSure Answer = "unknown"
)

// BusyLink is the share of a link from which bandwidth can limit a database: its traffic
// comes in bursts, so that queues are full before the mean is 1.
const BusyLink = 0.6

// linkUses has an entry for each arm whose probes read bytes and whose link is known.
func (j comparison) linkUses() []LinkUse {
	if j.run.Experiment == nil || j.res.Sealed {
		return nil
	}
	var all []LinkUse
	for i := range j.res.Arms {
		if u, ok := j.res.Arms[i].linkUse(); ok {
			all = append(all, u)
		}
	}
	return all
}

func (a *Arm) linkUse() (u LinkUse, ok bool) {
	u = LinkUse{Arm: a.Name, Threads: a.Threads, Limited: NotSure}
	sent, received := a.linkBytes()
	u.Capacity, u.Source = a.linkCapacity()
	if len(sent) == 0 || len(received) == 0 || u.Capacity <= 0 {
		return u, false
	}
	perRound := map[int]float64{}
	for _, t := range a.firsts() {
		perRound[t.Header.Round] = t.Throughput()
	}
	var out, in []float64
	shares := byRounds{}
	for _, round := range sortedRounds(sent) {
		s, r := sent[round]*perRound[round], received[round]*perRound[round]
		out, in = append(out, s), append(in, r)
		shares[round] = max(s, r) / u.Capacity
	}
	u.Sent, u.Received, u.Share = stats.Mean(out), stats.Mean(in), meanOfRounds(shares)
	if u.Interval = a.stopping.alone(shares); u.Interval != nil {
		switch {
		case u.Interval.Hi < BusyLink:
			u.Limited = No
		case u.Interval.Lo > BusyLink:
			u.Limited = Yes
		}
	}
	u.IRQ = a.perSecond(keys.HostCPUIRQNS) / (u.Sent + u.Received)
	return u, u.Sent+u.Received > 0
}

// linkCapacity is the least that the settings and the server's interfaces allow, in bytes
// per second; without them, the largest transfer.
func (a *Arm) linkCapacity() (perSecond float64, source string) {
	if v, err := strconv.ParseFloat(a.startValue(keys.NetworkLinkBitsPerS), 64); err == nil && v > 0 {
		perSecond, source = v/8, "configured"
	}
	if _, mbit, _, _ := a.usedInterface(); mbit > 0 && (perSecond == 0 || mbit*1e6/8 < perSecond) {
		perSecond, source = mbit*1e6/8, "link"
	}
	if perSecond > 0 {
		return perSecond, source
	}
	for _, key := range []string{keys.ClientBytesPerS, keys.NetworkStreamsBytesPerS, keys.NetworkUploadsBytesPerS, keys.ClientUploadBytesPerS, keys.ClientStreamsBytesPerS, keys.ClientStreamsUploadBytesPerS} {
		if v, ok := a.pathMean(key); ok && v > perSecond {
			perSecond, source = v, "measured"
		}
	}
	return perSecond, source
}

func sortedRounds(of map[int]float64) []int {
	all := make([]int, 0, len(of))
	for round := range of {
		all = append(all, round)
	}
	slices.Sort(all)
	return all
}
