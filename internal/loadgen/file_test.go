package loadgen

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/tarebench/tare/internal/experiment"
)

const ownWorkload = `apiVersion: tarebench.io/v1alpha1
kind: Workload
metadata: {name: own}
tables:
  own: {rows: 200, create: "CREATE TABLE own (id INT PRIMARY KEY, n INT)", columns: {id: {sequence: {}}, n: 0}}
transactions:
  read: {weight: 4, autocommit: true, statements: [{sql: SELECT n FROM own WHERE id = ?, params: [{query: SELECT id FROM own}]}]}
  change: {statements: [{sql: UPDATE own SET n = n + 1 WHERE id = ?, params: [{uniform: {from: 1, to: 200}}]}]}
`

func fileJob(text string) Job {
	return Job{Workload: "./own.yaml", File: &experiment.Text{Name: "own.yaml", Text: []byte(text)}, Threads: 2, PrepareThreads: 2, Measure: time.Second, Seed: 1}
}

// builtInFile takes the engine through a trial with a workload file.
func builtInFile(t *testing.T, s *testServer) {
	e, j := BuiltIn(""), fileJob(ownWorkload)
	j.Server = s.bench()
	if errs := e.Check(t.Context(), j); len(errs) > 0 {
		t.Fatal(errs)
	}
	if err := e.Cleanup(t.Context(), j, testLog{t}); err != nil {
		t.Fatal(err)
	}
	if err := e.Prepare(t.Context(), j, testLog{t}); err != nil {
		t.Fatal(err)
	}
	seen := measured(t, e, j)
	// A transaction that the window cuts has one of its write and its commit in it: one of
	// each connection at each end.
	k, writes := seen.Window.Kinds, seen.Window.Counts.Writes
	if len(k) != 2 || k[0].Name != "read" || k[1].Name != "change" || max(writes-k[1].Latency.Histogram.Total(), k[1].Latency.Histogram.Total()-writes) > int64(j.Threads) {
		t.Errorf("kinds %+v, counts %+v", k, seen.Window.Counts)
	}
	bad := fileJob(strings.Replace(ownWorkload, "SELECT n FROM own", "SELECT m FROM own", 1))
	bad.Server = j.Server
	if err := e.Cleanup(t.Context(), bad, testLog{t}); err != nil { // the load has changed rows
		t.Fatal(err)
	}
	var refused experiment.Problems
	if err := e.Prepare(t.Context(), bad, testLog{t}); !errors.As(err, &refused) || len(refused) != 1 || refused[0].Line != 7 {
		t.Errorf("a statement that the server refuses: %v", err)
	}
	if err := e.Cleanup(t.Context(), j, testLog{t}); err != nil {
		t.Fatal(err)
	}
}

// TestFileIsPartOfTheJob: generators elsewhere get the text of the file.
func TestFileIsPartOfTheJob(t *testing.T) {
	j := fileJob(ownWorkload)
	b, err := json.Marshal(shared{Workload: j.Workload, File: j.File})
	if err != nil {
		t.Fatal(err)
	}
	var got shared
	if err := json.Unmarshal(b, &got); err != nil || got.File == nil || string(got.File.Text) != ownWorkload {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestFileChecks(t *testing.T) {
	j := fileJob(ownWorkload)
	if !j.Writes() || fileJob(strings.Replace(ownWorkload, "UPDATE own SET n = n + 1", "SELECT n FROM own", 1)).Writes() {
		t.Error("whether the file writes is not told")
	}
	errs := Sysbench("").Check(t.Context(), j)
	if len(errs) != 1 || !errors.Is(errs[0], ErrOtherEngine) {
		t.Errorf("sysbench says %v", errs)
	}
	for want, change := range map[string]func(*Job){
		"was not read": func(j *Job) { j.File = nil }, "did you mean sql?": func(j *Job) { j.File = fileJob(strings.Replace(ownWorkload, "sql:", "sqk:", 1)).File },
		"option point-selects": func(j *Job) { j.Options = map[string]string{"point-selects": "1"} },
	} {
		bad := fileJob(ownWorkload)
		change(&bad)
		if errs := BuiltIn("").Check(t.Context(), bad); len(errs) == 0 || !strings.Contains(errors.Join(errs...).Error(), want) {
			t.Errorf("%v; want %q", errs, want)
		}
	}
	j.Options = map[string]string{"db-ps-mode": "disable", "reconnect": "5", "verify": "off"}
	if errs := BuiltIn("").Check(t.Context(), j); len(errs) > 0 {
		t.Error(errs)
	}
}
