package language

import (
	"cmp"
	"math"
	"strconv"
	"strings"

	"github.com/tarebench/tare/internal/keys"
)

// This file writes quantities in units that people use: CPUs, MiB, ms. Views use it; the
// document and all exports keep the values as they were read.

// ShownUnit is the unit in which a metric is shown, and how many of its own unit are one of
// those; most is its largest value. Nanoseconds of CPU time per second are CPUs.
func ShownUnit(metric, unit string, most float64) (name string, per float64) {
	base, perSecond := strings.CutSuffix(unit, "/s")
	rate := ""
	if perSecond {
		rate = "/s"
	}
	switch {
	case unit == "ns/s" && isCPUTime(metric):
		return "CPU", 1e9
	case unit == "ns/s":
		return "s/s", 1e9
	case unit == "ns":
		return timeUnit(most)
	case base == "bytes":
		name, per = sizeUnit(most)
		return name + rate, per
	case unit == "1":
		return "", 1
	}
	return unit, 1
}

// Unit is a unit in words ("bytes"); a symbol ("MiB") is the same in all languages.
func (l *Language) Unit(name string) string { return cmp.Or(l.Say("unit."+name), name) }

// isCPUTime tells time on a CPU from time that somebody waited, which the names of
// throttling and pressure have .cpu. in as well.
func isCPUTime(metric string) bool {
	for _, kind := range []string{"user_ns", "system_ns", "irq_ns", "idle_ns", "steal_ns", "usage_ns", "run_ns"} {
		if strings.HasSuffix(metric, "."+kind) {
			return true
		}
	}
	return metric == keys.ProbeCPUNS
}

// sizeUnit is the largest binary unit of which v has at least one.
func sizeUnit(v float64) (name string, per float64) {
	switch v = math.Abs(v); {
	case v >= 1<<30:
		return "GiB", 1 << 30
	case v >= 1<<20:
		return "MiB", 1 << 20
	case v >= 1<<10:
		return "KiB", 1 << 10
	}
	return "bytes", 1
}

// timeUnit is that of a duration in nanoseconds.
func timeUnit(ns float64) (name string, per float64) {
	switch ns = math.Abs(ns); {
	case ns >= 1e9 || ns == 0:
		return "s", 1e9
	case ns >= 1e6:
		return "ms", 1e6
	}
	return "µs", 1e3
}

// inUnit is v in a unit, to three significant digits; whole numbers keep theirs.
func inUnit(v float64, unit string, per float64) string {
	v /= per
	if v == math.Trunc(v) {
		return Decimal(v, 0) + " " + unit
	}
	text := Rounded(v)
	if strings.Contains(text, ".") {
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}
	return text + " " + unit
}

// unlimitedFrom is less than PAGE_COUNTER_MAX pages, which cgroup v1 shows where memory has
// no limit (include/linux/page_counter.h).
const unlimitedFrom = 1 << 62

// Readable is the value of a fact in units of people; what is not a quantity stays as it is.
// period is the CFS period in microseconds that a CPU quota is of.
func (l *Language) Readable(key, value string, period float64) string {
	if quota, of, ok := quotaOf(key, value, period); ok {
		if quota < 0 {
			return l.Say("cell.unlimited")
		}
		return inUnit(quota/of, "CPU", 1)
	}
	if value == "max" && isSize(key) {
		return l.Say("cell.unlimited")
	}
	v, err := strconv.ParseFloat(value, 64)
	if err != nil {
		return value
	}
	if isOptionSize(key) {
		return optionSize(int64(v))
	}
	return cmp.Or(l.Quantity(key, v), value)
}

// Quantity is a number of a fact, or a change of one, in units of people; "" where the key
// names no unit.
func (l *Language) Quantity(key string, v float64) string {
	if isSize(key) {
		if v >= unlimitedFrom {
			return l.Say("cell.unlimited")
		}
		name, per := sizeUnit(v)
		return inUnit(v, l.Unit(name), per)
	}
	for _, t := range []struct {
		suffix string
		ns     float64
	}{{"_ns", 1}, {"_us", 1e3}, {"_usec", 1e3}} {
		if strings.HasSuffix(key, t.suffix) {
			name, per := timeUnit(v * t.ns)
			return inUnit(v*t.ns, name, per)
		}
	}
	return ""
}

// quotaOf is a CPU quota with its period in microseconds; negative for none.
func quotaOf(key, value string, period float64) (quota, of float64, ok bool) {
	switch {
	case strings.HasSuffix(key, "cpu.cfs_quota_us"):
	case strings.HasSuffix(key, "cpu.max"): // cgroup v2: quota and period
		text, rest, both := strings.Cut(value, " ")
		p, err := strconv.ParseFloat(rest, 64)
		if !both || err != nil || p <= 0 {
			return 0, 0, false
		}
		if value, period = text, p; text == "max" {
			return -1, p, true
		}
	default:
		return 0, 0, false
	}
	quota, err := strconv.ParseFloat(value, 64)
	return quota, period, err == nil
}

// isOptionSize says that a key is a size among the server's variables.
func isOptionSize(key string) bool {
	for _, name := range []string{"innodb_buffer_pool_size", "innodb_log_file_size", "innodb_redo_log_capacity"} {
		if strings.HasSuffix(key, "variable."+name) {
			return true
		}
	}
	return false
}

// optionSize is a size as an option file takes it, so that it can be pasted there: 256M. What
// no suffix expresses stays a number of bytes.
func optionSize(bytes int64) string {
	for _, unit := range []struct {
		suffix string
		shift  uint
	}{{"G", 30}, {"M", 20}, {"K", 10}} {
		if n := bytes >> unit.shift; n > 0 && n<<unit.shift == bytes {
			return strconv.FormatInt(n, 10) + unit.suffix
		}
	}
	return strconv.FormatInt(bytes, 10)
}

// isSize says that a key is of bytes: by its name, or a file of the memory controller.
func isSize(key string) bool {
	if strings.HasSuffix(key, "_bytes") {
		return true
	}
	for _, file := range []string{"memory.max", "memory.high", "memory.low", "memory.min", "memory.current", "memory.peak", "memory.swap.max"} {
		if strings.HasSuffix(key, "."+file) {
			return true
		}
	}
	return false
}
