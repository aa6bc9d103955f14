package capture

// This file says which column a parameter is compared with or written to.

// findTables notes the tables of the statement, and the names it gives them.
func (e *expander) findTables() {
	for i := 0; i < len(e.in); i++ {
		if !e.in[i].is("FROM", "JOIN", "UPDATE", "INTO", "TABLE") || i > 0 && e.in[i].is("UPDATE") && e.in[i-1].is("KEY", "FOR") {
			continue
		}
		into := e.in[i].is("INTO")
		for j := i + 1; ; {
			for j < len(e.in) && e.in[j].is("LOW_PRIORITY", "IGNORE", "(") {
				j++
			}
			table, next := e.tableAt(j)
			if table == "" {
				break
			}
			if into {
				e.into = table
			}
			if next >= len(e.in) || !e.in[next].is(",") {
				break
			}
			j = next + 1
		}
	}
	if verb := e.out.verb; e.into == "" && (verb == "INSERT" || verb == "REPLACE") { // INTO can be left out
		for i, l := range e.in {
			if l.part == name {
				e.into, _ = e.tableAt(i)
				break
			}
		}
	}
}

// tableAt reads [schema.]table [AS] [alias] and returns the place behind it.
func (e *expander) tableAt(i int) (table string, next int) {
	at := func(i int) lexeme {
		if i < len(e.in) {
			return e.in[i]
		}
		return lexeme{part: symbol}
	}
	if at(i).part != name {
		return "", i
	}
	table = at(i).text
	if i++; at(i).is(".") && at(i+1).part == name {
		table = at(i + 1).text
		i += 2
	}
	e.aliases[table] = table
	e.out.tables = append(e.out.tables, table)
	if at(i).is("AS") {
		i++
	}
	if at(i).part == name {
		e.aliases[at(i).text] = table
		i++
	}
	return table, i
}

// columnBefore is the column whose name ends before place i.
func (e *expander) columnBefore(i int) (table, column string) {
	if i < 1 || e.in[i-1].part != name {
		return "", ""
	}
	column = e.in[i-1].text
	if i >= 3 && e.in[i-2].is(".") && e.in[i-3].part == name {
		return e.aliases[e.in[i-3].text], column
	}
	return e.tableOf(column), column
}

// columnAfter is the column whose name begins at place i.
func (e *expander) columnAfter(i int) (table, column string) {
	if i >= len(e.in) || e.in[i].part != name {
		return "", ""
	}
	if i+2 < len(e.in) && e.in[i+1].is(".") && e.in[i+2].part == name {
		return e.aliases[e.in[i].text], e.in[i+2].text
	}
	return e.tableOf(e.in[i].text), e.in[i].text
}

// tableOf is the only table of the statement that has a column.
func (e *expander) tableOf(column string) (found string) {
	if len(e.out.tables) == 1 {
		return e.out.tables[0]
	}
	for _, table := range e.out.tables {
		for _, c := range e.n.columns(table) {
			if c == column {
				if found != "" && found != table {
					return ""
				}
				found = table
			}
		}
	}
	return found
}

// slotHere says what the parameter at this place does.
func (e *expander) slotHere() slot {
	before := e.peek(-1)
	with := func(r role, i int) slot {
		table, column := e.columnBefore(i)
		return slot{role: r, table: table, column: column}
	}
	switch {
	case before.is("LIMIT"):
		return slot{role: limit}
	case before.is("OFFSET"):
		return slot{role: offset}
	case before.is("="):
		if e.assigning() {
			return with(assigned, e.at-1)
		}
		return with(equal, e.at-1)
	case before.is("<=>", "<>", "!="):
		return with(equal, e.at-1)
	case before.is(">", ">="):
		return with(low, e.at-1)
	case before.is("<", "<="):
		return with(high, e.at-1)
	case before.is("LIKE"):
		if e.peek(-2).is("NOT") {
			return with(pattern, e.at-2)
		}
		return with(pattern, e.at-1)
	case before.is("BETWEEN"):
		if e.peek(-2).is("NOT") {
			return with(low, e.at-2)
		}
		return with(low, e.at-1)
	case before.is("AND") && e.peek(-2).part == param && e.peek(-3).is("BETWEEN"):
		return with(high, e.at-3)
	case before.is("+", "-") && e.peek(-2).part == name:
		return with(added, e.at-1)
	case before.is("(") && e.peek(-2).is("IN"):
		return with(equal, e.at-2)
	}
	if e.peek(1).is("=", "<=>") {
		table, column := e.columnAfter(e.at + 2)
		return slot{role: equal, table: table, column: column}
	}
	return slot{}
}

// assigning says that an equals sign at this place belongs to SET or ON DUPLICATE KEY
// UPDATE, and not to a condition.
func (e *expander) assigning() bool {
	depth := 0
	for i := e.at - 1; i >= 0; i-- {
		switch l := e.in[i]; {
		case l.is(")"):
			depth++
		case l.is("("):
			depth--
		case depth == 0 && l.is("SET"):
			return true
		case depth == 0 && l.is("UPDATE"):
			return i > 0 && e.in[i-1].is("KEY")
		case depth <= 0 && l.is("WHERE", "ON", "HAVING", "SELECT"):
			return false
		}
	}
	return false
}
