package benchlog

import (
	"encoding/json"
	"fmt"
	"strings"
)

// This file writes what go-tpc prints with --output json and table as the lines of --output plain.

// isGoTPCTable says that a file has the heading of such a table. The writer of tables prints names in
// capitals.
func isGoTPCTable(head string) bool {
	return strings.Contains(head, "OPERATION") && strings.Contains(head, "TAKES(S)") || strings.Contains(head, `"Operation":`) && strings.Contains(head, `"Takes(s)":`)
}

// goTPCPlain has a plain line for each row of a table and each object of JSON. Other lines stay.
func goTPCPlain(text string) string {
	if !isGoTPCTable(text) {
		return text
	}
	var b strings.Builder
	var columns []string
	for line := range strings.Lines(text) {
		rows, isJSON := goTPCObjects(line)
		cells := goTPCCells(line)
		switch {
		case isJSON:
			for _, row := range rows {
				b.WriteString(goTPCLine(row))
			}
		case len(cells) == 0:
			b.WriteString(line)
		case strings.EqualFold(cells[0], "Prefix"), strings.EqualFold(cells[0], "tpmC"):
			columns = cells
		case len(cells) == len(columns):
			row := map[string]string{}
			for i, c := range columns {
				row[strings.ToLower(c)] = cells[i]
			}
			b.WriteString(goTPCLine(row))
		}
	}
	return b.String()
}

// goTPCObjects are the rows of a line of JSON, by their names in lower case.
func goTPCObjects(line string) (rows []map[string]string, ok bool) {
	at := strings.Index(line, `[{"`)
	if at < 0 {
		return nil, false
	}
	var objects []map[string]string
	if json.Unmarshal([]byte(strings.TrimSpace(line[at:])), &objects) != nil {
		return nil, false
	}
	for _, o := range objects {
		row := map[string]string{}
		for name, v := range o {
			row[strings.ToLower(name)] = strings.TrimSpace(v)
		}
		rows = append(rows, row)
	}
	return rows, true
}

// goTPCCells are the cells of a table's row.
func goTPCCells(line string) []string {
	_, row, ok := strings.Cut(strings.TrimRight(line, " \r\n"), "|")
	if !ok || !strings.HasSuffix(row, "|") {
		return nil
	}
	cells := strings.Split(strings.TrimSuffix(row, "|"), "|")
	for i, c := range cells {
		cells[i] = strings.TrimSpace(c)
	}
	return cells
}

// goTPCLine is a row as --output plain prints it.
func goTPCLine(row map[string]string) string {
	switch {
	case row["tpmc"] != "":
		return fmt.Sprintf("tpmC: %s, tpmTotal: %s, efficiency: %s\n", row["tpmc"], row["tpmtotal"], row["efficiency"])
	case row["takes(s)"] != "":
		return fmt.Sprintf("%s %s - Takes(s): %s, Count: %s, TPM: %s, Sum(ms): %s, Avg(ms): %s, Max(ms): %s\n",
			row["prefix"], row["operation"], row["takes(s)"], row["count"], row["tpm"], row["sum(ms)"], row["avg(ms)"], row["max(ms)"])
	case row["count"] != "":
		return fmt.Sprintf("%s %s - Count: %s\n", row["prefix"], row["operation"], row["count"])
	}
	return fmt.Sprintf("%s %s - %s\n", row["prefix"], row["operation"], row["avg(s)"])
}
