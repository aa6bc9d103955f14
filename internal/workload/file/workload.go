// Package file is the format of workloads as files: tables, transactions and the values of their parameters.
package file

import (
	"github.com/tarebench/tare/internal/experiment"
)

// APIVersion and Kind open every workload file.
const (
	APIVersion = experiment.APIVersion
	Kind       = "Workload"
)

// Workload is a file read and checked. Comments are what Marshal writes above a part of
// the file, one line each; Parse does not read them.
type Workload struct {
	APIVersion   string              `yaml:"apiVersion"`
	Kind         string              `yaml:"kind"`
	Metadata     experiment.Metadata `yaml:"metadata"`
	Data         Data                `yaml:"data"`
	Tables       Tables              `yaml:"tables"`
	Transactions Transactions        `yaml:"transactions"`

	Comments []string `yaml:"-"`
	// Source is the text that the workload was read from.
	Source []byte `yaml:"-"`
	at     experiment.File
}

// Data says what the statements may do to the data.
type Data struct {
	// Own allows statements that write although the file makes no tables: the server's
	// own rows are then changed.
	Own bool `yaml:"own"`
}

// Table is a table that tare makes and fills.
type Table struct {
	Name string `yaml:"-"`
	Rows int64  `yaml:"rows"`
	// Create is the CREATE TABLE statement; Indexes are statements for when the rows are in.
	Create  string   `yaml:"create"`
	Indexes []string `yaml:"indexes"`
	// Columns are those that tare fills; the server gives the others their defaults.
	Columns Columns `yaml:"columns"`

	Comments []string `yaml:"-"`
}

// Column is a column of a table, or a value of a transaction, by name.
type Column struct {
	Name  string
	Value Value
}

// Transaction is one kind of transaction.
type Transaction struct {
	Name string `yaml:"-"`
	// Weight is its share of all transactions, relative to the others' weights.
	Weight Number `yaml:"weight"`
	// Think is how long a connection waits after the transaction before it begins another.
	Think experiment.Duration `yaml:"think"`
	// Autocommit leaves out BEGIN and COMMIT; Rollback ends with ROLLBACK in place of COMMIT.
	Autocommit bool `yaml:"autocommit"`
	Rollback   bool `yaml:"rollback"`
	// Values are drawn when the transaction begins, for parameters {from: NAME}.
	Values     Columns     `yaml:"values"`
	Statements []Statement `yaml:"statements"`

	Comments []string `yaml:"-"`
}

// Statement is one statement of a transaction.
type Statement struct {
	// Name is what reports call it; "" is the transaction's name with the number of the
	// statement.
	Name string `yaml:"name"`
	// SQL has a question mark for every parameter.
	SQL    string  `yaml:"sql"`
	Params []Value `yaml:"params"`
	// Take names columns of the answer's first row for parameters {from: NAME} of later
	// statements of the transaction.
	Take Takes `yaml:"take"`
	// OnNoRow is what happens where Take finds no row: OnNoRowError ("" too) or
	// OnNoRowCommit.
	OnNoRow string `yaml:"onNoRow"`
	// Class is "read", "write" or "other" where that is not to be told from the SQL.
	Class string `yaml:"class"`
	// Think is the application's own time after the answer, within the transaction.
	Think experiment.Duration `yaml:"think"`

	Comments []string `yaml:"-"`
}

// What Statement.OnNoRow can be. OnNoRowError counts error 1329 and tries the transaction
// again; OnNoRowCommit leaves the remaining statements out and ends the transaction.
const (
	OnNoRowError  = "error"
	OnNoRowCommit = "commit"
)

// Classes of statements, for Statement.Class.
const (
	ClassRead  = "read"
	ClassWrite = "write"
	ClassOther = "other"
)

// Take is a column of an answer, counted from 1, and the name that its value gets.
type Take struct {
	Name   string
	Column int
}

// Tables, Columns, Transactions and Takes are in the order of the file.
type (
	Tables       []Table
	Columns      []Column
	Transactions []Transaction
	Takes        []Take
)

// named reads a mapping of names with bodies, each by one call of add.
func named(n experiment.Node, what string, add func(e experiment.Entry)) {
	entries, ok := n.Entries()
	if !ok {
		n.Fail("expected names, each with %s, not %s", what, n.Kind())
		return
	}
	for _, e := range entries {
		add(e)
	}
}

// ReadNode reads tables by name.
func (ts *Tables) ReadNode(n experiment.Node) {
	named(n, "the fields of a table", func(e experiment.Entry) {
		t := Table{Name: e.Key}
		e.Value.Decode(&t)
		*ts = append(*ts, t)
	})
}

// ReadNode reads values by name.
func (cs *Columns) ReadNode(n experiment.Node) {
	named(n, "how its values are drawn", func(e experiment.Entry) {
		c := Column{Name: e.Key}
		e.Value.Decode(&c.Value)
		*cs = append(*cs, c)
	})
}

// ReadNode reads transactions by name.
func (ts *Transactions) ReadNode(n experiment.Node) {
	named(n, "the fields of a transaction", func(e experiment.Entry) {
		t := Transaction{Name: e.Key, Weight: Number{Value: 1}}
		e.Value.Decode(&t)
		*ts = append(*ts, t)
	})
}

// ReadNode reads names with numbers of columns.
func (ts *Takes) ReadNode(n experiment.Node) {
	named(n, "the number of a column of the answer, such as {price: 1}", func(e experiment.Entry) {
		t := Take{Name: e.Key}
		e.Value.Decode(&t.Column)
		*ts = append(*ts, t)
	})
}

// Writes says whether a statement of the workload writes.
func (w *Workload) Writes() bool {
	for _, t := range w.Transactions {
		for _, s := range t.Statements {
			if s.Classified() == ClassWrite {
				return true
			}
		}
	}
	return false
}

// Classified is the class of a statement: the one that the file gives, or what the SQL says.
func (s Statement) Classified() string {
	if s.Class != "" {
		return s.Class
	}
	return Classify(s.SQL)
}

// StatementName is what reports call statement i, from 0, of the transaction.
func (t Transaction) StatementName(i int) string {
	if name := t.Statements[i].Name; name != "" {
		return name
	}
	return t.Name + "_" + itoa(i+1)
}

// Problem says what is wrong with a field of the file, found by someone who knows more
// than the file: a server.
func (w *Workload) Problem(field, format string, args ...any) experiment.Problem {
	return w.at.Problem(field, format, args...)
}
