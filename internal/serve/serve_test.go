package serve

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/report"
	"github.com/tarebench/tare/internal/report/language"
	"github.com/tarebench/tare/internal/report/markdown"
	"github.com/tarebench/tare/internal/report/page"
)

const recorded = "../report/testdata/runs"

func buildReport(dir string) (*report.Document, error) {
	run, err := record.Open(dir)
	if err != nil {
		return nil, err
	}
	return report.Build(run, "test")
}

// folder is a copy of the recorded runs that are named, with their verdicts.
func folder(t *testing.T, names ...string) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range names {
		put(t, dir, name)
	}
	return dir
}

func put(t *testing.T, dir, name string) {
	t.Helper()
	if err := os.CopyFS(filepath.Join(dir, name), os.DirFS(filepath.Join(recorded, name))); err != nil {
		t.Fatal(err)
	}
	doc, err := buildReport(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := report.JSON(&b, doc); err != nil {
		t.Fatal(err)
	}
	if doc.Run.TrialsDone < doc.Run.TrialsPlanned {
		return // a run has no verdict before its end
	}
	write(t, filepath.Join(dir, name, record.VerdictFile), b.String())
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func start(t *testing.T, o Options) *httptest.Server {
	t.Helper()
	o.Version, o.BuildReport = "test", buildReport
	h, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s
}

// get does not follow redirects: where they lead is part of the answer.
func get(t *testing.T, url string) (status int, body string, header http.Header) {
	t.Helper()
	res, err := http.DefaultTransport.RoundTrip(httptest.NewRequest(http.MethodGet, url, nil))
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, string(b), res.Header
}

func names(t *testing.T, s *httptest.Server, query string) map[string]Summary {
	t.Helper()
	_, body, _ := get(t, s.URL+"/api/runs"+query)
	var all []Summary
	if err := json.Unmarshal([]byte(body), &all); err != nil {
		t.Fatal(err, body)
	}
	found := map[string]Summary{}
	for _, run := range all {
		found[run.Name] = run
	}
	return found
}

func TestRun(t *testing.T) {
	dir := folder(t, "demo", "unfinished", "starved")
	write(t, filepath.Join(dir, "corrupt", record.ExperimentFile), "apiVersion: [")
	s := start(t, Options{Dir: dir})
	doc, err := buildReport(filepath.Join(dir, "demo"))
	if err != nil {
		t.Fatal(err)
	}
	var whole, result bytes.Buffer
	if err := page.Write(&whole, doc, page.Embedded()); err != nil {
		t.Fatal(err)
	}
	if err := report.JSON(&result, doc); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		path   string
		status int
		want   string
	}{
		{"/runs/demo/", 200, whole.String()},
		{"/runs/demo/result.json", 200, result.String()},
		{"/runs/demo/report.md", 200, markdown.Mark},
		{"/runs/unfinished/", 303, ""},
		{"/runs/unfinished/live", 200, "Looking at results early would bias them"},
		{"/runs/unfinished/?sealed=1", 200, "Results are sealed until round 6"},
		{"/compare?before=demo&after=starved", 200, "not measured"},
		{"/compare?before=demo", 400, "select two runs"},
		{"/compare?run=demo&run=starved", 200, "not measured"},
		{"/compare?run=demo", 400, "select two runs"},
		{"/compare?run=demo&run=starved&run=demo", 400, "select two runs"},
		{"/compare?before=demo&after=nowhere", 404, "does not exist"},
		{"/runs/corrupt/", 422, "cannot be shown"},
		{"/runs/nowhere/", 404, "not found"},
		{"/runs/..%2Fdemo/", 404, "no run has this name"},
		{"/assets/serve.js", 200, "EventSource"},
		{"/assets/report.css", 200, "--ink"},
		{"/assets/list.tmpl", 404, ""},
	} {
		status, body, _ := get(t, s.URL+c.path)
		if status != c.status || !strings.Contains(body, c.want) {
			t.Errorf("%s: status %d, want %d with %.60q", c.path, status, c.status, c.want)
		}
	}
}

// A link inside the folder does not lead out of it.
func TestLinksAreNotFollowed(t *testing.T) {
	dir := folder(t, "demo")
	outside := folder(t, "layers")
	if err := os.Symlink(filepath.Join(outside, "layers"), filepath.Join(dir, "linked")); err != nil {
		t.Fatal(err)
	}
	s := start(t, Options{Dir: dir})
	if status, _, _ := get(t, s.URL+"/runs/linked/"); status != 404 {
		t.Errorf("status %d", status)
	}
	if _, listed := names(t, s, "")["linked"]; listed {
		t.Error("a link is in the list")
	}
}

func TestNobodyElseReads(t *testing.T) {
	dir := folder(t, "demo")
	s := start(t, Options{Dir: dir, Token: "secret", Hosts: []string{"127.0.0.1"}})
	type reply struct {
		status int
		header http.Header
	}
	ask := func(method, path string, change func(*http.Request)) reply {
		r := httptest.NewRequest(method, s.URL+path, nil)
		if change != nil {
			change(r)
		}
		res, err := http.DefaultTransport.RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		return reply{res.StatusCode, res.Header}
	}
	bearer := func(r *http.Request) { r.Header.Set("Authorization", "Bearer secret") }
	if got := ask("GET", "/", nil).status; got != 401 {
		t.Errorf("without a token: %d", got)
	}
	if got := ask("GET", "/?token=wrong", nil).status; got != 401 {
		t.Errorf("with a wrong token: %d", got)
	}
	if got := ask("GET", "/", bearer).status; got != 200 {
		t.Errorf("as a bearer: %d", got)
	}
	link := ask("GET", "/?q=a&token=secret", nil)
	if link.status != http.StatusSeeOther || link.header.Get("Location") != "/?q=a" || !strings.Contains(link.header.Get("Set-Cookie"), "HttpOnly; SameSite=Strict") {
		t.Errorf("by the link: %d, %v", link.status, link.header)
	}
	if got := ask("GET", "/runs/demo/", func(r *http.Request) { r.Header.Set("Cookie", cookie+"=secret") }).status; got != 200 {
		t.Errorf("with the cookie: %d", got)
	}
	if got := ask("GET", "/", func(r *http.Request) { bearer(r); r.Host = "evil.example" }).status; got != 421 {
		t.Errorf("by another name: %d", got)
	}
	for _, method := range []string{"POST", "PUT", "DELETE", "PATCH"} {
		if got := ask(method, "/runs/demo/", bearer).status; got != 405 {
			t.Errorf("%s: %d", method, got)
		}
	}
}

// Runs come, go and are cut off while they are read: every answer is a page, and
// the server goes on.
func TestChurn(t *testing.T) {
	dir := folder(t, "demo", "layers")
	s := start(t, Options{Dir: dir})
	source, err := os.ReadFile(filepath.Join(dir, "demo", record.VerdictFile))
	if err != nil {
		t.Fatal(err)
	}
	var wait sync.WaitGroup
	stop := make(chan struct{})
	wait.Go(func() {
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
			}
			victim := filepath.Join(dir, "demo")
			_ = os.WriteFile(filepath.Join(victim, record.VerdictFile), source[:i*997%len(source)], 0o644)
			_ = os.Truncate(filepath.Join(victim, record.PlanFile), int64(i*31%400))
			_ = os.RemoveAll(filepath.Join(dir, "layers"))
			_ = os.CopyFS(filepath.Join(dir, "layers"), os.DirFS(filepath.Join(recorded, "layers")))
			time.Sleep(10 * time.Millisecond) // leaves the readers a CPU
		}
	})
	allowed := map[int]bool{200: true, 303: true, 404: true, 422: true}
	for range 3 {
		for _, path := range []string{"/", "/runs/demo/", "/runs/layers/", "/runs/layers/live", "/compare?before=demo&after=layers"} {
			if status, body, _ := get(t, s.URL+path); !allowed[status] {
				t.Errorf("%s: %d: %.200s", path, status, body)
			}
		}
	}
	close(stop)
	wait.Wait()
	if status, _, _ := get(t, s.URL+"/"); status != 200 {
		t.Errorf("afterwards: %d", status)
	}
}

