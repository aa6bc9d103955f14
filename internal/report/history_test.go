package report

import (
	"bytes"
	"math"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/tarebench/tare/internal/compare"
)

// TestHistoryFollowsItsSchema, which has teeth: another schema and an unknown field
// are refused. Text and JSON hold the same change.
func TestHistoryFollowsItsSchema(t *testing.T) {
	h := BuildHistory([]compare.Series{{
		Arm: "pod", Threads: 8,
		Points: []compare.Point{{Run: "one", Started: time.Unix(1e9, 0).UTC(), Throughput: 900, Half: 0.4}, {Run: "two", Throughput: 850, Half: math.NaN()}},
		Shifts: []compare.Shift{{Run: "two", Change: -5.5}},
	}}, "test")
	s, err := jsonschema.NewCompiler().Compile(filepath.Join("..", "..", "docs", "history.schema.json"))
	if err != nil {
		t.Fatal(err)
	}
	check := func() error {
		var b bytes.Buffer
		if err := HistoryJSON(&b, h); err != nil {
			t.Fatal(err)
		}
		v, err := jsonschema.UnmarshalJSON(&b)
		if err != nil {
			t.Fatal(err)
		}
		return s.Validate(v)
	}
	if err := check(); err != nil {
		t.Error(err)
	}
	var text bytes.Buffer
	if err := HistoryText(&text, h); err != nil || !strings.Contains(text.String(), "5.5") || !strings.Contains(text.String(), "two") {
		t.Errorf("%v\n%s", err, text.String())
	}
	h.Schema = "tare.result/v1"
	if check() == nil {
		t.Error("another document passes")
	}
}
