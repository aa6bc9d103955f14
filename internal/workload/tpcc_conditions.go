package workload

import "fmt"

// condition makes a Condition: found selects the places that violate it, each as
// one string named what.
func condition(name, found string) Condition {
	return Condition{name, "SELECT COUNT(*), MIN(what) FROM (" + found + ") violations"}
}

// compare says for a place, which is an SQL string, that two expressions differ.
func compare(place, left, right string) string {
	return fmt.Sprintf("CONCAT(%s, ': ', COALESCE(%s, 'none'), ' and ', COALESCE(%s, 'none')) AS what", place, left, right)
}

const (
	districtOf = "CONCAT('warehouse ', d_w_id, ', district ', d_id)"
	customerAt = "CONCAT('warehouse ', c_w_id, ', district ', c_d_id, ', customer ', c_id)"
	orderAt    = "CONCAT('warehouse ', o_w_id, ', district ', o_d_id, ', order ', o_id)"

	perDistrict = " FROM district LEFT JOIN (SELECT %s FROM %s GROUP BY w, d) x ON d_w_id = w AND d_id = d"
)

// tpccConditions are the consistency conditions of clause 3.3.2, and before them
// that nothing is missing. They hold at every moment at which no transaction is
// half done, so in every consistent snapshot.
func tpccConditions(warehouses int) []Condition {
	all := []Condition{cardinality(warehouses)}
	for i, c := range []struct{ text, sql string }{
		{"w_ytd = sum(d_ytd)",
			"SELECT " + compare("CONCAT('warehouse ', w_id)", "w_ytd", "s") +
				" FROM warehouse LEFT JOIN (SELECT d_w_id AS w, SUM(d_ytd) AS s FROM district GROUP BY d_w_id) x ON w_id = w WHERE NOT w_ytd <=> s"},
		{"d_next_o_id - 1 = max(o_id) = max(no_o_id)",
			"SELECT " + compare(districtOf, "d_next_o_id - 1", "CONCAT(COALESCE(x.m, 'none'), ' and ', COALESCE(y.m, 'none'))") +
				fmt.Sprintf(perDistrict, "o_w_id AS w, o_d_id AS d, MAX(o_id) AS m", "orders") +
				" LEFT JOIN (SELECT no_w_id AS w, no_d_id AS d, MAX(no_o_id) AS m FROM new_order GROUP BY w, d) y ON d_w_id = y.w AND d_id = y.d" +
				// Where all is delivered there is no new order to compare with.
				" WHERE NOT d_next_o_id - 1 <=> x.m OR y.m <> x.m"},
		{"max(no_o_id) - min(no_o_id) + 1 = count(new_order)",
			"SELECT " + compare("CONCAT('warehouse ', w, ', district ', d)", "span", "n") +
				" FROM (SELECT no_w_id AS w, no_d_id AS d, MAX(no_o_id) - MIN(no_o_id) + 1 AS span, COUNT(*) AS n FROM new_order GROUP BY w, d) x WHERE span <> n"},
		{"sum(o_ol_cnt) = count(order_line)",
			"SELECT " + compare(districtOf, "s", "n") + fmt.Sprintf(perDistrict, "o_w_id AS w, o_d_id AS d, SUM(o_ol_cnt) AS s", "orders") +
				" LEFT JOIN (SELECT ol_w_id AS w, ol_d_id AS d, COUNT(*) AS n FROM order_line GROUP BY w, d) y ON d_w_id = y.w AND d_id = y.d WHERE NOT s <=> n"},
		{"o_carrier_id is null if and only if the order is in new_order",
			"SELECT " + compare(orderAt, "o_carrier_id", "no_o_id") +
				" FROM orders LEFT JOIN new_order ON no_w_id = o_w_id AND no_d_id = o_d_id AND no_o_id = o_id WHERE (o_carrier_id IS NULL) <> (no_o_id IS NOT NULL)"},
		{"o_ol_cnt = count(order_line) of each order",
			"SELECT " + compare(orderAt, "o_ol_cnt", "n") + linesOf("COUNT(*) AS n") + " WHERE NOT o_ol_cnt <=> n"},
		{"ol_delivery_d is null if and only if o_carrier_id is",
			"SELECT " + compare(orderAt, "o_carrier_id", "CONCAT(n, ' lines, delivered ', dated)") + linesOf("COUNT(*) AS n, COUNT(ol_delivery_d) AS dated") +
				" WHERE dated <> IF(o_carrier_id IS NULL, 0, n)"},
		{"w_ytd = sum(h_amount)",
			"SELECT " + compare("CONCAT('warehouse ', w_id)", "w_ytd", "s") +
				" FROM warehouse LEFT JOIN (SELECT h_w_id AS w, SUM(h_amount) AS s FROM history GROUP BY h_w_id) x ON w_id = w WHERE NOT w_ytd <=> s"},
		{"d_ytd = sum(h_amount)",
			"SELECT " + compare(districtOf, "d_ytd", "s") + fmt.Sprintf(perDistrict, "h_w_id AS w, h_d_id AS d, SUM(h_amount) AS s", "history") +
				" WHERE NOT d_ytd <=> s"},
		{"c_balance = sum(ol_amount) of what was delivered - sum(h_amount)",
			"SELECT " + compare(customerAt, "c_balance", "COALESCE(s, 0) - COALESCE(p, 0)") + deliveredTo +
				" LEFT JOIN (SELECT h_c_w_id AS hw, h_c_d_id AS hd, h_c_id AS hc, SUM(h_amount) AS p FROM history GROUP BY hw, hd, hc) y" +
				" ON c_w_id = hw AND c_d_id = hd AND c_id = hc WHERE c_balance <> COALESCE(s, 0) - COALESCE(p, 0)"},
		// As the clause is written, it holds before the first delivery.
		{"count(orders) - count(new_order) = 2100 + the deliveries that customers count",
			"SELECT " + compare(districtOf, "o - COALESCE(n, 0)", "2100 + v") + fmt.Sprintf(perDistrict, "o_w_id AS w, o_d_id AS d, COUNT(*) AS o", "orders") +
				" LEFT JOIN (SELECT no_w_id AS nw, no_d_id AS nd, COUNT(*) AS n FROM new_order GROUP BY nw, nd) y ON d_w_id = nw AND d_id = nd" +
				" LEFT JOIN (SELECT c_w_id AS cw, c_d_id AS cd, SUM(c_delivery_cnt) AS v FROM customer GROUP BY cw, cd) z ON d_w_id = cw AND d_id = cd" +
				" WHERE NOT o - COALESCE(n, 0) <=> 2100 + v"},
		{"c_balance + c_ytd_payment = sum(ol_amount) of what was delivered",
			"SELECT " + compare(customerAt, "c_balance + c_ytd_payment", "COALESCE(s, 0)") + deliveredTo + " WHERE c_balance + c_ytd_payment <> COALESCE(s, 0)"},
	} {
		all = append(all, condition(fmt.Sprintf("consistency condition %d (TPC-C clause 3.3.2.%d): %s", i+1, i+1, c.text), c.sql))
	}
	return all
}

