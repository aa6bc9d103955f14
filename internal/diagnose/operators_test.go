package diagnose

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestRulesAskTheDescriptor: no rule asks for an operator by its name, except rules of one operator
// (O-*). What an operator does is in its descriptor, so that one which is added has it too.
func TestRulesAskTheDescriptor(t *testing.T) {
	named := regexp.MustCompile(`DB\.Operator (==|!=) "[^"]|(HasPrefix|Contains|EqualFold)\(c\.DB\.Operator`)
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") || strings.HasPrefix(file, "o_") {
			continue
		}
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if found := named.Find(b); found != nil {
			t.Errorf("%s: %s; write what the operator does into operator.Defaults and its descriptor", file, found)
		}
	}
}
