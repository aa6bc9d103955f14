package node

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"runtime"
	"strconv"
	"strings"

	"github.com/tarebench/tare/internal/keys"
	"github.com/tarebench/tare/internal/record"
)

// hostFiles are the files of /proc, /sys and /etc that say what machine this
// is: whatever of it can change a measurement. pick takes the value out of the
// file; nil takes the whole file.
var hostFiles = []struct {
	key, path string
	pick      func(string) string
}{
	{keys.HostOS, "etc/os-release", afterKey("PRETTY_NAME", "=")},
	{keys.HostKernel, "proc/sys/kernel/osrelease", nil},
	{keys.HostKernelCmdline, "proc/cmdline", nil},
	{keys.HostCPUModel, "proc/cpuinfo", afterKey("model name", ":")},
	{keys.HostCPUMicrocode, "proc/cpuinfo", afterKey("microcode", ":")},
	{keys.HostCPUGovernor, "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", nil},
	{keys.HostCPUSMT, "sys/devices/system/cpu/smt/active", nil},
	{keys.HostMemory, "proc/meminfo", afterKey("MemTotal", ":")},
	{keys.HostMemorySwap, "proc/meminfo", afterKey("SwapTotal", ":")},
	{keys.HostMemoryTHP, "sys/kernel/mm/transparent_hugepage/enabled", chosen},
	{keys.HostNUMANodes, "sys/devices/system/node/online", nil},
	{keys.HostClocksource, "sys/devices/system/clocksource/clocksource0/current_clocksource", nil},
	{keys.HostVulnerabilitySpectreV2, "sys/devices/system/cpu/vulnerabilities/spectre_v2", nil},
	{keys.HostVulnerabilityMDS, "sys/devices/system/cpu/vulnerabilities/mds", nil},
	{keys.HostLoad, "proc/loadavg", nil},
	{keys.HostMachine, "etc/machine-id", anonymous},
}

// HostFacts reads what machine this is below root ("/", or a tree copied from
// a machine). A file that is not there is a fact with its reason.
func HostFacts(root fs.FS) []record.Fact {
	facts := []record.Fact{
		{Key: keys.HostCPUCount, Value: strconv.Itoa(runtime.NumCPU()), Source: "sched_getaffinity(2)"},
		{Key: keys.HostArch, Value: runtime.GOARCH, Source: "tare"},
	}
	for _, h := range hostFiles {
		fact := record.Fact{Key: h.key, Source: "/" + h.path}
		text, err := fs.ReadFile(root, h.path)
		switch {
		case err != nil:
			fact.Unknown = err.Error()
		case h.pick != nil:
			fact.Value = h.pick(string(text))
		default:
			fact.Value = strings.TrimSpace(string(text))
		}
		if fact.Value == "" && fact.Unknown == "" {
			fact.Unknown = record.NotGiven.Say()
		}
		facts = append(facts, fact)
	}
	return facts
}

// afterKey takes the value of the first line `key<separator> value`.
func afterKey(key, separator string) func(string) string {
	return func(text string) string {
		for line := range strings.Lines(text) {
			name, value, ok := strings.Cut(line, separator)
			if ok && strings.TrimSpace(name) == key {
				return strings.Trim(strings.TrimSpace(value), `"`)
			}
		}
		return ""
	}
}

// anonymous identifies a machine to tare alone, so that runs of several machines can be told apart: machine-id(5) is
// not to leave its machine, and asks for a hash of it with a key of the application. "" where an image has none of its
// own.
func anonymous(text string) string {
	id, err := hex.DecodeString(strings.TrimSpace(text))
	if err != nil || len(id) == 0 { // "uninitialized" in an image that was never started
		return ""
	}
	sum := hmac.New(sha256.New, id)
	sum.Write([]byte("tarebench.io/machine"))
	return hex.EncodeToString(sum.Sum(nil)[:8])
}

// chosen takes the value in brackets: "always [madvise] never".
func chosen(text string) string {
	_, after, _ := strings.Cut(text, "[")
	value, _, _ := strings.Cut(after, "]")
	return value
}
