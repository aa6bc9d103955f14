package main

// What stands behind a flag: durations and numbers are read alike in every verb.

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/tarebench/tare/internal/experiment"
)

// span is a flag that takes a duration: 60s, 2m, 1h30m, or a number of seconds. sysbench takes seconds only, and
// pflag's own type takes no number without a unit.
type span struct{ to *time.Duration }

// Type is what help prints for the value.
func (v span) Type() string { return "duration" }

// String is the shortest notation that Set reads: 2m, where time.Duration has 2m0s.
func (v span) String() string {
	if v.to == nil || *v.to == 0 {
		return "0"
	}
	return shortSpan(*v.to)
}

// shortSpan is a duration without the units that are zero at its end.
func shortSpan(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

// Set reads a duration, which is not negative.
func (v span) Set(s string) error {
	d, ok := readSpan(s)
	if !ok {
		return errors.New("write a duration such as 60s or 2m, or a number of seconds")
	}
	*v.to = d
	return nil
}

// readSpan reads 60s, 2m, 1h30m or 60; ok is false for every other text.
func readSpan(s string) (d time.Duration, ok bool) {
	if seconds, err := strconv.ParseFloat(s, 64); err == nil {
		if !(seconds >= 0 && seconds <= math.MaxInt64/float64(2*time.Second)) { // also of NaN
			return 0, false
		}
		return time.Duration(seconds * float64(time.Second)), true
	}
	d, err := time.ParseDuration(s)
	return d, err == nil && d >= 0
}

// spanFlag adds a flag that takes a duration.
func spanFlag(f *pflag.FlagSet, to *time.Duration, name string, value time.Duration, help string) {
	*to = value
	f.Var(span{to}, name, help)
}

// number is a flag that takes a finite number. pflag's own type takes NaN and Inf, with which no condition holds.
type number struct{ to *float64 }

// Type is what help prints for the value.
func (v number) Type() string { return "number" }

func (v number) String() string {
	if v.to == nil {
		return "0"
	}
	return strconv.FormatFloat(*v.to, 'g', -1, 64)
}

// Set reads a number.
func (v number) Set(s string) error {
	n, err := strconv.ParseFloat(s, 64)
	if err != nil || math.IsNaN(n) || math.IsInf(n, 0) {
		return errors.New("write a number")
	}
	*v.to = n
	return nil
}

// numberFlag adds a flag that takes a finite number.
func numberFlag(f *pflag.FlagSet, to *float64, name string, value float64, help string) {
	*to = value
	f.Var(number{to}, name, help)
}

// rate is a number that may have the unit of a rate in a file: 500, 500/s.
type rate struct{ number }

// Set reads a rate.
func (v rate) Set(s string) error {
	if err := v.number.Set(strings.TrimSuffix(s, "/s")); err != nil {
		return errors.New("write a number of transactions per second, such as 500 or 500/s")
	}
	return nil
}

// rateFlag adds a flag that takes a rate.
func rateFlag(f *pflag.FlagSet, to *float64, name string, value float64, help string) {
	*to = value
	f.Var(rate{number{to}}, name, help)
}

// count is a flag that takes a whole number, least or above. pflag's own type takes 010 for 8.
type count struct {
	to          *int
	least, most int
}

// Type is what help prints for the value.
func (v count) Type() string { return "number" }

func (v count) String() string {
	if v.to == nil {
		return "0"
	}
	return strconv.Itoa(*v.to)
}

// Set reads a whole number.
func (v count) Set(s string) error {
	n, err := strconv.Atoi(s)
	switch {
	case err != nil && v.most < math.MaxInt, n > v.most, n < v.least && v.most < math.MaxInt:
		return fmt.Errorf("write a whole number from %d to %d", v.least, v.most)
	case err != nil || n < v.least:
		return fmt.Errorf("write a whole number, %d or above", v.least)
	}
	*v.to = n
	return nil
}

// countFlag adds a flag that takes a whole number.
func countFlag(f *pflag.FlagSet, to *int, name string, value int, help string) {
	*to = value
	f.Var(count{to, 0, math.MaxInt}, name, help)
}

// roundsFlag adds --rounds: 0 of them would be the default, or nothing at all.
func roundsFlag(f *pflag.FlagSet, to *int, value int, help string) {
	*to = value
	f.Var(count{to, 1, math.MaxInt}, "rounds", help)
}

// othersFlag adds --others-cpu, which stands for protocol.othersCPU.
func othersFlag(f *pflag.FlagSet, to *experiment.Percent) {
	f.Var(share{to}, "others-cpu", "share of the CPU time from which on other processes leave the run without a verdict, instead of protocol.othersCPU: 99% compares beside any load (default 10%)")
}

// share is a flag that takes a percentage above 0.
type share struct{ to *experiment.Percent }

// Type is what help prints for the value.
func (share) Type() string { return "share" }

func (v share) String() string {
	if v.to == nil || *v.to == 0 {
		return ""
	}
	return v.to.String()
}

// Set reads the value.
func (v share) Set(s string) error {
	var p experiment.Percent
	if err := p.UnmarshalText([]byte(s)); err != nil || p == 0 {
		return errors.New("write a percentage above 0 and below 100, such as 99%")
	}
	*v.to = p
	return nil
}

// portFlag adds a flag that takes a TCP port.
func portFlag(f *pflag.FlagSet, to *int, name string, value int, help string) {
	*to = value
	f.Var(count{to, 0, math.MaxUint16}, name, help)
}

// counts is a flag that takes whole numbers of at least 1, separated by commas.
type counts struct{ to *[]int }

// Type is what help prints for the value.
func (v counts) Type() string { return "numbers" }

func (v counts) String() string {
	if v.to == nil {
		return ""
	}
	var words []string
	for _, n := range *v.to {
		words = append(words, strconv.Itoa(n))
	}
	return strings.Join(words, ",")
}

// Set reads numbers.
func (v counts) Set(s string) error {
	var all []int
	for word := range strings.SplitSeq(s, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(word))
		if err != nil || n < 1 {
			return errors.New("write a whole number of at least 1, or several separated by commas")
		}
		all = append(all, n)
	}
	*v.to = all
	return nil
}

// countsFlag adds a flag that takes whole numbers.
func countsFlag(f *pflag.FlagSet, to *[]int, name string, value []int, help string) {
	*to = value
	f.Var(counts{to}, name, help)
}