// Every page comes in the language of the browser, or of the address, and brings the
// words of the others; what is searched is found in each.
func TestLanguages(t *testing.T) {
	s := start(t, Options{Dir: folder(t, "demo", "layers", "unfinished")})
	for _, c := range []struct {
		path, accept, want, lacks string
	}{
		{"/", "zh-CN,zh;q=0.9,en;q=0.8", "besteffort 比 bare 慢", ">Search<"},
		{"/", "de-DE,en;q=0.5", "45.5 % slower", ">搜索<"},
		{"/", ";;;;", "45.5 % slower", ">搜索<"},
		{"/?lang=zh", "en", "第 6 轮结束前不显示结果", ">Search<"},
		{"/?q=%E6%85%A2&lang=zh", "", "3 次运行中的 2 次", ""},
		{"/runs/unfinished/live", "zh", "已完成", "SEALED"},
		{"/runs/nowhere/", "zh", "运行“nowhere”不存在", ""},
		{"/compare?before=demo", "zh", "请选择两次运行", ""},
		{"/compare?before=demo&after=layers", "zh", "两次运行之间的变化", ""},
		{"/runs/demo/", "zh", `<html lang="zh">`, ""},
		{"/runs/demo/?lang=en", "zh", `<html lang="en">`, ""},
	} {
		r := httptest.NewRequest(http.MethodGet, s.URL+c.path, nil)
		r.Header.Set("Accept-Language", c.accept)
		res, err := http.DefaultTransport.RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(res.Body)
		res.Body.Close()
		if err != nil {
			t.Fatal(err)
		}
		page, words, found := strings.Cut(string(b), `<script type="application/json" id="tare-words">`)
		if !strings.Contains(page, c.want) || c.lacks != "" && strings.Contains(page, c.lacks) {
			t.Errorf("%s in %q: want %q and not %q in\n%.2000s", c.path, c.accept, c.want, c.lacks, page)
		}
		for _, tag := range language.Tags() {
			if !found || !strings.Contains(words, `{"tag":"`+tag+`"`) {
				t.Errorf("%s in %q does not bring the words of %s", c.path, c.accept, tag)
			}
		}
	}
}

// Names from outside make no elements.
func TestHostileRunIsText(t *testing.T) {
	dir := t.TempDir()
	bad := `<img src=x onerror=1>"'` + "\u202e"
	var s Summary
	s.Run.Name, s.Headline = bad, []string{bad}
	verdict, err := json.Marshal(map[string]any{"run": map[string]any{"name": bad, "workload": bad}, "headline": []string{bad}, "contrasts": []any{map[string]string{"verdict": bad}}})
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "<b>run", record.VerdictFile), string(verdict))
	server := start(t, Options{Dir: dir})
	_, page, _ := get(t, server.URL+"/?q=%3Cimg")
	if strings.Contains(page, "<img") || strings.Contains(page, "<b>run") || !strings.Contains(page, "&lt;img") || strings.Contains(page, "\u202e") {
		t.Error(page)
	}
	_, page, _ = get(t, server.URL+"/runs/%3Cimg%20src=x%3E/?lang=zh")
	if strings.Contains(page, "<img") || !strings.Contains(page, "&lt;img") {
		t.Error(page)
	}
}
