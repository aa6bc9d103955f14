package export

import (
	"bytes"
	"encoding/csv"
	"encoding/xml"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/tarebench/tare/internal/report"
)

// A difference that leaves for another program takes its interval and its number of
// rounds along.

func TestNoBareDifferenceInTables(t *testing.T) {
	differences := map[string][]string{ // column -> the columns that must stand with it
		"cost_percent":      {"lo95_percent", "hi95_percent", "rounds"},
		"cost_points":       {"lo95_points", "hi95_points", "rounds"},
		"share":             {"lo95_share", "hi95_share", "rounds"},
		"gives_back_points": {"lo95_gives_back_points", "hi95_gives_back_points", "rounds"},
	}
	ends := regexp.MustCompile(`_(percent|points|ratio)$|share$`)
	with, filled := map[string]bool{}, map[string]bool{}
	for _, columns := range differences {
		for _, c := range columns {
			with[c] = true
		}
	}
	for _, name := range runs() {
		for _, table := range Tables() {
			var b bytes.Buffer
			if err := table.csv(&b, open(t, name), Options{}); err != nil {
				t.Fatal(err)
			}
			rows, err := csv.NewReader(&b).ReadAll()
			if err != nil {
				t.Fatal(err)
			}
			at := func(row []string, column string) string { return row[slices.Index(rows[0], column)] }
			for _, column := range rows[0] {
				beside, is := differences[column]
				if !is && ends.MatchString(column) && !with[column] && !strings.HasPrefix(column, "lo90") && !strings.HasPrefix(column, "hi90") && column != "margin_percent" {
					t.Errorf("%s: is %s a difference? say so here", table.Name, column)
				}
				for _, row := range rows[1:] {
					if !is || at(row, column) == "" {
						continue
					}
					filled[column] = true
					for _, other := range beside {
						if at(row, other) == "" && !(slices.Contains(rows[0], "verdict") && at(row, "rounds") == "1") {
							t.Errorf("%s of %s: %s is %s, and %s is empty", table.Name, name, column, at(row, column), other)
						}
					}
				}
			}
		}
	}
	for column := range differences {
		if !filled[column] {
			t.Errorf("no run has a %s: nothing was tested", column)
		}
	}
}

func TestNoBareDifferenceForPrometheus(t *testing.T) {
	sample := regexp.MustCompile(`(?m)^(tare_(?:layer_)?cost)_ratio(\{.*\}) `)
	for _, name := range []string{"demo", "layers", "levels", "verdicts"} {
		text := string(file(t, "prometheus", open(t, name), Options{}))
		all := sample.FindAllStringSubmatch(text, -1)
		if len(all) == 0 {
			t.Errorf("%s has no cost", name)
		}
		for _, m := range all {
			beside := []string{m[1] + "_lower_ratio" + m[2], m[1] + "_upper_ratio" + m[2]}
			if m[1] == "tare_cost" {
				beside = append(beside, "tare_cost_rounds"+m[2])
			}
			for _, other := range beside {
				if !strings.Contains(text, "\n"+other+" ") {
					t.Errorf("%s: %s%s without %s", name, m[1], m[2], other)
				}
			}
		}
	}
}

func TestNoBareDifferenceInJUnit(t *testing.T) {
	for _, name := range runs() {
		var suites struct {
			Cases []struct {
				Properties []struct {
					Name  string `xml:"name,attr"`
					Value string `xml:"value,attr"`
				} `xml:"properties>property"`
				Out string `xml:"system-out"`
			} `xml:"testsuite>testcase"`
		}
		if err := xml.Unmarshal(file(t, "junit", open(t, name), Options{}), &suites); err != nil {
			t.Fatal(err)
		}
		for _, c := range suites.Cases {
			is := map[string]string{}
			for _, p := range c.Properties {
				is[p.Name] = p.Value
			}
			bare := is["lo95_percent"] == "" || is["hi95_percent"] == "" || is["rounds"] == ""
			if is["cost_percent"] != "" && bare && !strings.Contains(c.Out, "without an interval") {
				t.Errorf("%s: a cost of %s %% alone: %s", name, is["cost_percent"], c.Out)
			}
		}
	}
	var b bytes.Buffer
	gate := report.Gate{Reason: "the 95 % interval, 1 to 2 % of at least 3 trials each, rules it out"}
	if err := SessionsJUnit(&b, &report.Sessions{Gates: []report.Gate{gate}}); err != nil || !strings.Contains(b.String(), gate.Reason) {
		t.Errorf("%v: %s", err, b.String())
	}
}

// benchfmt holds single trials and nothing that was concluded from them.
func TestNoDifferenceInBenchfmt(t *testing.T) {
	named := open(t, "demo")
	named.Run.Workload = "负载.yaml"
	if text := string(file(t, "benchfmt", named, Options{})); !strings.Contains(text, "Benchmark负载.yaml/") {
		t.Errorf("a name that does not begin with a letter of ASCII: %.200s", text)
	}
	if text := string(file(t, "benchfmt", open(t, "verdicts"), Options{})); strings.Contains(text, "%") || strings.Contains(text, "cost") && !strings.Contains(text, "arm=costs") {
		t.Error(text)
	}
}
