package workload

import "slices"

// Places of the whole numbers and texts that a transaction remembers.
const (
	warehouse = iota
	district
	customerWarehouse
	customerDistrict
	customer
	order     // o_id, as the district gave it
	nextOrder // the number after it
	lineCount
	allLocal
	number // of the line
	item
	supplier
	quantity
	price  // cents
	amount // cents
	inStock
	remote
	carrier
	threshold
	firstOrder
	namesakes
	middle
)

const (
	lastName = iota
	credit
	data         // c_data, and h_data
	distribution // s_dist_xx, and d_name
	warehouseName
)

func number32(places ...int) (all []Param) {
	for _, p := range places {
		all = append(all, Param{Whole, int32(p)})
	}
	return all
}

func money(place int) Param { return Param{Money, int32(place)} }
func text(place int) Param  { return Param{Text, int32(place)} }

// The statements, transaction by transaction, in the order of the clauses' steps.
var (
	newOrderCustomer = Statement{Name: "new_order_customer",
		SQL:    "SELECT c_discount, c_last, c_credit, w_tax FROM customer, warehouse WHERE w_id=? AND c_w_id=w_id AND c_d_id=? AND c_id=?",
		Params: number32(warehouse, district, customer)}
	newOrderDistrict = Statement{Name: "new_order_district",
		SQL:    "SELECT d_next_o_id, d_tax FROM district WHERE d_w_id=? AND d_id=? FOR UPDATE",
		Params: number32(warehouse, district), Take: []Take{{Whole, order}}}
	newOrderNumber = Statement{Name: "new_order_number", Class: Write,
		SQL:    "UPDATE district SET d_next_o_id=? WHERE d_w_id=? AND d_id=?",
		Params: number32(nextOrder, warehouse, district)}
	newOrderOrder = Statement{Name: "new_order_order", Class: Write,
		SQL:    "INSERT INTO orders (o_id, o_d_id, o_w_id, o_c_id, o_entry_d, o_ol_cnt, o_all_local) VALUES (?, ?, ?, ?, NOW(), ?, ?)",
		Params: number32(order, district, warehouse, customer, lineCount, allLocal)}
	newOrderQueue = Statement{Name: "new_order_queue", Class: Write,
		SQL:    "INSERT INTO new_order (no_o_id, no_d_id, no_w_id) VALUES (?, ?, ?)",
		Params: number32(order, district, warehouse)}
	newOrderItem = Statement{Name: "new_order_item",
		SQL:    "SELECT i_price, i_name, i_data FROM item WHERE i_id=?",
		Params: number32(item), Take: []Take{{Money, price}}}
	// The column of the district that orders: a statement for each.
	newOrderStock = Statement{Name: "new_order_stock", PerTable: true, Versions: tpccDistricts,
		SQL:    "SELECT s_quantity, s_dist_%02d, s_data FROM stock WHERE s_i_id=? AND s_w_id=? FOR UPDATE",
		Params: number32(item, supplier), Take: []Take{{Whole, inStock}, {Text, distribution}}}
	newOrderTakeStock = Statement{Name: "new_order_take_stock", Class: Write,
		SQL:    "UPDATE stock SET s_quantity=?, s_ytd=s_ytd+?, s_order_cnt=s_order_cnt+1, s_remote_cnt=s_remote_cnt+? WHERE s_i_id=? AND s_w_id=?",
		Params: number32(inStock, quantity, remote, item, supplier)}
	newOrderLine = Statement{Name: "new_order_line", Class: Write,
		SQL:    "INSERT INTO order_line (ol_o_id, ol_d_id, ol_w_id, ol_number, ol_i_id, ol_supply_w_id, ol_quantity, ol_amount, ol_dist_info) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
		Params: slices.Concat(number32(order, district, warehouse, number, item, supplier, quantity), []Param{money(amount), text(distribution)})}
	newOrderRollback = Statement{Name: "new_order_rollback", SQL: "ROLLBACK", Class: Other, Text: true}

	paymentWarehouse = Statement{Name: "payment_warehouse", Class: Write,
		SQL: "UPDATE warehouse SET w_ytd=w_ytd+? WHERE w_id=?", Params: slices.Concat([]Param{money(amount)}, number32(warehouse))}
	paymentWarehouseAddress = Statement{Name: "payment_warehouse_address",
		SQL:    "SELECT w_name, w_street_1, w_street_2, w_city, w_state, w_zip FROM warehouse WHERE w_id=?",
		Params: number32(warehouse), Take: []Take{{Text, warehouseName}}}
	paymentDistrict = Statement{Name: "payment_district", Class: Write,
		SQL: "UPDATE district SET d_ytd=d_ytd+? WHERE d_w_id=? AND d_id=?", Params: slices.Concat([]Param{money(amount)}, number32(warehouse, district))}
	paymentDistrictAddress = Statement{Name: "payment_district_address",
		SQL:    "SELECT d_name, d_street_1, d_street_2, d_city, d_state, d_zip FROM district WHERE d_w_id=? AND d_id=?",
		Params: number32(warehouse, district), Take: []Take{{Text, distribution}}}
	customersOfName = Statement{
		SQL:    "SELECT COUNT(c_id) FROM customer WHERE c_w_id=? AND c_d_id=? AND c_last=?",
		Params: slices.Concat(number32(customerWarehouse, customerDistrict), []Param{text(lastName)}), Take: []Take{{Whole, namesakes}}}
	customerOfName = Statement{Row: middle,
		SQL:    "SELECT c_id FROM customer WHERE c_w_id=? AND c_d_id=? AND c_last=? ORDER BY c_first",
		Params: slices.Concat(number32(customerWarehouse, customerDistrict), []Param{text(lastName)}), Take: []Take{{Whole, customer}}}
	paymentCustomer = Statement{Name: "payment_customer",
		SQL: "SELECT c_credit, c_first, c_middle, c_last, c_street_1, c_street_2, c_city, c_state, c_zip, c_phone, c_credit_lim, c_discount, c_balance, c_since" +
			" FROM customer WHERE c_w_id=? AND c_d_id=? AND c_id=? FOR UPDATE",
		Params: number32(customerWarehouse, customerDistrict, customer), Take: []Take{{Text, credit}}}
	// FOR UPDATE, though the row is locked: a plain read would be of the snapshot,
	// which may be older than the lock.
	paymentBadCredit = Statement{Name: "payment_bad_credit",
		SQL:    "SELECT c_data FROM customer WHERE c_w_id=? AND c_d_id=? AND c_id=? FOR UPDATE",
		Params: number32(customerWarehouse, customerDistrict, customer), Take: []Take{{Text, data}}}
	paymentNote = Statement{Name: "payment_note", Class: Write,
		SQL:    "UPDATE customer SET c_balance=c_balance-?, c_ytd_payment=c_ytd_payment+?, c_payment_cnt=c_payment_cnt+1, c_data=? WHERE c_w_id=? AND c_d_id=? AND c_id=?",
		Params: slices.Concat([]Param{money(amount), money(amount), text(data)}, number32(customerWarehouse, customerDistrict, customer))}
	paymentBalance = Statement{Name: "payment_balance", Class: Write,
		SQL:    "UPDATE customer SET c_balance=c_balance-?, c_ytd_payment=c_ytd_payment+?, c_payment_cnt=c_payment_cnt+1 WHERE c_w_id=? AND c_d_id=? AND c_id=?",
		Params: slices.Concat([]Param{money(amount), money(amount)}, number32(customerWarehouse, customerDistrict, customer))}
	paymentHistory = Statement{Name: "payment_history", Class: Write,
		SQL:    "INSERT INTO history (h_c_d_id, h_c_w_id, h_c_id, h_d_id, h_w_id, h_date, h_amount, h_data) VALUES (?, ?, ?, ?, ?, NOW(), ?, ?)",
		Params: slices.Concat(number32(customerDistrict, customerWarehouse, customer, district, warehouse), []Param{money(amount), text(data)})}

	statusCustomer = Statement{Name: "order_status_customer",
		SQL:    "SELECT c_balance, c_first, c_middle, c_last FROM customer WHERE c_w_id=? AND c_d_id=? AND c_id=?",
		Params: number32(customerWarehouse, customerDistrict, customer)}
	statusOrder = Statement{Name: "order_status_order",
		SQL:    "SELECT o_id, o_carrier_id, o_entry_d FROM orders WHERE o_w_id=? AND o_d_id=? AND o_c_id=? ORDER BY o_id DESC LIMIT 1",
		Params: number32(customerWarehouse, customerDistrict, customer), Take: []Take{{Whole, order}}}
	statusLines = Statement{Name: "order_status_lines",
		SQL:    "SELECT ol_i_id, ol_supply_w_id, ol_quantity, ol_amount, ol_delivery_d FROM order_line WHERE ol_w_id=? AND ol_d_id=? AND ol_o_id=?",
		Params: number32(customerWarehouse, customerDistrict, order)}

	deliveryOldest = Statement{Name: "delivery_oldest",
		SQL:    "SELECT no_o_id FROM new_order WHERE no_w_id=? AND no_d_id=? ORDER BY no_o_id LIMIT 1 FOR UPDATE",
		Params: number32(warehouse, district), Take: []Take{{Whole, order}}}
	deliveryDelete = Statement{Name: "delivery_delete", Class: Write,
		SQL: "DELETE FROM new_order WHERE no_w_id=? AND no_d_id=? AND no_o_id=?", Params: number32(warehouse, district, order)}
	deliveryCustomer = Statement{Name: "delivery_customer",
		SQL:    "SELECT o_c_id FROM orders WHERE o_w_id=? AND o_d_id=? AND o_id=?",
		Params: number32(warehouse, district, order), Take: []Take{{Whole, customer}}}
	deliveryCarrier = Statement{Name: "delivery_carrier", Class: Write,
		SQL: "UPDATE orders SET o_carrier_id=? WHERE o_w_id=? AND o_d_id=? AND o_id=?", Params: number32(carrier, warehouse, district, order)}
	deliveryDate = Statement{Name: "delivery_date", Class: Write,
		SQL: "UPDATE order_line SET ol_delivery_d=NOW() WHERE ol_w_id=? AND ol_d_id=? AND ol_o_id=?", Params: number32(warehouse, district, order)}
	deliveryAmount = Statement{Name: "delivery_amount",
		SQL:    "SELECT SUM(ol_amount) FROM order_line WHERE ol_w_id=? AND ol_d_id=? AND ol_o_id=?",
		Params: number32(warehouse, district, order), Take: []Take{{Money, amount}}}
	deliveryBalance = Statement{Name: "delivery_balance", Class: Write,
		SQL:    "UPDATE customer SET c_balance=c_balance+?, c_delivery_cnt=c_delivery_cnt+1 WHERE c_w_id=? AND c_d_id=? AND c_id=?",
		Params: slices.Concat([]Param{money(amount)}, number32(warehouse, district, customer))}

	levelDistrict = Statement{Name: "stock_level_district",
		SQL: "SELECT d_next_o_id FROM district WHERE d_w_id=? AND d_id=?", Params: number32(warehouse, district), Take: []Take{{Whole, order}}}
	levelStock = Statement{Name: "stock_level_stock",
		SQL: "SELECT COUNT(DISTINCT s_i_id) FROM order_line, stock WHERE ol_w_id=? AND ol_d_id=? AND ol_o_id>=? AND ol_o_id<?" +
			" AND s_w_id=? AND s_i_id=ol_i_id AND s_quantity<?",
		Params: number32(warehouse, district, firstOrder, order, warehouse, threshold)}
)
