package main

import (
	"go/ast"
	"go/token"
	"testing"
)

// TestFixedOrder: no loop over a map literal appends to a list or sums into a variable. Its
// order changes from run to run (Go specification, "For statements with range clause"), so
// equal inputs would give records with different bytes. A table is a slice of structs.
func TestFixedOrder(t *testing.T) {
	eachFile(t, func(files *token.FileSet, _ string, file *ast.File) {
		ast.Inspect(file, func(n ast.Node) bool {
			if loop, ok := n.(*ast.RangeStmt); ok && overMapLiteral(loop) && dependsOnOrder(loop.Body) {
				t.Errorf("%s: a loop over a map literal has no fixed order; write a slice of structs", files.Position(loop.Pos()))
			}
			return true
		})
	})
}

func overMapLiteral(loop *ast.RangeStmt) bool {
	literal, ok := loop.X.(*ast.CompositeLit)
	if !ok {
		return false
	}
	_, ok = literal.Type.(*ast.MapType)
	return ok
}

func dependsOnOrder(body *ast.BlockStmt) (depends bool) {
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			f, ok := n.Fun.(*ast.Ident)
			depends = depends || ok && (f.Name == "append" || f.Name == "wrong")
		case *ast.AssignStmt:
			_, variable := n.Lhs[0].(*ast.Ident)
			depends = depends || variable && (n.Tok == token.ADD_ASSIGN || n.Tok == token.SUB_ASSIGN)
		}
		return true
	})
	return depends
}
