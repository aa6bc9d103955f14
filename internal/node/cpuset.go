package node

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// CPUSet are CPUs by their numbers, ascending. The zero value is none, or not
// said.
type CPUSet []int

// maxCPUs bounds what a list may name: NR_CPUS of the largest kernels.
const maxCPUs = 8192

// ParseCPUSet reads the kernel's list format: 0-3,8 (cpuset(7)).
func ParseCPUSet(text string) (CPUSet, error) {
	wrong := fmt.Errorf("%.40q is not a list of CPUs; use numbers and ranges such as 0 or 0-1,4", text)
	var set CPUSet
	for part := range strings.SplitSeq(strings.TrimSpace(text), ",") {
		from, to, isRange := strings.Cut(part, "-")
		first, err := strconv.ParseUint(from, 10, 16)
		last := first
		if err == nil && isRange {
			last, err = strconv.ParseUint(to, 10, 16)
		}
		if err != nil || last < first || last >= maxCPUs {
			return nil, wrong
		}
		for cpu := first; cpu <= last; cpu++ {
			set = append(set, int(cpu))
		}
	}
	slices.Sort(set)
	return slices.Compact(set), nil
}

// UnmarshalText reads the kernel's list format.
func (s *CPUSet) UnmarshalText(b []byte) (err error) {
	*s, err = ParseCPUSet(string(b))
	return err
}

// MarshalText is the notation UnmarshalText reads.
func (s CPUSet) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// String is the kernel's list format, "" for none.
func (s CPUSet) String() string {
	var parts []string
	for i := 0; i < len(s); {
		j := i
		for j+1 < len(s) && s[j+1] == s[j]+1 {
			j++
		}
		part := strconv.Itoa(s[i])
		if j > i {
			part += "-" + strconv.Itoa(s[j])
		}
		parts, i = append(parts, part), j+1
	}
	return strings.Join(parts, ",")
}

// Without are the CPUs of s that are not in other.
func (s CPUSet) Without(other CPUSet) CPUSet {
	return slices.DeleteFunc(slices.Clone(s), func(cpu int) bool { return slices.Contains(other, cpu) })
}
