package probe

import (
	"context"
	"errors"
	"strings"

	"github.com/tarebench/tare/internal/keys"
	"github.com/tarebench/tare/internal/record"
)

// tick is the unit of times in /proc/PID/stat and /proc/stat: USER_HZ is 100 on
// every architecture that Go runs on (proc_pid_stat(5)).
const tick = 1e7 // ns

func serverProcess() Probe {
	return Probe{
		Name: "server.process", Help: "CPU time, page faults and memory of the server's process",
		Metrics: []record.Metric{
			counter(keys.ServerCPUUserNS, "ns", "CPU time of the server in user mode, including threads that have ended"),
			counter(keys.ServerCPUSystemNS, "ns", "CPU time of the server in the kernel"),
			counter(keys.ServerMinorFaults, "1", "page faults that needed no disk"),
			cost(keys.ServerMajorFaults, "1", "page faults that read from disk"),
			gauge(keys.ServerThreads, "1", "threads of the server"),
			gauge(keys.ServerRSSBytes, "bytes", "resident memory of the server"),
			gauge(keys.ServerSwapBytes, "bytes", "swapped-out memory of the server"),
			gauge(keys.ServerHugeTLBBytes, "bytes", "explicit huge pages of the server"),
		},
		Start: func(p Place) (Read, error) {
			if p.PID == 0 {
				return nil, p.elsewhere()
			}
			return func(_ context.Context, put func(string, float64)) error {
				return errors.Join(processStat(p, put), processStatus(p, put))
			}, nil
		},
	}
}

// processStat reads fields of proc_pid_stat(5). The name in field 2 may hold
// blanks and brackets; field 3 comes after the last bracket.
func processStat(p Place, put func(string, float64)) error {
	text, err := read(p.Root, p.proc("stat"))
	if err != nil {
		return err
	}
	f := strings.Fields(text[strings.LastIndexByte(text, ')')+1:])
	for field, metric := range map[int]string{10: keys.ServerMinorFaults, 12: keys.ServerMajorFaults, 14: keys.ServerCPUUserNS, 15: keys.ServerCPUSystemNS} {
		if field-3 >= len(f) {
			continue
		}
		factor := 1.0
		if field >= 14 {
			factor = tick
		}
		if v, ok := number(f[field-3]); ok {
			put(metric, v*factor)
		}
	}
	return nil
}

func processStatus(p Place, put func(string, float64)) error {
	text, err := read(p.Root, p.proc("status"))
	if err != nil {
		return err
	}
	values := keyed(text)
	rename(values, map[string]string{"Threads": keys.ServerThreads}, 1, put)
	rename(values, map[string]string{"VmRSS": keys.ServerRSSBytes, "VmSwap": keys.ServerSwapBytes, "HugetlbPages": keys.ServerHugeTLBBytes}, 1024, put)
	return nil
}
