package workload

import "fmt"

// The statements of sysbench's oltp_*.lua, with its names.
var (
	pointSelects    = Statement{Name: "point_selects", SQL: "SELECT c FROM sbtest%d WHERE id=?", PerTable: true, Params: []Param{{Source: DrawID}}}
	indexUpdates    = Statement{Name: "index_updates", SQL: "UPDATE sbtest%d SET k=k+1 WHERE id=?", PerTable: true, Class: Write, Params: []Param{{Source: DrawID}}}
	nonIndexUpdates = Statement{Name: "non_index_updates", SQL: "UPDATE sbtest%d SET c=? WHERE id=?", PerTable: true, Class: Write, Params: []Param{{Source: RandomC}, {Source: DrawID}}}
	deletes         = Statement{Name: "deletes", SQL: "DELETE FROM sbtest%d WHERE id=?", PerTable: true, Class: Write, Params: []Param{{Source: DrawID}}}
	inserts         = Statement{Name: "inserts", SQL: "INSERT INTO sbtest%d (id, k, c, pad) VALUES (?, ?, ?, ?)", PerTable: true, Class: Write,
		Params: []Param{{Source: LastID}, {Source: DrawKey}, {Source: RandomC}, {Source: RandomPad}}}
	// BEGIN is not supported in the prepared statement protocol (error 1295);
	// sysbench falls back to text for it, and only for it.
	begin  = Statement{Name: "begin", SQL: "BEGIN", Class: Other, Text: true}
	commit = Statement{Name: "commit", SQL: "COMMIT", Class: Other}
)

func ranges(name, sql string, size int) Statement {
	return Statement{Name: name, SQL: sql, PerTable: true,
		Params: []Param{{Source: DrawID}, {Source: LastID, Plus: int32(size - 1)}}}
}

// group is some executions of statements on one table, drawn once: sysbench's
// execute_... functions draw the table before their loop.
type group struct {
	times      int
	statements []Statement
}

func reads(o Options) []group {
	groups := []group{{o.PointSelects, []Statement{pointSelects}}}
	if !o.RangeSelects {
		return groups
	}
	return append(groups,
		group{o.SimpleRanges, []Statement{ranges("simple_ranges", "SELECT c FROM sbtest%d WHERE id BETWEEN ? AND ?", o.RangeSize)}},
		group{o.SumRanges, []Statement{ranges("sum_ranges", "SELECT SUM(k) FROM sbtest%d WHERE id BETWEEN ? AND ?", o.RangeSize)}},
		group{o.OrderRanges, []Statement{ranges("order_ranges", "SELECT c FROM sbtest%d WHERE id BETWEEN ? AND ? ORDER BY c", o.RangeSize)}},
		group{o.DistinctRanges, []Statement{ranges("distinct_ranges", "SELECT DISTINCT c FROM sbtest%d WHERE id BETWEEN ? AND ? ORDER BY c", o.RangeSize)}})
}

func writes(o Options) []group {
	return []group{
		{o.IndexUpdates, []Statement{indexUpdates}},
		{o.NonIndexUpdates, []Statement{nonIndexUpdates}},
		{o.DeleteInserts, []Statement{deletes, inserts}},
	}
}

// transaction lays the groups out as the steps of one kind of transaction.
func transaction(explicit bool, groups ...group) *Program {
	p := &Program{Explicit: explicit}
	var steps []Step
	add := func(s Statement, newTable bool) {
		p.Statements = append(p.Statements, s)
		steps = append(steps, Step{Statement: len(p.Statements) - 1, NewTable: newTable})
	}
	if explicit {
		add(begin, false)
	}
	for _, g := range groups {
		first := len(p.Statements)
		for i, s := range g.statements {
			if g.times > 0 {
				add(s, i == 0)
			}
		}
		for range g.times - 1 {
			for i := range g.statements {
				steps = append(steps, Step{Statement: first + i})
			}
		}
	}
	if explicit && len(steps) > 1 {
		add(commit, false)
	}
	p.Choices = []Choice{{Weight: 1, Steps: steps}}
	return p
}

