// The list of runs, and the page and the stream of one that is under way.

package serve

import (
	"encoding/json"
	"fmt"
	"html/template"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/tarebench/tare/internal/report/section"
)

// functions are the pages' own, beside those that report has for words.
func functions() template.FuncMap {
	return template.FuncMap{
		"mark":  func(verdict string) any { return section.Cell{Verdict: verdict}.Mark() },
		"tally": tally,
		// A name may have # or ?, which html/template leaves as they are in a link.
		"path":  url.PathEscape,
		"drawn": pictureOf,
		"date":  func(t time.Time) string { return t.UTC().Format("2006-01-02 15:04") },
		"next":  func(i int) int { return i + 1 },
		"glyph": glyph,
		"state": stateKey,
		"short": func(s string) string { return s[:min(8, len(s))] },
	}
}

// tallied is a verdict with how often it was reached, in the order of the arms.
type tallied struct {
	Verdict string
	Times   int
}

func tally(verdicts []string) []tallied {
	var all []tallied
	for _, v := range verdicts {
		i := slices.IndexFunc(all, func(t tallied) bool { return t.Verdict == v })
		if i < 0 {
			all = append(all, tallied{v, 1})
			continue
		}
		all[i].Times++
	}
	return all
}

// glyph is the mark of a trial's state, stateKey its word in the language files
// (web/src/serve.ts has the same).
func glyph(state string) string {
	switch state {
	case "":
		return "·"
	case "now":
		return "▶"
	case "measured":
		return "■"
	case "server-lost":
		return "‡"
	case "failed":
		return "✕"
	}
	return "▽"
}

func stateKey(state string) string {
	switch state {
	case "":
		return "live.to-come"
	case "now":
		return "live.under-way"
	}
	return "outcome." + state
}

// matching are the runs that a request's search finds, of all.
func (s *server) matching(r *http.Request) (found, all []Summary, err error) {
	runs, err := s.list.runs()
	if err != nil {
		return nil, nil, err
	}
	found = []Summary{}
	for _, run := range runs {
		if run.matches(r.URL.Query().Get("q")) {
			found = append(found, run)
		}
	}
	return found, runs, nil
}

func (s *server) showList(w http.ResponseWriter, r *http.Request) error {
	found, all, err := s.matching(r)
	if err != nil {
		return err
	}
	trends := trendsOf(all)
	s.page(w, r, http.StatusOK, "list.tmpl", func(string) any {
		return struct {
			Version, Query string
			Runs           []Summary
			All            int
			Trends         map[string]int
		}{s.Version, r.URL.Query().Get("q"), found, len(all), trends}
	})
	return nil
}

// trendsOf counts the runs of each experiment that has a trend: two runs or more.
func trendsOf(runs []Summary) map[string]int {
	all := map[string]int{}
	for _, s := range runs {
		if s.State == "finished" && s.Run.Name != "" && len(s.Intervals) > 0 {
			all[s.Run.Name]++
		}
	}
	maps.DeleteFunc(all, func(_ string, n int) bool { return n < 2 })
	return all
}

// showListJSON is the list for programs.
func (s *server) showListJSON(w http.ResponseWriter, r *http.Request) error {
	found, _, err := s.matching(r)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json")
	if err := json.NewEncoder(w).Encode(found); err != nil {
		return fmt.Errorf("write list: %w", err)
	}
	return nil
}

func (s *server) showLive(w http.ResponseWriter, r *http.Request) error {
	dir, err := s.runDir(r.PathValue("run"))
	if err != nil {
		return err
	}
	f, err := follow(dir)
	if err != nil {
		return err
	}
	state, err := f.next()
	if err != nil {
		return err
	}
	s.page(w, r, http.StatusOK, "live.tmpl", func(string) any {
		return struct {
			*liveState
			Version, Dir string
		}{state, s.Version, dir}
	})
	return nil
}

// Times of a stream: how often the files are looked at, how long it may be silent,
// and after how long a browser that lost it asks again.
const (
	lookEvery  = time.Second
	aliveEvery = 5 * time.Second
	retryAfter = 2 * time.Second
)

// streamLive sends the state of a run whenever it changes, as server-sent events
// (https://html.spec.whatwg.org/multipage/server-sent-events.html). Each event is
// the whole state, so a browser that comes back needs nothing it has missed.
func (s *server) streamLive(w http.ResponseWriter, r *http.Request) error {
	dir, err := s.runDir(r.PathValue("run"))
	if err != nil {
		return err
	}
	f, err := follow(dir)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "text/event-stream")
	out := http.NewResponseController(w)
	fmt.Fprintf(w, "retry: %d\n\n", retryAfter.Milliseconds())
	look := time.NewTicker(lookEvery)
	defer look.Stop()
	before, sent := "", time.Now()
	for {
		event, text := read(f)
		s.Limits.extend(out)
		if text != before {
			fmt.Fprintf(w, "id: %d\nevent: %s\ndata: %s\n\n", time.Now().UnixMilli(), event, text)
			before, sent = text, time.Now()
		} else if time.Since(sent) >= aliveEvery {
			fmt.Fprint(w, ": alive\n\n")
			sent = time.Now()
		}
		if out.Flush() != nil || event != "state" {
			return nil // the visitor has left, or there is nothing more to say
		}
		select {
		case <-r.Context().Done():
			return nil
		case <-look.C:
		}
	}
}

// read is the next event of a run: its state, that it is finished, or that it
// cannot be read any more.
func read(f *follower) (event, text string) {
	state, err := f.next()
	if err != nil {
		b, _ := json.Marshal(err.Error()) // a string always encodes
		return "gone", string(b)
	}
	b, err := json.Marshal(state)
	if err != nil {
		b, _ = json.Marshal(err.Error())
		return "gone", string(b)
	}
	if state.Finished() {
		return "finished", string(b)
	}
	return "state", string(b)
}
