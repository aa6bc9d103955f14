package node

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
)

// CPU is an amount of processor time per time in thousandths of a CPU, as
// Kubernetes counts it; 0 is the same as not set, as it is there.
type CPU int64

// MaxCPU is written "max": as much as the machine can give. It is larger than
// any amount and stands for none until Resolve has made one of it.
const MaxCPU CPU = math.MaxInt64

// UnmarshalText reads 500m, 1.5, 2 or max. Amounts finer than 1m are refused,
// as the Kubernetes API server refuses them.
func (c *CPU) UnmarshalText(b []byte) error {
	s := string(b)
	if s == "max" {
		*c = MaxCPU
		return nil
	}
	number, unit := s, int64(1000)
	if n, ok := strings.CutSuffix(s, "m"); ok {
		number, unit = n, 1
	}
	v, ok := whole(number, unit)
	if !ok || CPU(v) == MaxCPU {
		return fmt.Errorf("%.40q is not an amount of CPU; use thousandths such as 500m, CPUs such as 1.5 or 2 (no finer than 1m), or max", s)
	}
	*c = CPU(v)
	return nil
}

// MarshalText is the notation UnmarshalText reads.
func (c CPU) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// String is Kubernetes' canonical form: 2, 1500m, max.
func (c CPU) String() string {
	switch {
	case c == MaxCPU:
		return "max"
	case c%1000 == 0:
		return strconv.FormatInt(int64(c)/1000, 10)
	default:
		return strconv.FormatInt(int64(c), 10) + "m"
	}
}

// Cores is c as a number of CPUs.
func (c CPU) Cores() float64 { return float64(c) / 1000 }

// Resolve is c, or largest where c is max.
func (c CPU) Resolve(largest CPU) CPU {
	if c == MaxCPU {
		return largest
	}
	return c
}

// Bytes is an amount of memory; 0 is the same as not set.
type Bytes int64

// suffix is one unit of a Kubernetes quantity
// (apimachinery pkg/api/resource/suffix.go). Note that G is 10^9 here and 2^30
// in a my.cnf.
type suffix struct {
	text string
	unit int64
}

// suffixes are in the order in which they are tried for reading: the longer
// ones first, because Gi does not end in G but Ei and E must not be mixed up.
func suffixes() []suffix {
	return []suffix{
		{"Ei", 1 << 60}, {"Pi", 1 << 50}, {"Ti", 1 << 40}, {"Gi", 1 << 30}, {"Mi", 1 << 20}, {"Ki", 1 << 10},
		{"E", 1e18}, {"P", 1e15}, {"T", 1e12}, {"G", 1e9}, {"M", 1e6}, {"k", 1e3},
	}
}

// UnmarshalText reads a Kubernetes quantity of whole bytes: 1Gi, 512Mi, 1G,
// 1.5Gi or a plain number. The form with an exponent is left out, and so is the
// suffix m, which Kubernetes accepts and which is always a mistake: 512m is
// half a byte.
func (v *Bytes) UnmarshalText(b []byte) error {
	s := string(b)
	number, unit := s, int64(1)
	for _, x := range suffixes() {
		if n, ok := strings.CutSuffix(s, x.text); ok {
			number, unit = n, x.unit
			break
		}
	}
	n, ok := whole(number, unit)
	if !ok {
		return fmt.Errorf("%.40q is not an amount of memory; use bytes such as 512Mi, 1Gi, 1G or 1073741824", s)
	}
	*v = Bytes(n)
	return nil
}

// MarshalText is the notation UnmarshalText reads.
func (v Bytes) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// String uses the largest unit that loses nothing, binary before decimal.
func (v Bytes) String() string {
	for _, x := range suffixes() {
		if v != 0 && int64(v)%x.unit == 0 {
			return strconv.FormatInt(int64(v)/x.unit, 10) + x.text
		}
	}
	return strconv.FormatInt(int64(v), 10)
}

// whole is number·unit where number is an unsigned decimal fraction, and false
// where that is no whole number or more than an int64 holds. The arithmetic is
// exact: 0.1 has no float64.
func whole(number string, unit int64) (int64, bool) {
	const longest = 40 // digits; more cannot matter and would only cost time
	if number == "" || number == "." || len(number) > longest || strings.Trim(number, "0123456789.") != "" {
		return 0, false
	}
	r, ok := new(big.Rat).SetString(number)
	if !ok {
		return 0, false
	}
	r.Mul(r, new(big.Rat).SetInt64(unit))
	if !r.IsInt() || !r.Num().IsInt64() {
		return 0, false
	}
	return r.Num().Int64(), true
}
