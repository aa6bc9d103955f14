package option

import (
	"math"
	"strconv"
	"strings"
)

// Bytes is a size with mysqld's suffixes (K, M, G, T, P, E, powers of 1024), and
// whether it is one.
func Bytes(s string) (int64, bool) {
	s = strings.TrimSpace(s)
	if s == "" {
		return 0, false
	}
	if n := len(s); n > 2 && s[n-1]&^0x20 == 'B' && s[n-2] > '9' {
		s = s[:n-1] // 3200MB: the server looks at the first letter only
	}
	shift := 10 * (strings.IndexByte("KMGTPE", s[len(s)-1]&^0x20) + 1)
	if shift > 0 {
		s = s[:len(s)-1]
	}
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n < 0 || n > math.MaxInt64>>shift {
		return 0, false
	}
	return n << shift, true
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
