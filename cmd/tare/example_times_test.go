package main

// This file compares the times that examples name with those that tare check computes.

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tarebench/tare/internal/campaign"
	"github.com/tarebench/tare/internal/compare"
	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/layer"
)

// TestExamplesNameTheirTime: the time in the comment of an example is that of tare check, whose summary begins with it.
// All of them have an arm with a CPU quota in periods of 100 ms, which decides their slices.
func TestExamplesNameTheirTime(t *testing.T) {
	for _, name := range []string{"capacity.yaml", "qos.yaml"} {
		text, err := os.ReadFile("../../examples/" + name)
		if err != nil {
			t.Fatal(err)
		}
		e, err := experiment.Parse(name, text)
		if err != nil {
			t.Fatal(err)
		}
		memories := []layer.Memory{layer.QuotaMemory(100 * time.Millisecond)}
		plan := experiment.NewPlan(e).Interleave(e, interleaving(e, memories, false, nil))
		want := regexp.MustCompile(`^about [0-9.]+ (h|min)`).FindString(campaign.Summary(e, plan, campaign.Spread{Low: 0.01, High: 0.02}))
		if comment, _, _ := strings.Cut(string(text), "apiVersion:"); want == "" || !strings.Contains(comment, ": "+want+".") {
			t.Errorf("the comment of %s does not say that it takes %q:\n%s", name, want, comment)
		}
	}
}

// TestExamplesNameTheirRounds: the rounds that the comment of an example asks for are those of tare check.
func TestExamplesNameTheirRounds(t *testing.T) {
	files, err := filepath.Glob("../../examples/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	counts := map[string]int{"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10}
	said := 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		m := regexp.MustCompile(`(?i)(\w+) (?:contrasts?|comparisons?)\b[^.]*? needs? at least ([0-9]+) rounds`).FindStringSubmatch(strings.ReplaceAll(string(text), "\n# ", " "))
		if m == nil {
			continue
		}
		said++
		e, err := experiment.Parse(file, text)
		if err != nil {
			t.Fatal(err)
		}
		if n := compare.Family(e); counts[strings.ToLower(m[1])] != n || m[2] != strconv.Itoa(compare.EnoughRounds(n)) {
			t.Errorf("%s says %q; tare check counts %d comparisons, which need %d rounds", file, m[0], n, compare.EnoughRounds(n))
		}
	}
	if said < 5 {
		t.Errorf("only %d examples name their rounds", said)
	}
}

// TestFirstExperimentTakesWhatIsSaid: README and `tare init --help` have the times that tare check computes.
func TestFirstExperimentTakesWhatIsSaid(t *testing.T) {
	for _, c := range []struct {
		containers bool
		memories   []layer.Memory
		obstacle   *experiment.Reason // other settings of flushing under a load that writes
		texts      map[string]string  // file -> what it says, without the time
	}{
		{true, []layer.Memory{layer.QuotaMemory(100 * time.Millisecond)}, nil, map[string]string{
			"../../README.md": "tare run experiment.yaml      # TIME: the result", "../../README.zh.md": "tare run experiment.yaml      # 大TIME：输出结论", "init.go": "TIME with pods",
		}},
		{false, nil, &experiment.Reason{Code: "flush"}, map[string]string{"init.go": "TIME with two settings"}},
	} {
		f := first{File: "x.yaml", Name: "x", CPUs: 2, Half: 1, Threads: 8, Pool: "256M", Limit: "1Gi", Containers: c.containers, Workload: "oltp_read_only", Rows: 20000}
		text, err := rendered(firstExperiment, f)
		if err != nil {
			t.Fatal(err)
		}
		e, err := experiment.Parse("x.yaml", text)
		if err != nil {
			t.Fatal(err)
		}
		plan := experiment.NewPlan(e).Interleave(e, interleaving(e, c.memories, false, c.obstacle))
		takes := regexp.MustCompile(`^about [0-9.]+ (h|min)`).FindString(campaign.Summary(e, plan, campaign.Spread{Low: 0.01, High: 0.02}))
		for file, says := range c.texts {
			said, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			time := strings.ReplaceAll(takes, "min", "minutes")
			if strings.HasSuffix(file, "zh.md") {
				time = strings.NewReplacer("about", "约", "min", "分钟").Replace(takes)
			}
			if want := strings.ReplaceAll(says, "TIME", time); takes == "" || !strings.Contains(string(said), want) {
				t.Errorf("%s does not say %q", file, want)
			}
		}
	}
}
