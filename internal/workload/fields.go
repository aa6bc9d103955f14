package workload

import (
	"fmt"
	"strconv"
	"strings"
)

// Field is one option by its name; exactly one of the pointers is set and leads
// into the Options that Fields was asked for.
type Field struct {
	Name, Help string
	Int        *int
	Float      *float64
	Bool       *bool
	Text       *string
}

// Fields lists the options that describe data and statements, by sysbench's names.
// Threads are the engine's.
func (o *Options) Fields() []Field {
	r := &o.Rand
	return []Field{
		{Name: "tables", Int: &o.Tables, Help: "number of tables"},
		{Name: "table-size", Int: &o.TableSize, Help: "rows of each table"},
		{Name: "range-size", Int: &o.RangeSize, Help: "rows of a range select"},
		{Name: "point-selects", Int: &o.PointSelects, Help: "point selects per transaction"},
		{Name: "simple-ranges", Int: &o.SimpleRanges, Help: "range selects per transaction"},
		{Name: "sum-ranges", Int: &o.SumRanges, Help: "selects of a sum per transaction"},
		{Name: "order-ranges", Int: &o.OrderRanges, Help: "ordered range selects per transaction"},
		{Name: "distinct-ranges", Int: &o.DistinctRanges, Help: "distinct range selects per transaction"},
		{Name: "index-updates", Int: &o.IndexUpdates, Help: "updates of the indexed column per transaction"},
		{Name: "non-index-updates", Int: &o.NonIndexUpdates, Help: "updates of another column per transaction"},
		{Name: "delete-inserts", Int: &o.DeleteInserts, Help: "deletes, each with an insert, per transaction"},
		{Name: "read-percent", Int: &o.ReadPercent, Help: "reads of oltp_read_write_pct in % of the statements"},
		{Name: "random-points", Int: &o.RandomPoints, Help: "keys in select_random_points"},
		{Name: "number-of-ranges", Int: &o.NumberOfRanges, Help: "ranges in select_random_ranges"},
		{Name: "delta", Int: &o.Delta, Help: "length of its ranges"},
		{Name: "scale", Int: &o.Scale, Help: "warehouses of tpcc (0 means 1)"},
		{Name: "reconnect", Int: &o.Reconnect, Help: "transactions after which a connection is closed and replaced; 0 keeps it open"},
		{Name: "range-selects", Bool: &o.RangeSelects, Help: "use range selects"},
		{Name: "skip-trx", Bool: &o.SkipTrx, Help: "no BEGIN and COMMIT"},
		{Name: "auto-inc", Bool: &o.AutoInc, Help: "AUTO_INCREMENT primary key"},
		{Name: "secondary", Bool: &o.Secondary, Help: "a secondary index instead of the primary key"},
		{Name: "create-secondary", Bool: &o.CreateSecondary, Help: "create the secondary index"},
		{Name: "mysql-storage-engine", Text: &o.StorageEngine, Help: "storage engine"},
		{Name: "mysql-table-options", Text: &o.TableOptions, Help: "table options for CREATE TABLE"},
		{Name: "rand-type", Text: &r.Type, Help: strings.Join(DistributionTypes(), ", ")},
		{Name: "rand-spec-iter", Int: &r.Iter, Help: "uniform numbers per gaussian one"},
		{Name: "rand-spec-pct", Int: &r.Pct, Help: "percentage of rows that are special"},
		{Name: "rand-spec-res", Int: &r.Res, Help: "percentage of draws that are special"},
		{Name: "rand-pareto-h", Float: &r.ParetoH, Help: "shape of the Pareto distribution"},
		{Name: "rand-zipfian-exp", Float: &r.ZipfExp, Help: "exponent of the Zipf distribution"},
	}
}

// Set sets one option from text. Underscores are taken for hyphens, as sysbench
// does.
func (o *Options) Set(name, value string) error {
	for _, f := range o.Fields() {
		if f.Name == strings.ReplaceAll(name, "_", "-") {
			return f.set(value)
		}
	}
	return fmt.Errorf("unknown option %q of the built-in engine", name)
}

func (f Field) set(value string) (err error) {
	switch {
	case f.Int != nil:
		*f.Int, err = strconv.Atoi(value)
	case f.Float != nil:
		*f.Float, err = strconv.ParseFloat(value, 64)
	case f.Bool != nil:
		*f.Bool, err = ParseSwitch(value)
	default:
		*f.Text = value
	}
	if err != nil {
		return fmt.Errorf("option %s: %q is not what it takes", f.Name, value)
	}
	return nil
}

// ParseSwitch reads what sysbench takes for a switch, and a little more.
func ParseSwitch(s string) (bool, error) {
	switch strings.ToLower(s) {
	case "on", "true", "1", "yes", "y", "t":
		return true, nil
	case "off", "false", "0", "no", "n", "f":
		return false, nil
	}
	return false, fmt.Errorf("%q is neither on nor off", s)
}
