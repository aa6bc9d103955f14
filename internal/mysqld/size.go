package mysqld

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/tarebench/tare/internal/option"
)

// suffixes are the multipliers that option values may carry. MySQL reads them
// in either case (mysys/my_getopt.cc, eval_num_suffix).
var suffixes = map[byte]uint{'K': 10, 'M': 20, 'G': 30, 'T': 40, 'P': 50, 'E': 60}

// ParseSize reads a size as MySQL reads it from an option: a whole number of
// bytes with an optional K, M, G, T, P or E (powers of 1024).
func ParseSize(s string) (int64, error) {
	digits, shift := strings.TrimSpace(s), uint(0)
	if n := len(digits); n > 0 {
		if bits, ok := suffixes[digits[n-1]&^0x20]; ok {
			digits, shift = digits[:n-1], bits
		}
	}
	n, err := strconv.ParseUint(digits, 10, 63)
	if err != nil {
		return 0, fmt.Errorf("read size %q: write bytes or a number with K, M or G, such as 512M%s", s, sizeHint(s))
	}
	if n > math.MaxInt64>>shift {
		return 0, fmt.Errorf("read size %q: larger than 8 EiB", s)
	}
	return int64(n << shift), nil
}

// sizeHint recognises the spelling of Kubernetes and of people.
func sizeHint(s string) string {
	t := strings.ToUpper(strings.TrimSpace(s))
	for _, unit := range []string{"IB", "I", "B"} {
		if cut, ok := strings.CutSuffix(t, unit); ok {
			if _, err := ParseSize(cut); err == nil {
				return " (here: " + cut + ")"
			}
		}
	}
	return ""
}

const defaultBufferPool = 128 << 20 // of MySQL and MariaDB

// BufferPool is how many bytes InnoDB's buffer pool will have at least, under a
// configuration that Defaults accepts: see [option.PoolSize].
// innodb_dedicated_server, which takes the size from the machine's memory, is
// not foreseen: the value is then the least it can be.
func BufferPool(config map[string]string, flavour, version string) int64 {
	opts := normalise(config)
	size := sizeOr(opts["innodb_buffer_pool_size"], defaultBufferPool)
	product, v := option.MySQL, parseVersion(version)
	if flavour == MariaDB {
		product = option.MariaDB
	}
	instances, _ := strconv.ParseInt(opts["innodb_buffer_pool_instances"], 10, 32) // 0 where it is not set
	return option.PoolSize(product, option.Release(v), size, sizeOr(opts["innodb_buffer_pool_chunk_size"], 0), instances)
}

// RedoLog is how many bytes of disk InnoDB's redo log takes, under a configuration that Defaults
// accepts. From 8.0.30 on MySQL has files of innodb_redo_log_capacity altogether, spare ones included
// (17.6.5 in the manual); before, and in MariaDB, all files are made in full.
func RedoLog(config map[string]string, flavour, version string) int64 {
	const mega = 1 << 20
	opts := normalise(config)
	if flavour == MariaDB { // one file since 10.5
		return sizeOr(opts["innodb_log_file_size"], 96*mega)
	}
	files := sizeOr(opts["innodb_log_file_size"], 48*mega) * sizeOr(opts["innodb_log_files_in_group"], 2)
	set := opts["innodb_log_file_size"] != "" || opts["innodb_log_files_in_group"] != ""
	if v := parseVersion(version); v.known() && v.less(release{8, 0, 30}) || set && opts["innodb_redo_log_capacity"] == "" {
		return files
	}
	return sizeOr(opts["innodb_redo_log_capacity"], 100*mega)
}

func sizeOr(s string, otherwise int64) int64 {
	if n, err := ParseSize(s); err == nil && n > 0 {
		return n
	}
	return otherwise
}

// release is a version as numbers.
type release [3]int

// parseVersion reads the numbers at the start of what a server prints. What is
// no version gives zeros.
func parseVersion(s string) release {
	var r release
	rest := s
	for i := range r {
		end := strings.IndexFunc(rest, func(c rune) bool { return c < '0' || c > '9' })
		digits := rest
		if end >= 0 {
			digits = rest[:end]
		}
		n, err := strconv.Atoi(digits)
		if err != nil {
			return r
		}
		r[i] = n
		if end < 0 || rest[end] != '.' {
			return r
		}
		rest = rest[end+1:]
	}
	return r
}

// AtLeast says whether the server's version is known to be this one or a later one.
func (d Distribution) AtLeast(major, minor, patch int) bool {
	v := parseVersion(d.Version)
	return v.known() && !v.less(release{major, minor, patch})
}

func (r release) known() bool { return r != release{} }

func (r release) less(o release) bool {
	for i := range r {
		if r[i] != o[i] {
			return r[i] < o[i]
		}
	}
	return false
}

func (r release) String() string { return fmt.Sprintf("%d.%d.%d", r[0], r[1], r[2]) }
