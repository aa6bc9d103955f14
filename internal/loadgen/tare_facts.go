package loadgen

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/tarebench/tare/internal/keys"
	"github.com/tarebench/tare/internal/loadgen/loop"
	"github.com/tarebench/tare/internal/loadgen/summary"
	"github.com/tarebench/tare/internal/record"
)

// conclude emits what is known at the end: outages, what the generator used and
// how late it was, errors by code, the latency of each statement, the window.
func conclude(j Job, r *summary.Summary, result *loop.Result, emit func(record.Line) error) (record.Outcome, string, error) {
	for _, l := range append(events(r), facts(r)...) {
		if err := emit(l); err != nil {
			return record.Failed, err.Error(), err
		}
	}
	w := r.Window()
	for _, s := range result.Silences {
		w.Silences = append(w.Silences, [2]float64{s.From.Seconds(), s.To.Seconds()})
	}
	if t := result.Timeline; t != nil {
		w.Timeline = &record.Timeline{Step: t.Step.Seconds(), Completed: t.Completed, Failed: t.Failed, Broken: t.Broken, Made: t.Made}
	}
	if j.Turns != nil {
		w.Uncounted = r.Tail
	}
	if err := emit(record.Line{Window: w}); err != nil {
		return record.Failed, err.Error(), err
	}
	if r.Unreachable != "" {
		return record.ServerLost, record.Unreachable.Say(r.Unreachable), nil
	}
	if r.Counts.Transactions == 0 {
		return record.Starved, record.NothingCompleted.Say(fmt.Sprintf("%.1f", j.Measure.Seconds())), nil
	}
	return record.Measured, "", nil
}

func events(r *summary.Summary) []record.Line {
	var lines []record.Line
	at := func(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }
	for _, o := range r.Outages {
		lines = append(lines, record.Line{Event: &record.Event{At: at(o.FirstFailure), Name: "service-lost",
			Detail: fmt.Sprintf("last success at %.3f s", o.LastSuccess)}})
		if o.FirstSuccess > 0 {
			lines = append(lines, record.Line{Event: &record.Event{At: at(o.FirstSuccess), Name: "service-restored",
				Detail: fmt.Sprintf("%.3f s without service", o.FirstSuccess-o.FirstFailure)}})
		}
	}
	if r.Generator.Invalid != "" {
		lines = append(lines, record.Line{Event: &record.Event{At: at(r.Seconds), Name: "generator-held-up", Detail: r.Generator.Invalid}})
	}
	return lines
}

func facts(r *summary.Summary) []record.Line {
	var lines []record.Line
	add := func(key, value, source string) {
		lines = append(lines, record.Line{Fact: &record.Fact{Key: key, Value: value, Source: source, Phase: "end"}})
	}
	number := func(v float64) string { return strconv.FormatFloat(v, 'g', 6, 64) }
	g, n := r.Generator, r.Network
	add(keys.LoadLoops, strconv.Itoa(g.Loops), "engine")
	add(keys.LoadCPUUserS, number(g.UserSeconds), "getrusage(2)")
	add(keys.LoadCPUSystemS, number(g.SystemSeconds), "getrusage(2)")
	add(keys.LoadRunQueueS, number(g.RunQueueSeconds), "/proc/self/task/*/schedstat")
	add(keys.LoadThrottledS, number(g.ThrottledSeconds), "cgroup cpu.stat")
	add(keys.LoadThrottledOfS, number(g.WatchedSeconds), "engine")
	add(keys.LoadBusiestLoop, number(g.Busiest), "/proc/self/task/*/schedstat")
	if n := r.Counts.Reads + r.Counts.Writes + r.Counts.Other; n > 0 {
		add(keys.LoadSystemCallsPerStatement, number(float64(g.SystemCalls)/float64(n)), "engine")
		add(keys.LoadWakeUpsPerStatement, number(float64(g.WakeUps)/float64(n)), "getrusage(2)")
	}
	if g.Invalid != "" {
		add(keys.LoadInvalid, g.Invalid, "engine")
		add(keys.LoadInvalidCode, g.InvalidCode, "engine")
	}
	if n.Sockets > 0 {
		add(keys.LoadMinRTTUS, number(n.MinRTT), "tcp(7) TCP_INFO")
		add(keys.LoadRTTUS, number(n.RTTMicros), "tcp(7) TCP_INFO")
		add(keys.LoadRetransmits, strconv.FormatInt(n.Retransmits, 10), "tcp(7) TCP_INFO")
	}
	for _, code := range slices.Sorted(maps.Keys(r.ErrorCodes)) {
		add(fmt.Sprintf(keys.LoadErrorsPrefix+"%d", code), strconv.FormatInt(r.ErrorCodes[code], 10), "engine")
	}
	if r.Lateness == nil {
		add(keys.LoadStartLateMS, number(1000*g.StartLateSeconds), "engine")
	} else {
		p99, _ := r.Lateness.Histogram.Percentile(99)
		add(keys.LoadPreemptingS, number(g.PreemptingSeconds), "engine")
		add(keys.LoadLatenessP99MS, number(float64(p99)/1e6), "engine")
		add(keys.LoadArrivalsDue, strconv.FormatInt(r.Due, 10), "engine")
		add(keys.LoadArrivalsUnsent, strconv.FormatInt(r.Unsent, 10), "engine")
	}
	return lines
}
