// CSV for spreadsheets: RFC 4180, UTF-8, an empty cell where a value is not known.

package export

import (
	"encoding/csv"
	"fmt"
	"io"
	"iter"
	"reflect"
	"strconv"
	"strings"

	"github.com/tarebench/tare/internal/report"
)

func csvTable(w io.Writer, doc *report.Document, t Table, o Options) error { return t.csv(w, doc, o) }

// writeCSV takes names and order of the columns from the row's Parquet schema.
func writeCSV[T any](w io.Writer, rows iter.Seq[T], o Options) error {
	out := csv.NewWriter(w)
	kind := reflect.TypeFor[T]()
	cells := make([]string, kind.NumField())
	for i := range cells {
		cells[i], _, _ = strings.Cut(kind.Field(i).Tag.Get("parquet"), ",")
	}
	if err := out.Write(cells); err != nil {
		return fmt.Errorf("write CSV: %w", err)
	}
	for row := range rows {
		v := reflect.ValueOf(row)
		for i := range cells {
			cells[i] = cell(v.Field(i), o)
		}
		if err := out.Write(cells); err != nil {
			return fmt.Errorf("write CSV: %w", err)
		}
	}
	out.Flush()
	if err := out.Error(); err != nil {
		return fmt.Errorf("write CSV: %w", err)
	}
	return nil
}

func cell(v reflect.Value, o Options) string {
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return ""
		}
		return cell(v.Elem(), o)
	case reflect.Float64:
		return strconv.FormatFloat(v.Float(), 'g', -1, 64)
	case reflect.Int64:
		return strconv.FormatInt(v.Int(), 10)
	}
	s := v.String()
	if o.Excel && s != "" && strings.ContainsRune("=+-@\t\r", rune(s[0])) {
		return "'" + s // OWASP, "CSV Injection"
	}
	return s
}
