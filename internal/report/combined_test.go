package report_test

import (
	"bytes"
	"fmt"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tarebench/tare/internal/keys"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/tarebench/tare/internal/compare"
	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/report"
	"github.com/tarebench/tare/internal/report/language"
	"github.com/tarebench/tare/internal/report/text"
)

// onMachine is the run of the demo as another machine would have it: besteffort by so many per mille slower, an hour
// after the run before it.
func onMachine(t *testing.T, machine string, n int) *record.Run {
	t.Helper()
	r, err := record.Open(filepath.Join("testdata", "runs", "demo"))
	if err != nil {
		t.Fatal(err)
	}
	r.Dir = fmt.Sprintf("runs/%s-%d", machine, n)
	for _, trial := range r.Trials {
		trial.Header.Started = trial.Header.Started.Add(time.Duration(n) * time.Hour)
		trial.Facts = append(trial.Facts, record.Fact{Key: keys.HostMachine, Value: machine, Phase: "start"})
		if trial.Header.Arm == "besteffort" {
			trial.Window.Counts.Transactions = int64(float64(trial.Window.Counts.Transactions) * math.Exp(-0.01*float64(n*n%5)))
		}
	}
	return r
}

// fleets are the runs of the goldens.
func fleets(t *testing.T) map[string][]*record.Run {
	t.Helper()
	all := map[string][]*record.Run{}
	for i := range 7 {
		all["machines"] = append(all["machines"], onMachine(t, fmt.Sprintf("node%d", i), i))
		all["runs"] = append(all["runs"], onMachine(t, "node", i))
	}
	all["three"] = all["machines"][:3]
	all["two"] = []*record.Run{onMachine(t, "a", 0), onMachine(t, "a", 1), onMachine(t, "b", 2)}
	lost := onMachine(t, "c", 3)
	lost.Trials[0].End.Outcome, lost.Trials[0].Window = record.NotReady, nil
	all["lost"] = []*record.Run{onMachine(t, "a", 1), onMachine(t, "b", 2), lost}
	return all
}

func combined(t *testing.T, runs []*record.Run) *report.Combined {
	t.Helper()
	c, err := compare.Combine(runs, nil)
	if err != nil {
		t.Fatal(err)
	}
	return report.BuildCombined(c, "test")
}

// TestCombined: runs of several machines and of one, with and without intervals, in both languages.
func TestCombined(t *testing.T) {
	schema, err := jsonschema.NewCompiler().Compile(filepath.Join("..", "..", "docs", "combined.schema.json"))
	if err != nil {
		t.Fatal(err)
	}
	for name, runs := range fleets(t) {
		c := combined(t, runs)
		for _, tag := range language.Tags() {
			view, err := c.In(tag)
			if err != nil {
				t.Fatal(err)
			}
			var plain bytes.Buffer
			if err := text.Combined(&plain, view, text.Options{Width: 80, Unicode: true}); err != nil {
				t.Fatal(err)
			}
			golden(t, strings.TrimSuffix("combined-"+name+"."+tag, ".en")+".txt", plain.Bytes())
		}
		var json bytes.Buffer
		if err := report.CombinedJSON(&json, c); err != nil {
			t.Fatal(err)
		}
		if name == "machines" {
			golden(t, "combined-"+name+".json", json.Bytes())
		}
		v, err := jsonschema.UnmarshalJSON(&json)
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(v); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Nothing stays English, and no number is lost on the way.
func TestCombinedInChinese(t *testing.T) {
	letters := regexp.MustCompile(`[a-z]{2,}( [a-z]{2,}){3}`)
	number := regexp.MustCompile(`-?[0-9][0-9,.]*[0-9]|[0-9]`)
	for name, runs := range fleets(t) {
		en := combined(t, runs)
		zh, err := en.In("zh")
		if err != nil {
			t.Fatal(err)
		}
		for i := range zh.Effects {
			for was, is := range map[string]string{en.Effects[i].Sentence: zh.Effects[i].Sentence, en.Effects[i].SpreadSentence: zh.Effects[i].SpreadSentence} {
				want, got := number.FindAllString(was, -1), number.FindAllString(is, -1)
				slices.Sort(want)
				slices.Sort(got)
				if !slices.Equal(want, got) || letters.MatchString(is) {
					t.Errorf("%s: %q is %q", name, was, is)
				}
			}
		}
		for i, w := range zh.Warnings {
			if w == en.Warnings[i] {
				t.Errorf("%q is not translated", w)
			}
		}
	}
}
