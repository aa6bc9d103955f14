package report_test

// This file tests that docs/results/calibration.md says of every interval of a document which test shows how often it
// misses.

import (
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/tarebench/tare/internal/report"
)

// intervalsOf are the paths of the intervals in a document: what has two numbers.
func intervalsOf(t reflect.Type, path string, into map[string]bool, inside map[reflect.Type]bool) {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice || t.Kind() == reflect.Map {
		t = t.Elem()
	}
	if t == reflect.TypeFor[[2]report.Number]() {
		into[path] = true
	}
	if t.Kind() != reflect.Struct || inside[t] {
		return
	}
	inside[t] = true
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case name == "-" || !f.IsExported():
		case name == "" && f.Anonymous:
			intervalsOf(f.Type, path, into, inside)
		default:
			intervalsOf(f.Type, strings.TrimPrefix(path+"."+name, "."), into, inside)
		}
	}
	inside[t] = false
}

// TestEveryIntervalHasACalibration: the table of docs/results/calibration.md has every interval of every document, and
// no other.
func TestEveryIntervalHasACalibration(t *testing.T) {
	page, err := os.ReadFile("../../docs/results/calibration.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, found := strings.Cut(string(page), "\n| interval | in the documents | tests |\n|---|---|---|\n")
	if !found {
		t.Fatal("docs/results/calibration.md has no table of intervals")
	}
	table, _, _ = strings.Cut(table, "\n\n")
	listed := map[string]bool{}
	row := regexp.MustCompile("`([a-z0-9_]+(?:\\.[a-z0-9_]+)*)`")
	for line := range strings.Lines(table) {
		cells := strings.Split(line, "|")
		if len(cells) != 5 || !regexp.MustCompile(`C\d\d?|Test[A-Z]`).MatchString(cells[3]) {
			t.Errorf("no test: %s", line)
			continue
		}
		for _, m := range row.FindAllStringSubmatch(cells[2], -1) {
			listed[m[1]] = true
		}
	}
	all := map[string]bool{}
	for _, doc := range []any{report.Document{}, report.Sessions{}, report.History{}, report.Combined{}} {
		intervalsOf(reflect.TypeOf(doc), "", all, map[reflect.Type]bool{})
	}
	if len(all) < 30 {
		t.Fatalf("%d intervals: they are not found any more", len(all))
	}
	for path := range all {
		if !listed[path] {
			t.Errorf("docs/results/calibration.md does not say which test covers %s", path)
		}
	}
	for path := range listed {
		if !all[path] {
			t.Errorf("docs/results/calibration.md lists %s, which no document has", path)
		}
	}
}
