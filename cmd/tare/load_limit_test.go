package main

import (
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"github.com/tarebench/tare/internal/workload"
)

// TestLoadLimit: the limit of `tare load` is that of all its generators together, and of a
// closed loop only.
func TestLoadLimit(t *testing.T) {
	for _, c := range []struct {
		args  string
		limit float64
		says  string
	}{
		{"--limit=300", 300, ""},
		{"--limit=300 --generators=3 --generators-run=x", 100, ""},
		{"", 0, ""},
		{"--rate=300", 0, ""},
		{"--limit=300 --rate=100", 0, "--limit is for a closed loop"},
		{"--limit=300 --rate-schedule=100:1", 0, "--limit is for a closed loop"},
		{"--limit=-1", 0, "must not be negative"},
	} {
		o := newLoadOptions()
		f := pflag.NewFlagSet("load", pflag.ContinueOnError)
		o.flags(f)
		if err := f.Parse(append(strings.Fields(c.args), "--mysql-host=127.0.0.1")); err != nil {
			t.Fatal(err)
		}
		err := o.resolve()
		if (err == nil) != (c.says == "") || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want %q", c.args, err, c.says)
		}
		if err != nil {
			continue
		}
		p, err := workload.Build("oltp_point_select", o.workload)
		if err != nil {
			t.Fatal(err)
		}
		j, err := o.job(p)
		if err != nil || j.Limit != c.limit {
			t.Errorf("%s: limit %v, %v; want %v", c.args, j.Limit, err, c.limit)
		}
	}
}
