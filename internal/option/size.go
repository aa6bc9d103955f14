package option

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

// Bytes is a size as mysqld and mariadbd read it, and whether it is one: digits, and one letter of K, M, G, T,
// P and E (powers of 1024) behind them. What follows the letter is ignored, so that 16Gi and 3200MB are 16G and
// 3200M, and 1e9 is 1 EiB (eval_num_suffix in mysys/my_getopt.cc; measured, see [Suffixes]).
func Bytes(s string) (int64, bool) {
	s = strings.TrimSpace(s)
	end := 0
	for end < len(s) && s[end] >= '0' && s[end] <= '9' {
		end++
	}
	if end == 0 {
		return 0, false
	}
	shift := 0
	if end < len(s) {
		if shift = 10 * (strings.IndexByte("KMGTPE", s[end]&^0x20) + 1); shift == 0 {
			return 0, false
		}
	}
	n, err := strconv.ParseInt(s[:end], 10, 64)
	if err != nil || n > math.MaxInt64>>shift {
		return 0, false
	}
	return n << shift, true
}

// Suffixes are the letters that a release reads behind a number: MySQL 5.7 knows no T, P and E
// (measured with 5.7.42, 8.0.46, 8.4.6, 9.7.4 and MariaDB 10.3.39 to 11.8.9).
func Suffixes(product string, in Release) string {
	if product == "mysql" && slices.Compare(in[:], []int{8, 0, 0}) < 0 {
		return "KMG"
	}
	return "KMGTPE"
}

// ReadsSuffix is whether the letter behind a number, if there is one, is among suffixes.
func ReadsSuffix(suffixes, s string) bool {
	letter := strings.TrimLeft(strings.TrimSpace(s), "0123456789")
	return letter == "" || strings.IndexByte(suffixes, letter[0]&^0x20) >= 0
}

// Same says whether two texts are one value of an option: the same size, the same switch, or
// the same text in either case.
func Same(x, y string) bool {
	if n, ok := Bytes(x); ok {
		if m, ok := Bytes(y); ok {
			return n == m
		}
	}
	return strings.EqualFold(switched(x), switched(y))
}

// switched is a switch as SHOW VARIABLES prints it, and any other value as it is.
func switched(s string) string {
	switch strings.ToUpper(s) {
	case "1", "TRUE", "YES":
		return "ON"
	case "0", "FALSE", "NO":
		return "OFF"
	}
	return s
}
