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

	"github.com/google/go-cmp/cmp"

	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/report"
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

func TestList(t *testing.T) {
	dir := folder(t, "demo", "layers", "unfinished", "imported")
	write(t, filepath.Join(dir, "corrupt", record.VerdictFile), `{"schema": "tare.res`)
	write(t, filepath.Join(dir, "half", record.ExperimentFile), "apiVersion: x\n")
	write(t, filepath.Join(dir, "notes", "todo.txt"), "no run")
	s := start(t, Options{Dir: dir})
	all := names(t, s, "")
	want := map[string]string{"demo": "finished", "layers": "finished", "imported": "finished", "unfinished": "unfinished", "corrupt": "unreadable", "half": "unreadable"}
	got := map[string]string{}
	for name, run := range all {
		got[name] = run.State
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if d := all["demo"]; len(d.Verdicts) != 2 || d.Verdicts[0] != "costs" || !strings.Contains(d.Headline[0], "45.5 % slower") || d.Run.RoundsComplete != 6 {
		t.Errorf("demo: %+v", d)
	}
	if u := all["unfinished"]; u.Run.TrialsDone != 9 && u.Run.TrialsDone != 10 || u.Verdicts[0] != "sealed" {
		t.Errorf("unfinished: %+v", u)
	}
	status, page, header := get(t, s.URL+"/")
	for _, want := range []string{"6 runs", `href="/runs/demo/"`, "45.5 % slower", "2 × costs", "cannot be read", `<svg class="intervals"`} {
		if !strings.Contains(page, want) {
			t.Errorf("the list lacks %q", want)
		}
	}
	if status != 200 || !strings.Contains(header.Get("Content-Security-Policy"), "default-src 'none'") {
		t.Error(status, header)
	}
	// What changed is read again; what is gone is gone.
	if err := os.RemoveAll(filepath.Join(dir, "layers")); err != nil {
		t.Fatal(err)
	}
	put(t, dir, "verdicts")
	write(t, filepath.Join(dir, "demo", record.VerdictFile), "{}")
	if _, err := record.AddFailure(filepath.Join(dir, "unfinished"), "start: unknown variable", 9); err != nil {
		t.Fatal(err)
	}
	all = names(t, s, "")
	if u := all["unfinished"]; u.State != "failed" || u.Fault != "start: unknown variable" {
		t.Errorf("a run that stopped by itself: %+v", u)
	}
	if _, page, _ := get(t, s.URL+"/"); !strings.Contains(page, "start: unknown variable") {
		t.Error("the list does not say why a run failed")
	}
	if _, still := all["layers"]; still || all["verdicts"].State != "finished" || all["demo"].State != "unreadable" {
		t.Errorf("after the changes: %+v", all)
	}
}

func TestSearch(t *testing.T) {
	s := start(t, Options{Dir: folder(t, "demo", "layers", "imported")})
	for query, want := range map[string]string{"pod slower": "layers", "DEMO": "demo", "inconclusive": "imported", "besteffort guaranteed oltp": "demo", "nowhere": ""} {
		found := names(t, s, "?q="+strings.ReplaceAll(query, " ", "+"))
		if _, ok := found[want]; want != "" && (!ok || len(found) != 1) || want == "" && len(found) != 0 {
			t.Errorf("%q finds %v, want %q", query, found, want)
		}
	}
}

// A verdict that another hand wrote, without tare's line ends, is read as well.
func TestCompactVerdict(t *testing.T) {
	dir := folder(t, "verdicts")
	path := filepath.Join(dir, "verdicts", record.VerdictFile)
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var before, after Summary
	if err := before.readVerdict(path); err != nil {
		t.Fatal(err)
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, b); err != nil {
		t.Fatal(err)
	}
	write(t, path, compact.String())
	if err := after.readVerdict(path); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, after, cmp.Comparer(func(a, b report.Number) bool { return a == b || !a.Known() && !b.Known() })); diff != "" || len(after.Verdicts) != 6 {
		t.Error(diff)
	}
}

func TestRun(t *testing.T) {
	dir := folder(t, "demo", "unfinished", "starved")
	write(t, filepath.Join(dir, "corrupt", record.ExperimentFile), "apiVersion: [")
	s := start(t, Options{Dir: dir})
	doc, err := buildReport(filepath.Join(dir, "demo"))
	if err != nil {
		t.Fatal(err)
	}
	var page, result bytes.Buffer
	if err := report.HTML(&page, doc, report.Embedded()); err != nil {
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
		{"/runs/demo/", 200, page.String()},
		{"/runs/demo/result.json", 200, result.String()},
		{"/runs/demo/report.md", 200, report.MarkdownMark},
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
		for _, tag := range report.Languages() {
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

// thousand is a folder of 1,000 runs.
func thousand(b *testing.B) string {
	b.Helper()
	dir := b.TempDir()
	doc, err := buildReport(filepath.Join(recorded, "demo"))
	if err != nil {
		b.Fatal(err)
	}
	var verdict bytes.Buffer
	if err := report.JSON(&verdict, doc); err != nil {
		b.Fatal(err)
	}
	for i := range 1000 {
		run := filepath.Join(dir, "run-"+time.Unix(int64(i), 0).UTC().Format("150405"))
		if err := os.MkdirAll(run, 0o755); err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(run, record.VerdictFile), verdict.Bytes(), 0o644); err != nil {
			b.Fatal(err)
		}
	}
	return dir
}

// BenchmarkList is a folder of 1,000 runs seen for the first time.
func BenchmarkList(b *testing.B) {
	dir := thousand(b)
	for b.Loop() {
		runs, err := newCatalog(dir).runs()
		if err != nil || len(runs) != 1000 || runs[0].State != "finished" {
			b.Fatal(err, len(runs))
		}
	}
}

// BenchmarkListPage is their page, in all languages, once they are known.
func BenchmarkListPage(b *testing.B) {
	h, err := New(Options{Dir: thousand(b), Version: "test", BuildReport: buildReport})
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/", nil))
		if w.Code != http.StatusOK || bytes.Count(w.Body.Bytes(), []byte("<tr>")) != 1001 {
			b.Fatal(w.Code)
		}
	}
}

func FuzzVerdict(f *testing.F) {
	f.Add([]byte(`{"run":{"name":"x"},"headline":["a"],"contrasts":[{"verdict":"costs"}]}`))
	f.Add([]byte("{\n \"headline\": [],\n \"contrasts\": [{}]}"))
	f.Add([]byte(`{"run":{"rounds_planned":6},"headline":["a"],"contrasts":[{"verdict":"costs","sentence":"a","interval":[null,1]},{"threads":8}]}`))
	path := filepath.Join(f.TempDir(), "verdict.json")
	f.Fuzz(func(t *testing.T, b []byte) {
		if err := os.WriteFile(path, b, 0o644); err != nil {
			t.Fatal(err)
		}
		var s Summary
		if err := s.readVerdict(path); err == nil && !bytes.Contains(b, []byte("contrasts")) {
			t.Error("a verdict without contrasts was read")
		}
	})
}
