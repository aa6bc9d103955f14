package probe

import (
	"context"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/tarebench/tare/internal/keys"
	"github.com/tarebench/tare/internal/record"
)

// hostCPU reads the first line of /proc/stat (proc_stat(5)), what the machine
// switches and interrupts, and the mean frequency where the kernel tells it.
func hostCPU() Probe {
	return Probe{
		Name: "host.cpu", Help: "CPU time of the machine, steal, context switches, frequency",
		Metrics: []record.Metric{
			counter(keys.HostCPUUserNS, "ns", "time of all CPUs in user mode, including nice"),
			counter(keys.HostCPUSystemNS, "ns", "time of all CPUs in the kernel, without interrupts"),
			counter(keys.HostCPUIRQNS, "ns", "time of all CPUs in interrupts and softirqs"),
			counter(keys.HostCPUIdleNS, "ns", "idle time of all CPUs, including iowait"),
			cost(keys.HostCPUStealNS, "ns", "time in which the hypervisor ran other guests (steal)"),
			counter(keys.HostContextSwitches, "1", "context switches of the machine"),
			counter(keys.HostInterrupts, "1", "interrupts of the machine"),
			gauge(keys.HostRunning, "1", "runnable tasks"),
			gauge(keys.HostCPUMHz, "MHz", "mean frequency of all CPUs; absent where the kernel does not report it"),
		},
		Start: func(p Place) (Read, error) {
			frequencies, _ := fs.Glob(p.Root, "sys/devices/system/cpu/cpu[0-9]*/cpufreq/scaling_cur_freq")
			return func(_ context.Context, put func(string, float64)) error {
				readFrequency(p.Root, frequencies, put)
				return readStat(p.Root, put)
			}, nil
		},
	}
}

func readStat(root fs.FS, put func(string, float64)) error {
	text, err := read(root, "proc/stat")
	if err != nil {
		return err
	}
	rename(keyed(text), map[string]string{"ctxt": keys.HostContextSwitches, "intr": keys.HostInterrupts, "procs_running": keys.HostRunning}, 1, put)
	line, _, _ := strings.Cut(text, "\n")
	f := strings.Fields(line)
	if len(f) < 9 || f[0] != "cpu" {
		return fmt.Errorf("read /proc/stat: %.40q is not a line of CPU times", line)
	}
	sum := func(fields ...int) (ns float64) {
		for _, i := range fields {
			v, _ := number(f[i])
			ns += v * tick
		}
		return ns
	}
	put(keys.HostCPUUserNS, sum(1, 2))
	put(keys.HostCPUSystemNS, sum(3))
	put(keys.HostCPUIdleNS, sum(4, 5))
	put(keys.HostCPUIRQNS, sum(6, 7))
	put(keys.HostCPUStealNS, sum(8))
	return nil
}

// readFrequency is the mean of scaling_cur_freq, in kHz.
func readFrequency(root fs.FS, files []string, put func(string, float64)) {
	sum, n := 0.0, 0.0
	for _, f := range files {
		if v, err := single(root, path.Clean(f)); err == nil {
			sum, n = sum+v, n+1
		}
	}
	if n > 0 {
		put(keys.HostCPUMHz, sum/n/1e3)
	}
}
