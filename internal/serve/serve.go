// Package serve shows the runs of a folder in a browser: a searchable list, the report of
// each run, comparisons of two runs, and runs in progress.
//
// It reads files and nothing else: a run and its reader share no connection, so a
// browser cannot disturb a measurement, and a run measured elsewhere is shown as
// soon as its files are here.
package serve

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	xlanguage "golang.org/x/text/language"

	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/report"
	"github.com/tarebench/tare/internal/report/language"
	"github.com/tarebench/tare/internal/report/markdown"
	"github.com/tarebench/tare/internal/report/page"
)

// Options say what is served, and to whom.
type Options struct {
	// Dir is the folder with the runs, one directory each.
	Dir     string
	Version string
	// BuildReport makes a run's document from its directory.
	BuildReport func(dir string) (*report.Document, error)
	// Token is asked of every visitor; "" asks for none, and is for loopback.
	Token string
	// Hosts are the names that a visitor may call the server by, "" any: a page
	// elsewhere whose name is made to point here (DNS rebinding) must not read.
	Hosts []string
	// Limits are how long a visitor may take.
	Limits Limits
}

//go:embed page
var pages embed.FS

type server struct {
	Options
	list  *catalog
	pages *page.Pages
	// building lets one report at a time be made: those of long runs are large.
	building chan struct{}
}

// New serves a folder; an error says that there is none.
func New(o Options) (http.Handler, error) {
	info, err := os.Stat(o.Dir)
	if err != nil {
		return nil, fmt.Errorf("serve runs: %w", err)
	}
	if !info.IsDir() {
		return nil, fmt.Errorf("serve runs: %s is not a directory", o.Dir)
	}
	parsed, err := page.NewPages(pages, functions(), "page/*.tmpl")
	if err != nil {
		return nil, err
	}
	s := &server{Options: o, list: newCatalog(o.Dir), pages: parsed, building: make(chan struct{}, 1)}
	mux := http.NewServeMux()
	for pattern, show := range map[string]func(http.ResponseWriter, *http.Request) error{
		"GET /{$}":                    s.showList,
		"GET /compare":                s.showComparison,
		"GET /trend":                  s.showTrend,
		"GET /runs/{run}/{$}":         s.showRun,
		"GET /runs/{run}/live":        s.showLive,
		"GET /runs/{run}/events":      s.streamLive,
		"GET /runs/{run}/result.json": s.showJSON,
		"GET /runs/{run}/report.md":   s.showMarkdown,
		"GET /api/runs":               s.showListJSON,
		"GET /assets/{file}":          s.showAsset,
	} {
		mux.Handle(pattern, s.answer(show))
	}
	return s.guard(mux), nil
}

// refused is an answer other than a page: its status and what the visitor is told, a key
// of the language files with its slots.
type refused struct {
	status int
	key    string
	slots  []string
}

func (r refused) Error() string { return r.in(language.Tags()[0]) }

func (r refused) in(lang string) string { return language.Say(lang, r.key, r.slots...) }

// answer turns an error into a page that says what is wrong with a run. What
// happens to files while they are read is normal here and ends nothing.
func (s *server) answer(show func(http.ResponseWriter, *http.Request) error) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		err := show(w, r)
		if err == nil || r.Context().Err() != nil {
			return
		}
		status := http.StatusUnprocessableEntity // the run's files are not those of a run
		says := func(string) string { return err.Error() }
		var no refused
		if errors.As(err, &no) {
			status, says = no.status, no.in
		} else if _, gone := s.runDir(r.PathValue("run")); gone != nil && r.PathValue("run") != "" {
			status = http.StatusNotFound // deleted while it was read
		}
		s.page(w, r, status, "fault.tmpl", func(lang string) any {
			return struct {
				Version, What string
				Gone          bool
			}{s.Version, says(lang), status == http.StatusNotFound}
		})
	})
}

