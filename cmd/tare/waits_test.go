package main

// A test that reads tare's own source for waits, and asks of each what ends it.

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// wait is a place in the code that may block: its file, the function it stands in, and
// the kind of wait.
type wait struct{ file, function, kind string }

func (w wait) String() string { return fmt.Sprintf("%s %s: %s", w.file, w.function, w.kind) }

// The kinds of waits that are known by their form alone. What a select with a context, a
// timer or a default waits for has a limit; so has a call that is given a context which
// something ends. Contexts that nothing ends are a kind of their own.
const (
	kindReceive = "receive outside select"
	kindSend    = "send outside select"
	kindSelect  = "select without a context, a timer or a default"
	kindWait    = "Wait()"
	kindCommand = "exec.Command without a context"
	kindDial    = "connect without a context or a timeout"
	kindLock    = "lock on a file that waits"
	kindContext = "context without an end"
	kindPoll    = "poll"
	kindHTTP    = "HTTP without timeouts"
	kindSQL     = "query without a context"
)

// TestEveryWaitHasALimit: every wait in the code that has no limit of its own stands in
// waitTable, with what ends it.
func TestEveryWaitHasALimit(t *testing.T) {
	found := map[wait]int{}
	for _, dir := range []string{".", filepath.Join("..", "..", "internal")} {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || ofTests(path) {
				return err
			}
			return findWaits(path, found)
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	table := map[wait]int{}
	for _, row := range waitTable() {
		if row.ends == "" || row.n == 0 {
			t.Errorf("the row of %v is not complete", row.wait)
		}
		table[row.wait] = row.n
	}
	all := map[wait]bool{}
	for _, m := range []map[wait]int{found, table} {
		for w := range m {
			all[w] = true
		}
	}
	for _, w := range slices.SortedFunc(maps.Keys(all), func(a, b wait) int { return strings.Compare(a.String(), b.String()) }) {
		switch {
		case found[w] > table[w]:
			t.Errorf("%v (%d times, the table has %d): give it a limit, or say in waitTable what ends it", w, found[w], table[w])
		case found[w] < table[w]:
			t.Errorf("%v: the table has %d, the code %d; remove what is too many from waitTable", w, table[w], found[w])
		}
	}
}

// ofTests tells whether a file belongs to a package that only tests import, or to the
// benchmark.
func ofTests(path string) bool {
	for _, dir := range []string{"targettest", "mysqldtest", "campaigntest", "recordtest", "bench", "testdata"} {
		if slices.Contains(strings.Split(filepath.ToSlash(path), "/"), dir) {
			return true
		}
	}
	return false
}

// findWaits counts the waits of a file.
func findWaits(path string, found map[wait]int) error {
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	name := strings.TrimPrefix(filepath.ToSlash(path), "../../")
	if filepath.Dir(path) == "." {
		name = "cmd/tare/" + name
	}
	for _, d := range file.Decls {
		function := "var"
		if f, ok := d.(*ast.FuncDecl); ok {
			function = f.Name.Name
		}
		v := &waitVisitor{bounded: map[ast.Node]bool{}, put: func(kind string) { found[wait{name, function, kind}]++ }}
		ast.Inspect(d, v.visit)
	}
	return nil
}

// waitVisitor passes over a declaration. bounded are nodes whose parent limits them.
type waitVisitor struct {
	bounded map[ast.Node]bool
	put     func(kind string)
}

func (v *waitVisitor) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.SelectStmt:
		v.selects(n)
	case *ast.UnaryExpr:
		if n.Op == token.ARROW && !v.bounded[n] {
			v.put(kindReceive)
		}
	case *ast.SendStmt:
		if !v.bounded[n] {
			v.put(kindSend)
		}
	case *ast.CallExpr:
		v.call(n)
	case *ast.CompositeLit:
		v.literal(n)
	}
	return true
}

// selects looks for a case that comes by itself.
func (v *waitVisitor) selects(s *ast.SelectStmt) {
	limited := false
	for _, c := range s.Body.List {
		comm := c.(*ast.CommClause).Comm
		if comm == nil {
			limited = true
			continue
		}
		v.bounded[comm] = true
		ast.Inspect(comm, func(n ast.Node) bool {
			if u, ok := n.(*ast.UnaryExpr); ok && u.Op == token.ARROW {
				v.bounded[u] = true
				limited = limited || endsByItself(u.X)
			}
			return true
		})
	}
	if !limited {
		v.put(kindSelect)
	}
}

var timers = regexp.MustCompile(`\.(Done\(\)|C)$|^time\.(After|Tick)\(`)

func endsByItself(x ast.Expr) bool { return timers.MatchString(sourceOf(x)) }

// sourceOf is an expression as far as its names and calls go.
func sourceOf(x ast.Expr) string {
	switch x := x.(type) {
	case *ast.Ident:
		return x.Name
	case *ast.SelectorExpr:
		return sourceOf(x.X) + "." + x.Sel.Name
	case *ast.CallExpr:
		var args []string
		for _, a := range x.Args {
			args = append(args, sourceOf(a))
		}
		return sourceOf(x.Fun) + "(" + strings.Join(args, ", ") + ")"
	case *ast.BinaryExpr:
		return sourceOf(x.X) + x.Op.String() + sourceOf(x.Y)
	case *ast.ParenExpr:
		return sourceOf(x.X)
	}
	return "_"
}

