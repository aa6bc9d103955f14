package export

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"flag"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"

	"github.com/tarebench/tare/internal/record"
	"github.com/tarebench/tare/internal/report"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// runs are the recorded runs of the report's tests: every verdict, an attribution,
// arms that starve, a run that is not finished, and one that was imported.
func runs() []string {
	return []string{"demo", "imported", "layers", "levels", "starved", "unfinished", "verdicts"}
}

func open(t *testing.T, name string) *report.Document {
	t.Helper()
	run, err := record.Open(filepath.Join("..", "report", "testdata", "runs", name))
	if err != nil {
		t.Fatal(err)
	}
	doc, err := report.Build(run, "test")
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

func format(t *testing.T, name string) Format {
	t.Helper()
	for _, f := range Formats() {
		if f.Name == name {
			return f
		}
	}
	t.Fatalf("no format %s", name)
	return Format{}
}

func file(t *testing.T, name string, doc *report.Document, o Options) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := format(t, name).File(&b, doc, o); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// stored is a document as it was written once. What the formats look like must not
// change with the arithmetic that leads to a document.
func stored(t *testing.T, name string) *report.Document {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", name+".result.json"))
	if err != nil {
		t.Fatal(err)
	}
	var doc report.Document
	if err := json.Unmarshal(b, &doc); err != nil {
		t.Fatal(err)
	}
	return &doc
}

// TestGolden fixes names and forms, which other people's programs rely on.
func TestGolden(t *testing.T) {
	for _, name := range []string{"layers", "verdicts"} {
		doc := stored(t, name)
		for _, f := range Formats() {
			if f.File != nil {
				golden(t, name+"."+f.Name, file(t, f.Name, doc, Options{}))
			}
		}
		for _, table := range Tables()[:3] {
			var b bytes.Buffer
			if err := csvTable(&b, doc, table, Options{}); err != nil {
				t.Fatal(err)
			}
			golden(t, name+"."+table.Name+".csv", b.Bytes())
		}
	}
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s (-want +got):\n%s", name, diff)
	}
}

// TestEffectsAgree: the cost and its bounds are those of the document, sign
// turned, in CSV, Parquet and Prometheus; what is unknown is empty in all.
func TestEffectsAgree(t *testing.T) {
	for _, name := range runs() {
		doc := open(t, name)
		dir := t.TempDir()
		for _, f := range []string{"csv", "parquet"} {
			if err := Directory(dir, format(t, f), doc, Options{}); err != nil {
				t.Fatal(err)
			}
		}
		fromParquet, err := parquet.ReadFile[effect](filepath.Join(dir, "effects.parquet"))
		if err != nil {
			t.Fatal(err)
		}
		fromCSV := readCSV(t, filepath.Join(dir, "effects.csv"))
		samples := string(file(t, "prometheus", doc, Options{}))
		if len(fromParquet) != len(doc.Contrasts) || len(fromCSV) != len(doc.Contrasts) {
			t.Fatalf("%s: %d and %d rows for %d contrasts", name, len(fromParquet), len(fromCSV), len(doc.Contrasts))
		}
		for i, c := range doc.Contrasts {
			lo, hi := math.NaN(), math.NaN()
			if c.Interval != nil {
				lo, hi = -float64(c.Interval[1]), -float64(c.Interval[0])
			}
			for column, want := range map[string]float64{"cost_percent": -float64(c.EffectPercent), "lo95_percent": lo, "hi95_percent": hi} {
				if got := fromCSV[i][column]; !same(got, want) {
					t.Errorf("%s, %s: %s is %q, want %v", name, c.Arm, column, got, want)
				}
			}
			row := fromParquet[i]
			for got, want := range map[*float64]float64{row.Cost: -float64(c.EffectPercent), row.Lo95: lo, row.Hi95: hi} {
				if (got == nil) != math.IsNaN(want) || got != nil && *got != want {
					t.Errorf("%s, %s: Parquet has %v, want %v", name, c.Arm, got, want)
				}
			}
			labels := `tare_cost_ratio{arm="` + c.Arm + `",baseline="` + c.Baseline + `"`
			if strings.Contains(samples, labels) != (c.EffectPercent.Known()) {
				t.Errorf("%s, %s: a sample where nothing is known, or none where something is", name, c.Arm)
			}
		}
	}
}

// same holds a CSV cell against a value; an unknown one is empty.
func same(cell string, want float64) bool {
	if math.IsNaN(want) {
		return cell == ""
	}
	got, err := strconv.ParseFloat(cell, 64)
	return err == nil && got == want
}

func readCSV(t *testing.T, path string) []map[string]string {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	all, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var rows []map[string]string
	for _, line := range all[1:] {
		row := map[string]string{}
		for i, name := range all[0] {
			row[name] = line[i]
		}
		rows = append(rows, row)
	}
	return rows
}

