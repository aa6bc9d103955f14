package report_test

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/tarebench/tare/internal/report"
)

func schema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	s, err := jsonschema.NewCompiler().Compile(filepath.Join("..", "..", "docs", "result.schema.json"))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func jsonValue(t *testing.T, doc *report.Document) map[string]any {
	t.Helper()
	var b bytes.Buffer
	if err := report.JSON(&b, doc); err != nil {
		t.Fatal(err)
	}
	v, err := jsonschema.UnmarshalJSON(&b)
	if err != nil {
		t.Fatal(err)
	}
	return v.(map[string]any)
}

func TestDocumentsFollowTheSchema(t *testing.T) {
	s := schema(t)
	docs := map[string]*report.Document{"hostile": hostileDocument(t)}
	for _, name := range names() {
		docs[name] = open(t, name)
	}
	for name, doc := range docs {
		if err := s.Validate(jsonValue(t, doc)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The schema has teeth: a field too many, a verdict that is none, a missing
// reason and a string for a number are refused.
func TestSchemaRefuses(t *testing.T) {
	s := schema(t)
	first := func(v map[string]any, list string) map[string]any { return v[list].([]any)[0].(map[string]any) }
	for name, spoil := range map[string]func(map[string]any){
		"extra field":    func(v map[string]any) { v["extra"] = 1 },
		"other version":  func(v map[string]any) { v["version"] = 2 },
		"no verdict":     func(v map[string]any) { first(v, "contrasts")["verdict"] = "significant" },
		"no reason":      func(v map[string]any) { first(v, "contrasts")["reason"] = "" },
		"missing effect": func(v map[string]any) { delete(first(v, "contrasts"), "effect_percent") },
		"text for tps":   func(v map[string]any) { first(v, "arms")["throughput_mean"] = "fast" },
		"half interval":  func(v map[string]any) { first(v, "contrasts")["interval"] = []any{1.0} },
	} {
		v := jsonValue(t, open(t, "demo"))
		spoil(v)
		if err := s.Validate(v); err == nil || !strings.Contains(err.Error(), "jsonschema") {
			t.Errorf("%s passes: %v", name, err)
		}
	}
}