// Calls that wait, by how they are written. A database's methods without Context are called with
// a text; this tree's own sessions take a context first.
var waitingCalls = []struct {
	form *regexp.Regexp
	kind string
}{
	{regexp.MustCompile(`\.Wait\(\)$`), kindWait},
	{regexp.MustCompile(`^exec\.Command\(`), kindCommand},
	{regexp.MustCompile(`^(net|tls)\.Dial(TCP|UDP|Unix|IP)?\(|[dD]ialer\.Dial\(`), kindDial},
	{regexp.MustCompile(`\.Flock\(.*LOCK_(EX|SH)\)$`), kindLock},
	{regexp.MustCompile(`^unix\.(Poll|Ppoll|Select|EpollWait|EpollPwait)\(`), kindPoll},
	{regexp.MustCompile(`^http\.(Get|Post|PostForm|Head|ListenAndServe\w*|Serve|NewRequest)\(`), kindHTTP},
	{regexp.MustCompile(`(^|\.)(db|DB|conn|tx|root)\.(Query|QueryRow|Exec|Prepare|Ping|Begin|Conn)\((_|\))`), kindSQL},
}

func (v *waitVisitor) call(c *ast.CallExpr) {
	source := sourceOf(c)
	switch source := sourceOf(c.Fun); source {
	case "context.WithTimeout", "context.WithTimeoutCause", "context.WithDeadline":
		for _, a := range c.Args {
			v.bounded[a] = true
		}
	case "context.Background", "context.TODO", "context.WithoutCancel":
		if !v.bounded[c] {
			v.put(kindContext)
		}
		return
	}
	for _, w := range waitingCalls {
		if w.form.MatchString(source) {
			v.put(w.kind)
			return
		}
	}
}

// literal looks at HTTP clients and servers that are made.
func (v *waitVisitor) literal(l *ast.CompositeLit) {
	need := map[string][]string{
		"http.Client": {"Timeout"},
		"http.Server": {"ReadHeaderTimeout", "ReadTimeout", "IdleTimeout"},
	}[sourceOf(l.Type)]
	for _, field := range need {
		if !slices.ContainsFunc(l.Elts, func(e ast.Expr) bool {
			kv, ok := e.(*ast.KeyValueExpr)
			return ok && sourceOf(kv.Key) == field
		}) {
			v.put(kindHTTP)
			return
		}
	}
}

// TestWaitsAreFound: the search finds each kind of wait, and none where there is a limit.
func TestWaitsAreFound(t *testing.T) {
	for code, want := range map[string]string{
		"<-done": kindReceive, "err := <-done; _ = err": kindReceive, "out <- 1": kindSend, "group.Wait()": kindWait,
		"select { case <-a: case b <- 1: }":    kindSelect,
		"exec.Command(`x`).Run()":              kindCommand,
		"net.Dial(`tcp`, at)":                  kindDial,
		"unix.Flock(fd, unix.LOCK_EX)":         kindLock,
		"do(context.Background())":             kindContext,
		"do(context.WithoutCancel(ctx))":       kindContext,
		"unix.Poll(fds, -1)":                   kindPoll,
		"_ = http.Client{}":                    kindHTTP,
		"_ = http.Server{ReadTimeout: second}": kindHTTP,
		"http.Get(at)":                         kindHTTP,
		"db.QueryRow(`SELECT 1`)":              kindSQL,
		"s.db.Ping()":                          kindSQL,

		"select { case <-a: case <-ctx.Done(): }":                     "",
		"select { case <-a: case <-time.After(second): }":             "",
		"select { case <-a: case <-tick.C: }":                         "",
		"select { case a <- 1: default: }":                            "",
		"exec.CommandContext(ctx, `x`).Run()":                         "",
		"net.DialTimeout(`tcp`, at, second)":                          "",
		"unix.Flock(fd, unix.LOCK_EX|unix.LOCK_NB)":                   "",
		"context.WithTimeout(context.Background(), second)":           "",
		"context.WithTimeoutCause(context.Background(), second, err)": "",
		"context.WithTimeout(context.WithoutCancel(c), one)":          "",
		"_ = http.Client{Timeout: second}":                            "",
		"db.QueryRowContext(ctx, `SELECT 1`)":                         "",
		"session.Query(ctx, `SELECT 1`)":                              "",
	} {
		path := filepath.Join(t.TempDir(), "x.go")
		if err := os.WriteFile(path, []byte("package x\nfunc f() { "+code+" }\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		found := map[wait]int{}
		if err := findWaits(path, found); err != nil {
			t.Fatal(err)
		}
		var kinds []string
		for w := range found {
			kinds = append(kinds, w.kind)
		}
		if got := strings.Join(kinds, ", "); got != want {
			t.Errorf("%s: %q, want %q", code, got, want)
		}
	}
}