func oltpReadOnly(o Options) (*Program, error) {
	return transaction(!o.SkipTrx, reads(o)...), nil
}

func oltpReadWrite(o Options) (*Program, error) {
	return transaction(!o.SkipTrx, append(reads(o), writes(o)...)...), nil
}

// oltpReadWritePct: read-percent of the statements read a row by its primary key, the
// others change one, half of them an indexed column; each is a transaction of its own.
// KubeBlocks' study of operators has the name and the option, and ran it with
// --skip-trx; its script is in no release of sysbench.
func oltpReadWritePct(o Options) (*Program, error) {
	if o.ReadPercent < 0 || o.ReadPercent > 100 {
		return nil, fmt.Errorf("--read-percent is %d: must be 0 to 100", o.ReadPercent)
	}
	p := &Program{Statements: []Statement{pointSelects, indexUpdates, nonIndexUpdates}, Explicit: !o.SkipTrx}
	if p.Explicit {
		p.Statements = append(p.Statements, begin, commit)
	}
	reads, writes := uint32(o.ReadPercent), uint32(100-o.ReadPercent)
	for i, weight := range []uint32{2 * reads, writes, writes} {
		if weight == 0 {
			continue
		}
		steps := []Step{{Statement: i, NewTable: true}}
		if p.Explicit {
			steps = []Step{{Statement: 3}, steps[0], {Statement: 4}}
		}
		p.Choices = append(p.Choices, Choice{Weight: weight, Steps: steps})
	}
	return p, nil
}

func oltpWriteOnly(o Options) (*Program, error) {
	return transaction(!o.SkipTrx, writes(o)...), nil
}

func oltpPointSelect(Options) (*Program, error) {
	return transaction(false, group{1, []Statement{pointSelects}}), nil
}

func oltpUpdateIndex(o Options) (*Program, error) {
	return transaction(false, group{o.IndexUpdates, []Statement{indexUpdates}}), nil
}

func oltpUpdateNonIndex(o Options) (*Program, error) {
	return transaction(false, group{o.NonIndexUpdates, []Statement{nonIndexUpdates}}), nil
}

func oltpDelete(Options) (*Program, error) {
	return transaction(false, group{1, []Statement{deletes}}), nil
}

// oltpInsert: sysbench formats this statement itself, so it goes as text; id 0
// asks for the next AUTO_INCREMENT value.
func oltpInsert(o Options) (*Program, error) {
	s := inserts
	s.Text = true
	id := Param{Source: Constant}
	if !o.AutoInc {
		id = Param{Source: Unique}
	}
	s.Params = []Param{id, {Source: DrawKey}, {Source: RandomC}, {Source: RandomPad}}
	return transaction(false, group{1, []Statement{s}}), nil
}

// mixOf makes mix_R_W: single statements without transactions, R reads by primary
// key to W changes of one row in the long run, drawn independently. The writes
// are half updates of an indexed column, half of one without.
func mixOf(name string) *Program {
	var r, w uint32
	if n, err := fmt.Sscanf(name, "mix_%d_%d", &r, &w); n != 2 || err != nil || name != fmt.Sprintf("mix_%d_%d", r, w) {
		return nil
	}
	if r+w == 0 || r > 10000 || w > 10000 {
		return nil
	}
	return &Program{
		Statements: []Statement{pointSelects, indexUpdates, nonIndexUpdates},
		Choices: []Choice{
			{Weight: 2 * r, Steps: []Step{{Statement: 0, NewTable: true}}},
			{Weight: w, Steps: []Step{{Statement: 1, NewTable: true}}},
			{Weight: w, Steps: []Step{{Statement: 2, NewTable: true}}},
		},
	}
}
