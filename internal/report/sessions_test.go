package report

import (
	"bytes"
	"path/filepath"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/tarebench/tare/internal/compare"
	"github.com/tarebench/tare/internal/record"
)

func sessions(t *testing.T, before, after string) *Sessions {
	t.Helper()
	var runs [2]*record.Run
	for i, name := range []string{before, after} {
		r, err := record.Open(filepath.Join("testdata", "runs", name))
		if err != nil {
			t.Fatal(err)
		}
		runs[i] = r
	}
	gate, err := compare.ParseGate("throughput<-3%")
	if err != nil {
		t.Fatal(err)
	}
	s, err := BuildSessions(runs[0], runs[1], []compare.Gate{gate}, false, "test")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestSessions: two runs in every format, with numbers, without, and unfinished.
func TestSessions(t *testing.T) {
	schema, err := jsonschema.NewCompiler().Compile(filepath.Join("..", "..", "docs", "sessions.schema.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, after := range []string{"layers", "starved", "unfinished"} {
		s := sessions(t, "demo", after)
		var text, markdown, json bytes.Buffer
		for _, err := range []error{SessionsText(&text, s, TextOptions{Width: 80, Unicode: true}), SessionsMarkdown(&markdown, s), SessionsJSON(&json, s)} {
			if err != nil {
				t.Fatal(err)
			}
		}
		golden(t, "sessions-"+after+".txt", text.Bytes())
		golden(t, "sessions-"+after+".md", markdown.Bytes())
		golden(t, "sessions-"+after+".json", json.Bytes())
		v, err := jsonschema.UnmarshalJSON(&json)
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(v); err != nil {
			t.Errorf("%s: %v", after, err)
		}
	}
	if failed := sessions(t, "demo", "starved").Failed(); len(failed) == 0 {
		t.Error("a gate passed where an arm starved")
	}
}

// TestReanalysis: the same files give the same bytes, in every format.
func TestReanalysis(t *testing.T) {
	for _, name := range names() {
		var first []byte
		for range 2 {
			doc := reopen(t, name)
			var b bytes.Buffer
			for _, err := range []error{
				Text(&b, doc, TextOptions{Width: 80}), Markdown(&b, doc), JSON(&b, doc), HTML(&b, doc, Embedded()),
			} {
				if err != nil {
					t.Fatal(err)
				}
			}
			if first == nil {
				first = b.Bytes()
			} else if !bytes.Equal(first, b.Bytes()) {
				t.Errorf("%s: the same run gave two reports", name)
			}
		}
	}
}
