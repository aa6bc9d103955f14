package main

// A test that reads tare's own source for programs that it starts, and for what it gives them
// of its environment, where a password may be.

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// starters are the functions that make a command, and forbidden are those that start one
// without a field that the search could find.
func starters() []string { return []string{"exec.Command", "exec.CommandContext"} }
func forbidden() []string {
	return []string{"os.StartProcess", "syscall.ForkExec", "syscall.StartProcess", "syscall.Exec", "unix.Exec"}
}

// TestEveryStartHasAnEnvironment: each function that makes a command says what its environment
// is, because one without gets all variables of tare (exec.Cmd). Only internal/environment
// reads all of them.
func TestEveryStartHasAnEnvironment(t *testing.T) {
	found := 0
	for _, dir := range []string{".", filepath.Join("..", "..", "internal")} {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || ofTests(path) {
				return err
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			for _, declared := range file.Decls {
				n, problems := startsIn(declared, filepath.Base(filepath.Dir(path)) == "environment")
				found += n
				for _, p := range problems {
					t.Errorf("%s: %s", path, p)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if found < 10 {
		t.Errorf("the search finds %d commands", found)
	}
}

// TestThreadOfADyingChildIsHeld: a file that has the kernel kill a process with its parent holds the
// thread that starts it, in tests too. The signal comes when that thread ends (PR_SET_PDEATHSIG(2const)),
// and Go ends the threads of goroutines that end locked to theirs.
func TestThreadOfADyingChildIsHeld(t *testing.T) {
	found := 0
	for _, dir := range []string{".", filepath.Join("..", "..", "internal")} {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") {
				return err
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			// Package spawn has what sets it, for the callers that hold the thread.
			if names(file, "Pdeathsig") && filepath.Base(path) != "attributes_linux.go" || called(file, "spawn", "Session", "Group") {
				found++
				if !names(file, "LockOSThread") && !names(file, "StartHeld") {
					t.Errorf("%s: Pdeathsig without spawn.StartHeld or runtime.LockOSThread: the process is killed when another goroutine ends the thread", path)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if found < 5 {
		t.Errorf("the search finds %d files", found)
	}
}

// names is whether an identifier is in a file.
// called tells whether a file has one of these names of a package.
func called(file *ast.File, pkg string, names ...string) (found bool) {
	ast.Inspect(file, func(n ast.Node) bool {
		s, ok := n.(*ast.SelectorExpr)
		if !ok {
			return !found
		}
		x, ok := s.X.(*ast.Ident)
		found = found || ok && x.Name == pkg && slices.Contains(names, s.Sel.Name)
		return !found
	})
	return found
}

func names(file *ast.File, name string) (found bool) {
	ast.Inspect(file, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		found = found || ok && id.Name == name
		return !found
	})
	return found
}

// TestStartsAreFound: the search finds what it has to find.
func TestStartsAreFound(t *testing.T) {
	for body, problems := range map[string]int{
		`c := exec.Command("a"); c.Env = environment.Passed(); return c.Run()`:                   0,
		`c := exec.CommandContext(ctx, "a"); return c.Run()`:                                     1,
		`return exec.Command("a").Run()`:                                                         1,
		`a := exec.Command("a"); b := exec.Command("b"); a.Env = nil; return b.Run()`:            2,
		`c := exec.Command("a"); c.Env = append(os.Environ(), "A=b"); return c.Run()`:            1,
		`_, err := os.StartProcess("a", nil, nil); return err`:                                   1,
		`return run(func() error { c := exec.Command("a"); c.Env = []string{"A"}; return nil })`: 0,
	} {
		file, err := parser.ParseFile(token.NewFileSet(), "a.go", "package a\nfunc f() error { "+body+" }", parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		if _, said := startsIn(file.Decls[0], false); len(said) != problems {
			t.Errorf("%s: %v, want %d", body, said, problems)
		}
	}
}

// startsIn counts the commands of a declaration and says what is wrong with them. all is
// whether it may read all variables.
func startsIn(d ast.Decl, all bool) (commands int, problems []string) {
	environments := 0
	ast.Inspect(d, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			switch name := calledName(n); {
			case slices.Contains(starters(), name):
				commands++
			case slices.Contains(forbidden(), name):
				problems = append(problems, name+" has no environment that this test can find; use exec.Command")
			case name == "os.Environ" && !all:
				problems = append(problems, "os.Environ() may have a password; use environment.Passed()")
			}
		case *ast.AssignStmt:
			if s, ok := n.Lhs[0].(*ast.SelectorExpr); ok && s.Sel.Name == "Env" && !isNil(n.Rhs[0]) {
				environments++
			}
		}
		return true
	})
	for range commands - environments {
		problems = append(problems, "a command without Env gets all variables of tare; set it to environment.Passed() or to what the program needs")
	}
	return commands, problems
}

// calledName is the name of a function of another package, as package.Function.
func calledName(c *ast.CallExpr) string {
	s, ok := c.Fun.(*ast.SelectorExpr)
	if !ok {
		return ""
	}
	p, ok := s.X.(*ast.Ident)
	if !ok {
		return ""
	}
	return p.Name + "." + s.Sel.Name
}

func isNil(e ast.Expr) bool {
	name, ok := e.(*ast.Ident)
	return ok && name.Name == "nil"
}
