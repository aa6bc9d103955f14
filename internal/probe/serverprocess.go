package probe

import (
	"context"
	"errors"
	"strings"

	"github.com/tarebench/tare/internal/record"
)

// tick is the unit of times in /proc/PID/stat and /proc/stat: USER_HZ is 100 on
// every architecture that Go runs on (proc_pid_stat(5)).
const tick = 1e7 // ns

func serverProcess() Probe {
	return Probe{
		Name: "server.process", Help: "CPU time, page faults and memory of the server's process",
		Metrics: []record.Metric{
			counter("server.cpu.user_ns", "ns", "CPU time of the server in user mode, including threads that have ended"),
			counter("server.cpu.system_ns", "ns", "CPU time of the server in the kernel"),
			counter("server.minor_faults", "1", "page faults that needed no disk"),
			cost("server.major_faults", "1", "page faults that read from disk"),
			gauge("server.threads", "1", "threads of the server"),
			gauge("server.rss_bytes", "bytes", "resident memory of the server"),
			gauge("server.swap_bytes", "bytes", "swapped-out memory of the server"),
			gauge("server.hugetlb_bytes", "bytes", "explicit huge pages of the server"),
		},
		Start: func(p Place) (Read, error) {
			if p.PID == 0 {
				return nil, errElsewhere
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
	for field, metric := range map[int]string{10: "server.minor_faults", 12: "server.major_faults", 14: "server.cpu.user_ns", 15: "server.cpu.system_ns"} {
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
	rename(values, map[string]string{"Threads": "server.threads"}, 1, put)
	rename(values, map[string]string{"VmRSS": "server.rss_bytes", "VmSwap": "server.swap_bytes", "HugetlbPages": "server.hugetlb_bytes"}, 1024, put)
	return nil
}
