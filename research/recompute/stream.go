package main

// This file reads a run directory.

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// trial is what a stream holds, as docs/record.md describes it.
type trial struct {
	arm            string
	threads, round int
	again          bool // the baseline's second trial of a round
	outcome        string
	window         *window
	atRate         *window // the window at the fixed rate
	counter        map[string]bool
	samples        []sample
	lost           bool              // the probes beside the server did not last
	facts          map[string]string // those of the start
}

type window struct {
	Seconds float64 `json:"seconds"`
	Counts  struct {
		Transactions int64 `json:"transactions"`
	} `json:"counts"`
	Uncounted int64   `json:"uncounted"`
	Partial   bool    `json:"partial"`
	Rate      float64 `json:"tps"`
	Latency   *struct {
		Mean      float64 `json:"mean_ms"`
		Histogram *struct {
			Counts [][2]int64 `json:"counts"`
		} `json:"histogram"`
	} `json:"latency"`
	Capacity *struct {
		Rate float64 `json:"rate"`
	} `json:"capacity"`
}

type sample struct {
	At     int64              `json:"at_ns"`
	Warmup bool               `json:"warmup"`
	Values map[string]float64 `json:"values"`
}

type line struct {
	Header *struct {
		Trial   int    `json:"trial"`
		Round   int    `json:"round"`
		Arm     string `json:"arm"`
		Threads int    `json:"threads"`
	} `json:"header"`
	Metric *struct {
		Name    string `json:"name"`
		Counter bool   `json:"counter"`
	} `json:"metric"`
	Fact *struct {
		Key     string `json:"key"`
		Value   string `json:"value"`
		Unknown string `json:"unknown"`
		Phase   string `json:"phase"`
	} `json:"fact"`
	Sample *sample `json:"sample"`
	Window *window `json:"window"`
	AtRate *window `json:"at_rate"`
	End    *struct {
		Outcome string `json:"outcome"`
	} `json:"end"`
}

// readTrials reads the streams of the planned trials.
func readTrials(dir string) ([]trial, error) {
	var plan struct {
		Trials []struct {
			Trial int  `json:"trial"`
			Again bool `json:"again"`
		} `json:"trials"`
	}
	if err := readJSON(filepath.Join(dir, "plan.json"), &plan); err != nil {
		return nil, err
	}
	again := map[int]bool{}
	for _, t := range plan.Trials {
		again[t.Trial] = t.Again
	}
	streams, err := filepath.Glob(filepath.Join(dir, "trials", "*", "stream.jsonl"))
	if err != nil {
		return nil, fmt.Errorf("find streams: %w", err)
	}
	var all []trial
	for _, path := range streams {
		t, number, err := readTrial(path)
		if err != nil {
			return nil, err
		}
		t.again = again[number]
		all = append(all, t)
	}
	return all, nil
}

const longestLine = 16 << 20

func readTrial(path string) (t trial, number int, err error) {
	f, err := os.Open(path)
	if err != nil {
		return t, 0, fmt.Errorf("read stream: %w", err)
	}
	defer f.Close()
	t = trial{counter: map[string]bool{}, facts: map[string]string{}}
	in := bufio.NewScanner(f)
	in.Buffer(nil, longestLine)
	for in.Scan() {
		var l line
		if err := json.Unmarshal(in.Bytes(), &l); err != nil {
			return t, 0, fmt.Errorf("read %s: %w", path, err)
		}
		switch {
		case l.Header != nil:
			number, t.arm, t.threads, t.round = l.Header.Trial, l.Header.Arm, l.Header.Threads, l.Header.Round
		case l.Metric != nil:
			t.counter[l.Metric.Name] = l.Metric.Counter
		case l.Fact != nil && l.Fact.Key == "probe.missed" && l.Fact.Unknown != "":
			t.lost = true
		case l.Fact != nil && l.Fact.Phase != "end":
			t.facts[l.Fact.Key] = l.Fact.Value
		case l.Sample != nil:
			t.samples = append(t.samples, *l.Sample)
		case l.Window != nil:
			t.window = l.Window
		case l.AtRate != nil:
			t.atRate = l.AtRate
		case l.End != nil:
			t.outcome = l.End.Outcome
		}
	}
	if err := in.Err(); err != nil {
		return t, 0, fmt.Errorf("read %s: %w", path, err)
	}
	return t, number, nil
}