// page writes a page of this package in the visitor's language.
func (s *server) page(w http.ResponseWriter, r *http.Request, status int, name string, data func(lang string) any) {
	var b bytes.Buffer
	to := readerOf(r)
	if err := s.pages.Write(&b, name, to, data); err != nil {
		http.Error(w, language.Say(to.Lang, "fault.page", "why", err.Error()), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Security-Policy", ownPolicy)
	w.WriteHeader(status)
	_, _ = w.Write(b.Bytes()) // a visitor who left
}

// readerOf is who asks: in the language of the address (?lang=zh), else in the first that
// the browser wants and tare speaks, so that a page is right without scripts too.
func readerOf(r *http.Request) page.Reader {
	if tag := language.For(r.URL.Query().Get("lang")); tag != "" {
		return page.Reader{Lang: tag, Asked: true}
	}
	wanted, _, _ := xlanguage.ParseAcceptLanguage(r.Header.Get("Accept-Language")) // one that is none asks for nothing
	for _, w := range wanted {
		if tag := language.For(w.String()); tag != "" {
			return page.Reader{Lang: tag}
		}
	}
	return page.Reader{Lang: language.Tags()[0]}
}

// translated reports whether a page of the report is to be put into the reader's
// language; else it is written in English and the script follows the browser.
func translated(to page.Reader) bool { return to.Asked || to.Lang != language.Tags()[0] }

// runDir is the directory of the run that a request names. A name is one element
// of a path, and what it names is a directory itself, no link out of the folder.
func (s *server) runDir(name string) (string, error) {
	if name == "" || strings.HasPrefix(name, ".") || name != filepath.Base(name) || !filepath.IsLocal(name) {
		return "", refused{http.StatusNotFound, "fault.name", nil}
	}
	dir := filepath.Join(s.Dir, name)
	info, err := os.Lstat(dir)
	if err != nil || !info.IsDir() {
		return "", refused{http.StatusNotFound, "fault.run", []string{"run", name}}
	}
	return dir, nil
}

// document compares the arms of a run, one at a time.
func (s *server) document(r *http.Request) (*report.Document, error) {
	dir, err := s.runDir(r.PathValue("run"))
	if err != nil {
		return nil, err
	}
	select {
	case s.building <- struct{}{}:
		defer func() { <-s.building }()
	case <-r.Context().Done():
		return nil, r.Context().Err()
	}
	return s.BuildReport(dir)
}

// showRun is the report, or what is known of a run that is not finished.
func (s *server) showRun(w http.ResponseWriter, r *http.Request) error {
	doc, err := s.document(r)
	if err != nil {
		return err
	}
	if doc.Run.TrialsDone < doc.Run.TrialsPlanned && r.URL.Query().Get("sealed") == "" {
		http.Redirect(w, r, "live", http.StatusSeeOther)
		return nil
	}
	if to := readerOf(r); translated(to) {
		if doc, err = doc.In(to.Lang); err != nil {
			return err
		}
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	return written(w, func(out io.Writer) error { return page.Write(out, doc, page.Embedded()) })
}

func (s *server) showJSON(w http.ResponseWriter, r *http.Request) error {
	doc, err := s.document(r)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json")
	return written(w, func(out io.Writer) error { return report.JSON(out, doc) })
}

func (s *server) showMarkdown(w http.ResponseWriter, r *http.Request) error {
	doc, err := s.document(r)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "text/markdown; charset=utf-8")
	return written(w, func(out io.Writer) error { return markdown.Write(out, doc) })
}

// compared are the names of the two runs that a request compares, the earlier first: the
// two that were ticked (run=A&run=B), or those that the address names as before and after.
func (s *server) compared(r *http.Request) (before, after string, err error) {
	q := r.URL.Query()
	before, after = q.Get("before"), q.Get("after")
	ticked := q["run"]
	if len(ticked) != 2 {
		if before == "" || after == "" {
			err = refused{http.StatusBadRequest, "fault.two", nil}
		}
		return before, after, err
	}
	before, after = ticked[0], ticked[1]
	runs, err := s.list.runs()
	if err != nil {
		return "", "", err
	}
	at := map[string]int{}
	for i, run := range runs { // the latest first
		at[run.Name] = i
	}
	if at[after] > at[before] {
		before, after = after, before
	}
	return before, after, nil
}

// showComparison compares the arms of one run with those of an earlier one.
func (s *server) showComparison(w http.ResponseWriter, r *http.Request) error {
	before, after, err := s.compared(r)
	if err != nil {
		return err
	}
	var runs [2]*record.Run
	for i, name := range []string{before, after} {
		dir, err := s.runDir(name)
		if err != nil {
			return err
		}
		if runs[i], err = record.Open(dir); err != nil {
			return err
		}
	}
	doc, err := report.BuildSessions(runs[0], runs[1], report.SessionsAsked{}, s.Version)
	if err != nil {
		return err
	}
	if to := readerOf(r); translated(to) {
		if doc, err = doc.In(to.Lang); err != nil {
			return err
		}
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	return written(w, func(out io.Writer) error { return page.Sessions(out, doc, page.Embedded()) })
}

// written makes an answer whole before its first byte is sent, so that a fault in
// the middle is told and not hidden in half a page.
func written(w http.ResponseWriter, write func(io.Writer) error) error {
	var b bytes.Buffer
	if err := write(&b); err != nil {
		return err
	}
	_, _ = w.Write(b.Bytes()) // a visitor who left
	return nil
}

func (s *server) showAsset(w http.ResponseWriter, r *http.Request) error {
	name := r.PathValue("file")
	if name == "report.css" {
		w.Header().Set("Content-Type", "text/css; charset=utf-8")
		_, _ = io.WriteString(w, page.Embedded().Style)
		return nil
	}
	if name != "serve.css" && name != "serve.js" {
		return refused{http.StatusNotFound, "fault.file", nil}
	}
	http.ServeFileFS(w, r, pages, "page/"+name)
	return nil
}