// A sealed run gives away no effect in any format.
func TestSealedShowsNoEffect(t *testing.T) {
	doc := open(t, "unfinished")
	for row := range effects(doc) {
		if row.Cost != nil || row.Lo95 != nil || row.Verdict != "sealed" {
			t.Errorf("%+v", row)
		}
	}
	for _, name := range []string{"prometheus", "junit"} {
		out := string(file(t, name, doc, Options{}))
		if strings.Contains(out, "tare_cost_ratio") || strings.Contains(out, "tare_throughput") || strings.Contains(out, "<failure") {
			t.Errorf("%s: %s", name, out)
		}
	}
	if rows := slices.Collect(latency(doc)); len(rows) > 0 {
		t.Errorf("%d rows of latency", len(rows))
	}
	if rows := slices.Collect(seconds(doc)); len(rows) > 0 {
		t.Errorf("%d rows of seconds", len(rows))
	}
	for row := range trials(doc) {
		if row.Throughput != nil {
			t.Errorf("trial %d has its throughput", row.Trial)
		}
	}
}

// More rows than are written at once arrive in their order.
func TestParquetInBatches(t *testing.T) {
	doc := open(t, "demo")
	first := doc.Trials[0]
	for range 3 * rowBatch {
		first.Seconds, first.TPS = append(first.Seconds, report.Number(len(first.TPS))), append(first.TPS, report.Unknown())
		first.Latency, first.Warmup = append(first.Latency, 1), append(first.Warmup, false)
	}
	doc.Trials = []report.Trial{first}
	var b bytes.Buffer
	if err := writeParquet(&b, doc, seconds(doc)); err != nil {
		t.Fatal(err)
	}
	rows, err := parquet.Read[second](bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(slices.Collect(seconds(doc)), rows); diff != "" {
		t.Error(diff)
	}
}

// A spreadsheet is handed no formula, when that is asked for.
func TestExcel(t *testing.T) {
	doc := open(t, "demo")
	doc.Run.Name = "=HYPERLINK(1)"
	for excel, want := range map[bool]string{true: "'=HYPERLINK(1)", false: "=HYPERLINK(1)"} {
		var b bytes.Buffer
		if err := csvTable(&b, doc, Tables()[0], Options{Excel: excel}); err != nil {
			t.Fatal(err)
		}
		rows, err := csv.NewReader(&b).ReadAll()
		if err != nil || rows[1][0] != want {
			t.Errorf("%v: %q, %v", excel, rows[1][0], err)
		}
	}
}

// TestUnitOfProgram: figures of an imported run have the unit of their program, and are not called transactions per
// second.
func TestUnitOfProgram(t *testing.T) {
	for unit, want := range map[string]struct{ bench, metric, transactions string }{
		"":               {"tx/s", "tare_throughput_transactions_per_second", "45010"},
		report.Unit:      {"tx/s", "tare_throughput_transactions_per_second", "45010"},
		"new orders/min": {"new-orders/min", "tare_throughput_new_orders_per_minute", ""},
		"requests/s":     {"requests/s", "tare_throughput_requests_per_second", ""},
		"Größe x":        {"Größe-x", "tare_throughput_gr__e_x", ""},
	} {
		doc := &report.Document{Run: report.RunInfo{Name: "imported", Imported: true, Unit: unit}, Arms: []report.Arm{{Name: "bare", Threads: 8, ThroughputMean: 45010}}}
		doc.Trials = []report.Trial{{
			Trial: 1, Arm: "bare", Threads: 8, Throughput: 45010,
			Seconds: []report.Number{1}, TPS: []report.Number{45010}, Latency: []report.Number{report.Unknown()}, Warmup: []bool{false},
		}}
		if got := string(file(t, "benchfmt", doc, Options{})); !strings.Contains(got, "45010 "+want.bench+"\n") || !strings.Contains(got, "Unit "+want.bench+" better=higher") {
			t.Errorf("%q: benchfmt\n%s", unit, got)
		}
		if got := string(file(t, "prometheus", doc, Options{})); !strings.Contains(got, "\n"+want.metric+"{") {
			t.Errorf("%q: prometheus\n%s", unit, got)
		}
		for _, table := range Tables() {
			if table.Name != "trials" && table.Name != "seconds" {
				continue
			}
			var b bytes.Buffer
			if err := table.csv(&b, doc, Options{}); err != nil {
				t.Fatal(err)
			}
			rows, err := csv.NewReader(&b).ReadAll()
			if err != nil || len(rows) != 2 {
				t.Fatalf("%s: %v, %v", table.Name, rows, err)
			}
			for column, cell := range map[string]string{"transactions_per_s": want.transactions, "throughput": "45010", "throughput_unit": doc.ThroughputUnit()} {
				if i := slices.Index(rows[0], column); i < 0 || rows[1][i] != cell {
					t.Errorf("%q: column %s of %s is not %q: %v", unit, column, table.Name, cell, rows)
				}
			}
		}
	}
}
