package workload

import (
	"fmt"
	"strings"
)

// The tables (clause 1.3), with the types and secondary indexes of sysbench-tpcc,
// where those can hold what the clauses want and long runs lead to. Unlike there,
// there are no foreign keys, which the clauses do not ask for; and history has a
// primary key, which they do not ask for either, but group replication and Galera
// clusters do.
const (
	addressColumns = " %[1]s_street_1 VARCHAR(20), %[1]s_street_2 VARCHAR(20), %[1]s_city VARCHAR(20), %[1]s_state CHAR(2), %[1]s_zip CHAR(9),"

	warehouseColumns = "w_id SMALLINT NOT NULL, w_name VARCHAR(10)," + addressColumns +
		" w_tax DECIMAL(4,4), w_ytd DECIMAL(12,2), PRIMARY KEY (w_id)"
	districtColumns = "d_id TINYINT NOT NULL, d_w_id SMALLINT NOT NULL, d_name VARCHAR(10)," + addressColumns +
		" d_tax DECIMAL(4,4), d_ytd DECIMAL(12,2), d_next_o_id INT, PRIMARY KEY (d_w_id, d_id)"
	customerColumns = "c_id INT NOT NULL, c_d_id TINYINT NOT NULL, c_w_id SMALLINT NOT NULL, c_first VARCHAR(16), c_middle CHAR(2), c_last VARCHAR(16)," +
		addressColumns + " c_phone CHAR(16), c_since DATETIME, c_credit CHAR(2), c_credit_lim DECIMAL(12,2), c_discount DECIMAL(4,4)," +
		" c_balance DECIMAL(12,2), c_ytd_payment DECIMAL(12,2), c_payment_cnt INT, c_delivery_cnt INT, c_data VARCHAR(500), PRIMARY KEY (c_w_id, c_d_id, c_id)"
	historyColumns = "h_id BIGINT NOT NULL AUTO_INCREMENT, h_c_id INT, h_c_d_id TINYINT, h_c_w_id SMALLINT, h_d_id TINYINT, h_w_id SMALLINT," +
		" h_date DATETIME, h_amount DECIMAL(6,2), h_data VARCHAR(24), PRIMARY KEY (h_id)"
	ordersColumns = "o_id INT NOT NULL, o_d_id TINYINT NOT NULL, o_w_id SMALLINT NOT NULL, o_c_id INT, o_entry_d DATETIME, o_carrier_id TINYINT," +
		" o_ol_cnt TINYINT, o_all_local TINYINT, PRIMARY KEY (o_w_id, o_d_id, o_id)"
	newOrderColumns  = "no_o_id INT NOT NULL, no_d_id TINYINT NOT NULL, no_w_id SMALLINT NOT NULL, PRIMARY KEY (no_w_id, no_d_id, no_o_id)"
	orderLineColumns = "ol_o_id INT NOT NULL, ol_d_id TINYINT NOT NULL, ol_w_id SMALLINT NOT NULL, ol_number TINYINT NOT NULL, ol_i_id INT," +
		" ol_supply_w_id SMALLINT, ol_delivery_d DATETIME, ol_quantity TINYINT, ol_amount DECIMAL(6,2), ol_dist_info CHAR(24)," +
		" PRIMARY KEY (ol_w_id, ol_d_id, ol_o_id, ol_number)"
	itemColumns  = "i_id INT NOT NULL, i_im_id INT, i_name VARCHAR(24), i_price DECIMAL(5,2), i_data VARCHAR(50), PRIMARY KEY (i_id)"
	stockColumns = "s_i_id INT NOT NULL, s_w_id SMALLINT NOT NULL, s_quantity SMALLINT," +
		" s_dist_01 CHAR(24), s_dist_02 CHAR(24), s_dist_03 CHAR(24), s_dist_04 CHAR(24), s_dist_05 CHAR(24)," +
		" s_dist_06 CHAR(24), s_dist_07 CHAR(24), s_dist_08 CHAR(24), s_dist_09 CHAR(24), s_dist_10 CHAR(24)," +
		" s_ytd DECIMAL(8,0), s_order_cnt INT, s_remote_cnt INT, s_data VARCHAR(50), PRIMARY KEY (s_w_id, s_i_id)"
)

