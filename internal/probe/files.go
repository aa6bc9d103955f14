package probe

// This file reads the kernel's files: small, of words and numbers. A file can
// come from a tree that anybody made, so its size is bounded and no line of it
// is taken for granted.

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strconv"
	"strings"
)

// maxFile is more than any file of /proc or /sys that is read here has.
const maxFile = 1 << 20

// read is a file's text; name is a path with or without its first slash.
func read(root fs.FS, name string) (string, error) {
	f, err := root.Open(strings.TrimPrefix(name, "/"))
	if err != nil {
		return "", err
	}
	b, err := io.ReadAll(io.LimitReader(f, maxFile))
	if err := errors.Join(err, f.Close()); err != nil {
		return "", fmt.Errorf("read /%s: %w", strings.TrimPrefix(name, "/"), err)
	}
	return string(b), nil
}

// number is a finite number that a counter or a level can have.
func number(s string) (float64, bool) {
	v, err := strconv.ParseUint(s, 10, 64)
	return float64(v), err == nil
}

// single is the file's only number.
func single(root fs.FS, name string) (float64, error) {
	text, err := read(root, name)
	if err != nil {
		return 0, err
	}
	v, ok := number(strings.TrimSpace(text))
	if !ok {
		return 0, fmt.Errorf("read /%s: %.20q is not a number", name, text)
	}
	return v, nil
}

// keyed are lines of "key value", a colon after the key allowed.
func keyed(text string) map[string]float64 {
	all := map[string]float64{}
	for line := range strings.Lines(text) {
		f := strings.Fields(line)
		if len(f) < 2 {
			continue
		}
		if v, ok := number(f[1]); ok {
			all[strings.TrimSuffix(f[0], ":")] = v
		}
	}
	return all
}

// paired are the pairs of lines of /proc/net/snmp and netstat: a line of names
// and one of values, both begun by a group. The key is group.name. Values are
// signed there: MaxConn is -1.
func paired(text string) map[string]float64 {
	all := map[string]float64{}
	var names []string
	for line := range strings.Lines(text) {
		f := strings.Fields(line)
		if len(f) == 0 {
			continue
		}
		if names == nil || names[0] != f[0] {
			names = f
			continue
		}
		for i := 1; i < min(len(names), len(f)); i++ {
			if v, ok := number(f[i]); ok {
				all[strings.TrimSuffix(f[0], ":")+"."+names[i]] = v
			}
		}
		names = nil
	}
	return all
}

// rename puts values under the metrics' names.
func rename(from map[string]float64, names map[string]string, factor float64, put func(string, float64)) {
	for key, metric := range names {
		if v, ok := from[key]; ok {
			put(metric, v*factor)
		}
	}
}

// two are a file's first two numbers.
func two(text string) (a, b float64, ok bool) {
	f := strings.Fields(text)
	if len(f) < 2 {
		return 0, 0, false
	}
	a, okA := number(f[0])
	b, okB := number(f[1])
	return a, b, okA && okB
}