// throughput is 0 where the trial has none.
func (t trial) throughput() float64 {
	switch w := t.window; {
	case w == nil || t.outcome != "measured":
		return 0
	case w.Capacity != nil:
		return w.Capacity.Rate
	default:
		return t.completed()
	}
}

func (t trial) completed() float64 {
	if w := t.window; w.Partial && w.Rate > 0 {
		return w.Rate
	} else if w.Seconds > 0 {
		return float64(w.Counts.Transactions) / w.Seconds
	}
	return 0
}

// ends are the first sample of the window and the last; ok is false where they are not two.
func (t trial) ends() (first, last int, seconds float64, ok bool) {
	for first < len(t.samples) && t.samples[first].Warmup {
		first++
	}
	if last = len(t.samples) - 1; t.lost || first >= last {
		return 0, 0, 0, false
	}
	seconds = float64(t.samples[last].At-t.samples[first].At) / 1e9
	return first, last, seconds, seconds > 0
}

// grew is what a counter grew by in the window: a value that a sample lacks is as it was. It is
// not known of a counter that fell, nor of one that came late in the window.
func (t trial) grew(name string) (change float64, ok bool) {
	first, last, _, ok := t.ends()
	if !ok || !t.counter[name] || t.excluded(name) {
		return 0, false
	}
	known, begun := false, false
	var from, now float64
	for i := range last + 1 {
		v, has := t.samples[i].Values[name]
		if has && i > first && known && v < now {
			return 0, false // it fell
		}
		if has {
			if !known && i > first+(last+1-first)/10 {
				return 0, false
			}
			now, known = v, true
		}
		if i >= first && known && !begun {
			from, begun = now, true
		}
	}
	return now - from, known
}

// mean is that of what is not a counter, over the samples of the window from its first value on.
func (t trial) mean(name string) (mean float64, ok bool) {
	first, last, _, ok := t.ends()
	if counter, declared := t.counter[name]; !ok || counter || !declared || t.excluded(name) {
		return 0, false
	}
	known, now, sum, n := false, 0.0, 0.0, 0
	for i := range last + 1 {
		if v, has := t.samples[i].Values[name]; has {
			now, known = v, true
		}
		if i >= first && known {
			sum, n = sum+now, n+1
		}
	}
	return sum / float64(n), n > 0
}

// waitPerCPU is the run-queue wait of the server's threads for each second on a CPU.
func (t trial) waitPerCPU() (ratio float64, ok bool) {
	sum := map[string]float64{}
	for _, of := range []string{"run", "wait"} {
		for _, who := range []string{"session", "background"} {
			v, known := t.grew("server." + who + "." + of + "_ns")
			if !known {
				return 0, false
			}
			sum[of] += v
		}
	}
	return sum["wait"] / sum["run"], sum["run"] >= 1e6
}

// transactions are those that the server's counters hold.
func (t trial) transactions() float64 {
	_, _, seconds, _ := t.ends()
	if t.window.Uncounted > 0 {
		return float64(t.window.Counts.Transactions + t.window.Uncounted)
	}
	return seconds * t.completed()
}

// excluded are metrics of a cgroup that older records have of a process in the root cgroup, which
// holds everything that runs on the machine.
func (t trial) excluded(name string) bool {
	controller := map[string]string{"cgroup.cpu.usage_ns": "cpuacct"}
	for _, part := range []string{"usage", "anonymous", "cache", "huge"} {
		controller["cgroup.memory."+part+"_bytes"] = "memory"
	}
	for _, part := range []string{"reads", "writes", "read_bytes", "write_bytes"} {
		controller["cgroup.io."+part] = "blkio"
	}
	_, process := t.facts["cgroup.own.cpu.shares"]
	root := false
	for line := range strings.Lines(t.facts["server.cgroup"]) {
		parts := strings.Split(strings.TrimSpace(line), ":")
		root = root || len(parts) == 3 && parts[2] == "/" && parts[1] != "" && parts[1] == controller[name]
	}
	return process && root
}

func (t trial) number(key string) (float64, bool) {
	v, err := strconv.ParseFloat(t.facts[key], 64)
	return v, err == nil
}