func linesOf(what string) string {
	return " FROM orders LEFT JOIN (SELECT ol_w_id AS w, ol_d_id AS d, ol_o_id AS o, " + what +
		" FROM order_line GROUP BY w, d, o) x ON w = o_w_id AND d = o_d_id AND o = o_id"
}

const deliveredTo = " FROM customer LEFT JOIN (SELECT o_w_id AS w, o_d_id AS d, o_c_id AS c, SUM(ol_amount) AS s FROM orders" +
	" JOIN order_line ON ol_w_id = o_w_id AND ol_d_id = o_d_id AND ol_o_id = o_id WHERE ol_delivery_d IS NOT NULL GROUP BY w, d, c) x" +
	" ON c_w_id = w AND c_d_id = d AND c_id = c"

// cardinality is that of the tables whose numbers of rows never change (4.3.3.1).
func cardinality(warehouses int) Condition {
	sql := ""
	for i, t := range []struct {
		table string
		rows  int
	}{{"warehouse", warehouses}, {"district", warehouses * tpccDistricts}, {"customer", warehouses * tpccDistricts * tpccCustomers},
		{"stock", warehouses * tpccItems}, {"item", tpccItems}} {
		if i > 0 {
			sql += " UNION ALL "
		}
		sql += fmt.Sprintf("SELECT CONCAT('%s: ', n, ' and %d') AS what FROM (SELECT COUNT(*) AS n FROM %s) x WHERE n <> %d", t.table, t.rows, t.table, t.rows)
	}
	return condition("the numbers of rows (TPC-C clause 4.3.3.1)", sql)
}
