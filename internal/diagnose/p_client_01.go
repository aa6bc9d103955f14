package diagnose

import (
	"strconv"

	"github.com/tarebench/tare/internal/keys"
	"github.com/tarebench/tare/internal/manifest"
	"github.com/tarebench/tare/internal/record"
)

func pCLIENT01() Rule {
	return Rule{
		ID: "P-CLIENT-01", Title: "Load generator or client saturated", Severity: Error,
		What: "The load generator is at its limit where one of its threads is on a CPU or waits for one for more than 90 % of the window, where its CPU quota stops " +
			"it for more than 1 % of the time, or where 1 % of the operations are sent later than they are due by more than a tenth of the p95 latency. It then " +
			"sends less load than the server can take, and measures latency late. The result shows the load generator, not the server, and the verdict is invalid. " +
			"The same holds for a server in use: clients that have no free CPU make it look slow.",
		Impact: "Throughput is too low and latency too high in all configurations; differences between them are hidden. Measured: a point select (one row by its primary " +
			"key) takes 25 to 44 us of CPU time, 8 to 17 us of them in the client. One CPU of the load generator sends about 60,000 to 120,000 of them a second at most.",
		Fix:     "Give the load generator or the clients CPUs or a machine of their own, use more of them, or fewer connections for each.",
		Sources: []string{percona2019, kubeblocks2023, measured},
		Run:     heldUp,
	}
}

// othersFrom is the share of the machine's CPU time from which processes that are
// not tare's may be why a client waited.
const othersFrom = 0.05

func heldUp(o *Observed) []Finding {
	if isLive(o.Arm) {
		return list(slowClients(o))
	}
	loaded, doubt := 0, []Finding(nil)
	for _, t := range o.Arm.Trials {
		said := facts(t)
		why := said(keys.LoadInvalid)
		if why != "" || said(keys.LoadBusiestLoop) != "" {
			loaded++
		}
		if why == "" {
			continue
		}
		// A quota that holds the client is its own, whatever else runs there.
		throttled, _ := strconv.ParseFloat(said(keys.LoadThrottledS), 64)
		if share, ok := others(t); ok && share >= othersFrom && throttled == 0 {
			doubt = list(unknown("trial %d: %s, while other processes used %.0f %% of the machine's CPU time; whether the load generator keeps up without them is unknown",
				t.Header.Trial, clientFault(t, said), 100*share))
			continue
		}
		found := seen("trial %d: %s", t.Header.Trial, clientFault(t, said)).fix("use dedicated CPUs or a separate machine for the load generator")
		switch {
		case o.Spec.Has("clientCPU"):
			found = found.change("{clientCPU: null}")
		case outweighed(said):
			found = found.change("%s", clientRequest).fix("set a CPU request for the load generator's pod (clientCPURequest): without one it has 2 CPU shares (cpu.weight 1 in cgroup v2), a server that requests one CPU has 1024 (cpu.weight 39, by newer runtimes 100)")
		}
		return list(found)
	}
	switch {
	case doubt != nil:
		return doubt
	case loaded == 0:
		return list(unknown("the load engine does not report whether it was saturated"))
	}
	return list(ruledOut("the load generator kept up in %d trials", loaded))
}

// clientRequest is half a CPU, which is more than eight connections use.
const clientRequest = "{clientCPURequest: 500m}"

// outweighed tells a load pod without requests that waited for a CPU longer than it ran.
func outweighed(said func(string) string) bool {
	waited, _ := strconv.ParseFloat(said(keys.LoadRunQueueS), 64)
	user, _ := strconv.ParseFloat(said(keys.LoadCPUUserS), 64)
	system, _ := strconv.ParseFloat(said(keys.LoadCPUSystemS), 64)
	return said(keys.LoadPod0QoS) == string(manifest.BestEffort) && waited > user+system
}

// facts are what a trial read last of each key.
func facts(t *record.Trial) func(key string) string {
	return func(key string) (value string) {
		for _, f := range t.Facts {
			if f.Key == key {
				value = f.Value
			}
		}
		return value
	}
}

// others is the share of the machine's CPU time that processes took which are not
// tare's, close around the load.
func others(t *record.Trial) (share float64, ok bool) {
	if _, load := t.Where(); load.Key != "" && load.Value != record.Here {
		return 0, false
	}
	took, all := t.Change(keys.GateForeignS), t.Change(keys.GateMachineS)
	return took / all, took >= 0 && all > 0
}

// clientFault is why the load generator could not keep up. Older records have the engine's
// sentence without its code.
func clientFault(t *record.Trial, said func(string) string) Phrase {
	number := func(key string) float64 {
		v, _ := strconv.ParseFloat(said(key), 64)
		return v
	}
	switch code := said(keys.LoadInvalidCode); {
	case code == "quota" && t.Window != nil:
		of := number(keys.LoadThrottledOfS)
		if of == 0 { // an older record
			of = t.Window.Seconds
		}
		return phrase("the CPU quota of the load generator stopped it for %.2f s of %.2f s; more than 1 %% of the time makes latencies too long", number(keys.LoadThrottledS), of)
	case code == "busy":
		return phrase("a thread of the load generator was on a CPU or waited for one for %.0f %% of the window, and above 90 %% it reads answers late", 100*number(keys.LoadBusiestLoop))
	case code == "late":
		return phrase("1 %% of the operations were sent more than %.3f ms after they were due, which is too late for the latencies that they had", number(keys.LoadLatenessP99MS))
	}
	return Phrase{Value: said(keys.LoadInvalid)}
}
