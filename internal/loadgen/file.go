package loadgen

// What the built-in engine does for a workload file before the load.

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/tarebench/tare/internal/experiment"
	"github.com/tarebench/tare/internal/loadgen/wire"
	"github.com/tarebench/tare/internal/workload"
	"github.com/tarebench/tare/internal/workload/file"
)

// parse reads the job's workload file. The error is an experiment.Problems where the file
// has mistakes.
func (j Job) parse() (*file.Workload, error) {
	if j.File == nil {
		return nil, fmt.Errorf("workload %s: the file was not read", j.Workload)
	}
	return file.Parse(j.File.Name, j.File.Text)
}

// Writes is whether the workload of the job changes the data; a script of the user's may,
// and so may a file with mistakes.
func (j Job) Writes() bool {
	if j.File != nil {
		w, err := j.parse()
		return err != nil || w.Writes()
	}
	w, ok := workload.Find(j.Workload)
	return !ok || w.Writes
}

// checkFileOptions refuses options of built-in workloads for a workload file.
func checkFileOptions(j Job) (errs []error) {
	if !workload.IsFile(j.Workload) {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(j.Options)) {
		if !slices.Contains([]string{textOption, reconnectOption, verifyOption}, name) {
			errs = append(errs, fmt.Errorf("option %s: a workload file says what is done, so only the options %s and %s are possible", name, textOption, reconnectOption))
		}
	}
	return errs
}

// noSuchTable is the server's code for a table that does not exist (ER_NO_SUCH_TABLE).
const noSuchTable = 1146

// CheckStatements has the server prepare every statement of a workload file. The error is
// an experiment.Problems with all that it refuses, of a table that does not exist the first statement.
func CheckStatements(ctx context.Context, dial func(context.Context) (*wire.Session, error), w *file.Workload) error {
	s, err := dial(ctx)
	if err != nil {
		return err
	}
	defer s.Close()
	var refused experiment.Problems
	missing := map[string]bool{}
	check := func(sql, field string) error {
		_, err := s.Prepare(ctx, []string{sql})
		var no *wire.ServerError
		if !errors.As(err, &no) {
			return err
		}
		// A table that is missing is so in every statement that has it.
		if said := no.Error(); no.Code == noSuchTable && missing[said] {
			return nil
		} else if no.Code == noSuchTable {
			missing[said] = true
		}
		refused = append(refused, w.Problem(field, "the server refuses the statement: %s", no))
		return nil
	}
	for _, t := range w.Transactions {
		for i, statement := range t.Statements {
			if file.Unprepared(statement.SQL) {
				continue
			}
			if err := check(statement.SQL, fmt.Sprintf("transactions.%s.statements[%d].sql", t.Name, i)); err != nil {
				return fmt.Errorf("check statements: %w", err)
			}
		}
	}
	return refused.Err()
}

// Bind runs the queries whose answers a workload file draws values from.
func Bind(ctx context.Context, dial func(context.Context) (*wire.Session, error), p *workload.Program) error {
	if len(p.Lookups) == 0 {
		return nil
	}
	s, err := dial(ctx)
	if err != nil {
		return err
	}
	defer s.Close()
	var errs []error
	for _, l := range p.Lookups {
		rows, err := s.QueryBytes(ctx, l.SQL)
		if err != nil {
			return fmt.Errorf("run %q for its values: %w", l.SQL, err)
		}
		values := make([][]byte, len(rows))
		for i, row := range rows {
			values[i] = row[0]
		}
		errs = append(errs, p.Bind(l, values))
	}
	return errors.Join(errs...)
}

// TablesOf are the names of the tables that a built-in workload reads; none of a script of
// sysbench's, which is unknown.
func TablesOf(j Job) (names []string) {
	p, err := builtIn{}.program(j)
	if err != nil {
		return nil
	}
	for _, t := range p.Tables(1) {
		names = append(names, t.Name)
	}
	return names
}
