package main

// This file writes the mutants into the text of a file.

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"slices"
)

// insertion is a text that is written before offset at. Length is that of the expression that
// begins there, or its negative where the expression ends there.
type insertion struct {
	at     int
	text   string
	length int
}

// writer collects the insertions of one file.
type writer struct {
	src   []byte
	set   *token.FileSet
	next  int
	all   []insertion
	names []string
}

// mutated is the text of a file with its mutants, whose numbers begin after done, its
// package, and what each mutant does.
func mutated(file string, done int) (text []byte, pkg string, mutants []string, err error) {
	src, err := os.ReadFile(file)
	if err != nil {
		return nil, "", nil, err
	}
	w := &writer{src: src, set: token.NewFileSet(), next: done}
	parsed, err := parser.ParseFile(w.set, file, src, 0)
	if err != nil {
		return nil, "", nil, err
	}
	for _, d := range parsed.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && f.Body != nil {
			ast.Inspect(f.Body, w.visit)
		}
	}
	return w.text(), parsed.Name.Name, w.names, nil
}

// visit adds the mutants of a node. A constant declaration must stay constant.
func (w *writer) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.GenDecl:
		return n.Tok != token.CONST
	case *ast.BinaryExpr:
		w.binary(n)
	case *ast.IfStmt:
		w.condition(n.Cond)
	}
	return true
}

// binary adds the mutants of a comparison or a connective.
func (w *writer) binary(e *ast.BinaryExpr) {
	switch e.Op {
	case token.LAND:
		for _, side := range []ast.Expr{e.X, e.Y} {
			w.around(side, fmt.Sprintf("(mutant(%q) || (", w.name(side, "left out")), "))")
		}
	case token.LOR:
		for _, side := range []ast.Expr{e.X, e.Y} {
			w.around(side, fmt.Sprintf("(!mutant(%q) && (", w.name(side, "left out")), "))")
		}
	case token.EQL, token.NEQ:
		w.around(e, fmt.Sprintf("(mutant(%q) != (", w.name(e, "inverted")), "))")
	case token.LSS, token.GTR, token.LEQ, token.GEQ:
		w.around(e, fmt.Sprintf("(mutant(%q) != (", w.name(e, "inverted")), "))")
		if pure(e.X) && pure(e.Y) {
			equal := fmt.Sprintf(") == (%s)))", w.source(e.Y))
			w.around(e, "((", fmt.Sprintf(") != (mutant(%q) && (%s%s", w.name(e, "boundary"), w.source(e.X), equal))
		}
	}
}

// condition adds the inversion of a condition that is no comparison.
func (w *writer) condition(e ast.Expr) {
	if _, ok := e.(*ast.BinaryExpr); !ok {
		w.around(e, fmt.Sprintf("(mutant(%q) != (", w.name(e, "inverted")), "))")
	}
}

// pure says whether an operand can be computed a second time.
func pure(e ast.Expr) bool {
	ok := true
	ast.Inspect(e, func(n ast.Node) bool {
		if _, function := n.(*ast.FuncLit); function {
			ok = false
		}
		return ok
	})
	return ok
}

// name gives a mutant its number.
func (w *writer) name(e ast.Expr, what string) string {
	w.next++
	w.names = append(w.names, fmt.Sprintf("%s: %s: %s", w.set.Position(e.Pos()), w.source(e), what))
	return fmt.Sprint(w.next)
}

func (w *writer) offset(p token.Pos) int { return w.set.Position(p).Offset }

func (w *writer) source(e ast.Expr) string { return string(w.src[w.offset(e.Pos()):w.offset(e.End())]) }

// around writes before and after an expression.
func (w *writer) around(e ast.Expr, before, after string) {
	from, to := w.offset(e.Pos()), w.offset(e.End())
	w.all = append(w.all, insertion{from, before, to - from}, insertion{to, after, from - to})
}

// text is the file with its insertions. Of several that begin at one place the outer is
// first, of several that end there the inner. An expression is visited before its operands, and
// the first insertion around an expression is the outermost.
func (w *writer) text() []byte {
	var ends, begins []insertion
	for _, in := range w.all {
		if in.length > 0 {
			begins = append(begins, in)
		} else {
			ends = append(ends, in)
		}
	}
	slices.Reverse(ends)
	ordered := append(ends, begins...)
	slices.SortStableFunc(ordered, func(a, b insertion) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(b.length, a.length))
	})
	var out []byte
	at := 0
	for _, in := range ordered {
		out = append(append(out, w.src[at:in.at]...), in.text...)
		at = in.at
	}
	return append(out, w.src[at:]...)
}
