package fill

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/tarebench/tare/internal/loadgen/wire"
	"github.com/tarebench/tare/internal/mysqld"
)

// Codes of the server (MySQL error reference).
const (
	codeTableExists    = 1050
	codeDuplicateKey   = 1061
	codeDuplicateRow   = 1062
	codeLockWait       = 1205
	codeDeadlock       = 1213
	codeUnknownSetting = 1193
)

// open makes the table, or finds what an earlier attempt left of it. One without
// rows has them all at once.
func (f *filler) open(ctx context.Context, in *inserter, t *table) error {
	t.opening.Lock()
	defer t.opening.Unlock()
	if t.opened {
		return nil
	}
	t.present = make([]bool, t.portions)
	err := in.session.Exec(ctx, t.Create)
	exists := hasCode(err, codeTableExists)
	if t.Own != nil && (err == nil || exists) {
		err = in.claim(ctx, t, exists)
	} else if exists {
		err = nil
	}
	if err == nil && exists {
		err = f.survey(ctx, in, t)
	}
	if err == nil && t.portions == 0 {
		err = f.finish(ctx, in, t)
	}
	t.opened = err == nil
	return err
}

// survey finds the portions that are there. Each was inserted in one transaction,
// so its first row stands for all of it; the count at the end proves it.
func (f *filler) survey(ctx context.Context, in *inserter, t *table) error {
	if t.Key == nil {
		return in.wholeOrEmpty(ctx, t)
	}
	const atOnce = 200
	for from := 0; from < t.portions; from += atOnce {
		var selects []string
		for p := from; p < min(from+atOnce, t.portions); p++ {
			first, _ := t.bounds(p)
			selects = append(selects, fmt.Sprintf("SELECT %d FROM %s WHERE %s", p, mysqld.QuoteName(t.Name), t.Key(first)))
		}
		rows, err := in.session.Query(ctx, strings.Join(selects, " UNION ALL "))
		if err != nil {
			return err
		}
		for _, r := range rows {
			p, err := strconv.Atoi(r[0])
			if err != nil {
				return fmt.Errorf("read number of a portion %q: %w", r[0], err)
			}
			t.present[p] = true
		}
	}
	return nil
}

// finish makes the indexes and checks the rows of a table that has them all.
func (f *filler) finish(ctx context.Context, in *inserter, t *table) error {
	f.reportStep("rows", t)
	if len(t.Indexes) > 0 {
		// Default is 1 MiB: a table of a million keys is then sorted in many passes.
		// MariaDB and MySQL before 8.0.27 do not know it.
		err := in.session.Exec(ctx, "SET SESSION innodb_ddl_buffer_size=67108864")
		if err != nil && !hasCode(err, codeUnknownSetting) {
			return err
		}
		for _, sql := range t.Indexes {
			if err := in.session.Exec(ctx, sql); err != nil && !hasCode(err, codeDuplicateKey) {
				return err
			}
		}
		f.reportStep("index", t)
	}
	if !f.job.Verify || t.portions == 0 {
		return nil
	}
	return f.verify(ctx, in, t)
}

func (f *filler) verify(ctx context.Context, in *inserter, t *table) error {
	rows, err := in.session.Query(ctx, t.checksumSQL())
	if err != nil {
		return err
	}
	want := []string{strconv.FormatInt(t.rows, 10), strconv.FormatUint(t.sum, 10)}
	if len(rows) != 1 || len(rows[0]) != 2 || rows[0][0] != want[0] || rows[0][1] != want[1] {
		return fmt.Errorf("rows and checksum are %v, want %v: %w", rows, want, t.otherRows())
	}
	f.reportStep("verified", t)
	return nil
}

// checksumSQL gives the number of rows and the sum of their checksums as the
// server computes them; the row's own number is part of each, so rows cannot be
// exchanged. CONCAT_WS leaves NULL out.
func (t *table) checksumSQL() string {
	var columns []string
	for i, c := range t.Columns {
		switch {
		case t.Own == nil:
			columns = append(columns, c)
		case t.compared[i]:
			columns = append(columns, "CONVERT("+mysqld.QuoteName(c)+" USING utf8mb4)")
		}
	}
	if len(columns) == 0 {
		return "SELECT COUNT(*), 0 FROM " + mysqld.QuoteName(t.Name)
	}
	return fmt.Sprintf("SELECT COUNT(*), COALESCE(SUM(CRC32(CONCAT_WS(',',%s))),0) FROM %s", strings.Join(columns, ","), mysqld.QuoteName(t.Name))
}

func hasCode(err error, code uint16) bool {
	var e *wire.ServerError
	return errors.As(err, &e) && e.Code == code
}