// tpccTables are the tables with the rows of a seed (4.3.3.1), the largest first.
func (o Options) tpccTables(seed uint64) []Table {
	w := int64(o.Warehouses())
	customers := w * tpccDistricts * tpccCustomers
	m := &tpccRows{seed: seed}
	tables := []Table{
		{Name: "order_line", Create: orderLineColumns, Units: customers, UnitRows: (fewestLines + mostLines) / 2, Make: m.orderLine,
			Key: func(u int64) string {
				p := placeOf(u)
				return fmt.Sprintf("ol_w_id=%d AND ol_d_id=%d AND ol_o_id=%d AND ol_number=1", p.warehouse, p.district, p.number)
			}},
		{Name: "stock", Create: stockColumns, Units: w * tpccItems, Make: m.stock, Key: func(u int64) string {
			return fmt.Sprintf("s_w_id=%d AND s_i_id=%d", (u-1)/tpccItems+1, (u-1)%tpccItems+1)
		}},
		{Name: "customer", Create: customerColumns, Units: customers, Make: m.customer, Key: placeKey(placeOf, "c_w_id", "c_d_id", "c_id"),
			Indexes: []string{"CREATE INDEX idx_customer ON customer (c_w_id, c_d_id, c_last, c_first)"}},
		{Name: "orders", Create: ordersColumns, Units: customers, Make: m.order, Key: placeKey(placeOf, "o_w_id", "o_d_id", "o_id"),
			Indexes: []string{"CREATE INDEX idx_orders ON orders (o_w_id, o_d_id, o_c_id, o_id)"}},
		{Name: "history", Create: historyColumns, Units: customers, Make: m.history, Key: func(u int64) string { return fmt.Sprintf("h_id=%d", u) }},
		{Name: "item", Create: itemColumns, Units: tpccItems, Make: m.item, Key: func(u int64) string { return fmt.Sprintf("i_id=%d", u) }},
		{Name: "new_order", Create: newOrderColumns, Units: w * tpccDistricts * tpccUndone, Make: m.newOrder, Key: placeKey(undoneOf, "no_w_id", "no_d_id", "no_o_id")},
		{Name: "district", Create: districtColumns, Units: w * tpccDistricts, Make: m.district, Key: func(u int64) string {
			return fmt.Sprintf("d_w_id=%d AND d_id=%d", (u-1)/tpccDistricts+1, (u-1)%tpccDistricts+1)
		}},
		{Name: "warehouse", Create: warehouseColumns, Units: w, Make: m.warehouse, Key: func(u int64) string { return fmt.Sprintf("w_id=%d", u) }},
	}
	for i := range tables {
		t := &tables[i]
		t.UnitRows = max(t.UnitRows, 1)
		t.Create = strings.ReplaceAll(t.Create, "%[1]s", t.Name[:1])
		t.Columns = columnNames(t.Create)
		t.Create = strings.TrimSpace(fmt.Sprintf("CREATE TABLE %s (%s) /*! ENGINE = %s */ %s", t.Name, t.Create, o.StorageEngine, o.TableOptions))
	}
	return tables
}

// columnNames are the names of the columns of a definition.
func columnNames(definition string) (names []string) {
	for _, c := range strings.Split(definition, ", ") {
		name, _, _ := strings.Cut(strings.TrimSpace(c), " ")
		if name == "PRIMARY" {
			return names
		}
		names = append(names, name)
	}
	return names
}

func placeKey(of func(int64) place, warehouse, district, number string) func(int64) string {
	return func(u int64) string {
		p := of(u)
		return fmt.Sprintf("%s=%d AND %s=%d AND %s=%d", warehouse, p.warehouse, district, p.district, number, p.number)
	}
}
