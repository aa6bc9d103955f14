package workload

import (
	"errors"
	"slices"
)

// tpccName is the workload's name.
const tpccName = "tpcc"

// Cardinalities (TPC Benchmark C, Standard Specification, revision 5.11, clause
// 1.2.1): of each warehouse, of each district, and of the whole.
const (
	tpccDistricts  = 10
	tpccCustomers  = 3000
	tpccItems      = 100000
	tpccUndone     = 900 // orders of a district that are not yet delivered (4.3.3.1)
	mostWarehouses = 1<<15 - 1
)

// Kinds of transactions, in the order of clause 2.4 to 2.8. New orders that end
// with a rollback, as one in a hundred shall, are a kind of their own.
const (
	newOrderKind = iota
	rolledBackKind
	paymentKind
	orderStatusKind
	deliveryKind
	stockLevelKind
)

func tpccKinds() []string {
	return []string{NewOrders, NewOrders + RolledBack, "payment", "order_status", "delivery", "stock_level"}
}

// NewOrders is the kind of transaction that a TPC-C result counts, with RolledBack
// that of those which name an item that does not exist.
const (
	NewOrders  = "new_order"
	RolledBack = "_rolled_back"
)

// An order has 5 to 15 lines (2.4.1.3).
const (
	fewestLines = 5
	mostLines   = 15
)

// tpcc is the shape of TPC-C: its tables, its five transactions in its mix, and
// its consistency conditions. It is no TPC-C result: there are no terminals with
// keying and think times (5.2.5), and a connection takes another warehouse for
// each transaction, as sysbench-tpcc does.
func tpcc(o Options) (*Program, error) {
	d := Defaults()
	switch {
	case o.Tables != d.Tables || o.TableSize != d.TableSize:
		return nil, errors.New("the size of tpcc is --scale, the number of warehouses; leave out --tables and --table-size")
	case o.SkipTrx:
		return nil, errors.New("tpcc is made of transactions: leave out --skip-trx")
	}
	t := &tpccScript{p: &Program{Explicit: true, remembers: true, Kinds: tpccKinds()}, index: map[string]int{}, draw: tpccDraw{uint32(o.Warehouses())}}
	t.newOrders()
	t.payments()
	t.orderStatus()
	t.deliveries()
	t.stockLevels()
	t.p.Conditions = tpccConditions(o.Warehouses())
	return t.p, nil
}

// Warehouses is the number of warehouses of tpcc.
func (o Options) Warehouses() int { return max(o.Scale, 1) }

// tpccScript collects the program. Every course a transaction can take is a
// choice with a fixed list of steps: the weights are exact shares of whole
// transactions.
type tpccScript struct {
	p     *Program
	index map[string]int
	draw  tpccDraw
}

// percent is the weight of one percent of the transactions: divisible by the
// numbers of lines and by the hundred of which one is rolled back.
const percent = 1100

// add adds a course of a transaction.
func (t *tpccScript) add(kind int, weight uint32, steps ...[]Step) {
	t.p.Choices = append(t.p.Choices, Choice{Kind: kind, Weight: weight, Steps: slices.Concat(steps...)})
}

// do is one step. A statement of a name is kept once.
func (t *tpccScript) do(s Statement, before func(*Draws), then func(*Values) int) []Step {
	i, ok := t.index[s.Name]
	if !ok {
		i = len(t.p.Statements)
		t.index[s.Name] = i
		t.p.Statements = append(t.p.Statements, s)
	}
	return []Step{{Statement: i, Before: before, Then: then}}
}

func (t *tpccScript) begin(name string, draw func(*Draws)) []Step {
	s := begin
	s.Name = name + "_begin"
	return t.do(s, draw, nil)
}

func (t *tpccScript) commit(name string) []Step {
	s := commit
	s.Name = name + "_commit"
	return t.do(s, nil, nil)
}

// newOrders is clause 2.4.2.2: 45 % of all, one in a hundred of which names an
// item that does not exist in its last line and is rolled back.
func (t *tpccScript) newOrders() {
	for lines := fewestLines; lines <= mostLines; lines++ {
		const each = percent / 100 / (mostLines - fewestLines + 1)
		t.newOrder(lines, newOrderKind, 45*99*each)
		t.newOrder(lines, rolledBackKind, 45*each)
	}
}

func (t *tpccScript) newOrder(lines, kind int, weight uint32) {
	undone := kind == rolledBackKind
	steps := [][]Step{
		t.begin("new_order", func(d *Draws) { t.draw.newOrder(d, lines, undone) }),
		t.do(newOrderCustomer, nil, nil),
		t.do(newOrderDistrict, nil, nil),
		t.do(newOrderNumber, func(d *Draws) { d.Values.Whole[nextOrder] = d.Values.Whole[order] + 1 }, nil),
		t.do(newOrderOrder, nil, nil),
		t.do(newOrderQueue, nil, nil),
	}
	for line := range lines {
		next := func(d *Draws) { d.Values.line(line) }
		if undone && line == lines-1 {
			missing := func(*Values) int { return 0 } // and nothing is done about it
			steps = append(steps, t.do(newOrderItem, next, missing), t.do(newOrderRollback, nil, nil))
			break
		}
		steps = append(steps, t.do(newOrderItem, next, nil),
			t.do(newOrderStock, nil, nil),
			t.do(newOrderTakeStock, func(d *Draws) { d.Values.takeStock() }, nil),
			t.do(newOrderLine, nil, nil))
	}
	if !undone {
		steps = append(steps, t.commit("new_order"))
	}
	t.add(kind, weight, steps...)
}

// customer is how a customer is found: by number, or by last name in 60 % of the
// cases (2.5.1.2, 2.6.1.2), the one in the middle of those of that name.
func (t *tpccScript) customer(name string, byName bool) [][]Step {
	if !byName {
		return nil
	}
	count, list := customersOfName, customerOfName
	count.Name, list.Name = name+"_names", name+"_by_name"
	return [][]Step{t.do(count, nil, nil), t.do(list, func(d *Draws) {
		v := d.Values
		v.Whole[middle] = (v.Whole[namesakes] - 1) / 2 // n/2 rounded up, from 0 (2.5.2.2)
	}, nil)}
}

// byNameShare is the part of a percent that goes by name, and by number.
func byNameShare(byName bool) uint32 {
	if byName {
		return percent * 60 / 100
	}
	return percent * 40 / 100
}

// payments is clause 2.5.2.2: 43 %.
func (t *tpccScript) payments() {
	for _, byName := range []bool{true, false} {
		steps := [][]Step{
			t.begin("payment", func(d *Draws) { t.draw.payment(d, byName) }),
			t.do(paymentWarehouse, nil, nil),
			t.do(paymentWarehouseAddress, nil, nil),
			t.do(paymentDistrict, nil, nil),
			t.do(paymentDistrictAddress, nil, nil),
		}
		steps = append(steps, t.customer("payment", byName)...)
		steps = append(steps,
			t.do(paymentCustomer, nil, func(v *Values) int {
				if string(v.Text[credit]) == "BC" {
					return 0
				}
				return 2
			}),
			t.do(paymentBadCredit, nil, nil),
			t.do(paymentNote, func(d *Draws) { d.Values.note() }, func(*Values) int { return 1 }),
			t.do(paymentBalance, nil, nil),
			t.do(paymentHistory, func(d *Draws) { d.Values.historyData() }, nil),
			t.commit("payment"))
		t.add(paymentKind, 43*byNameShare(byName), steps...)
	}
}

// orderStatus is clause 2.6.2.2: 4 %.
func (t *tpccScript) orderStatus() {
	for _, byName := range []bool{true, false} {
		steps := append([][]Step{t.begin("order_status", func(d *Draws) { t.draw.orderStatus(d, byName) })}, t.customer("order_status", byName)...)
		steps = append(steps, t.do(statusCustomer, nil, nil), t.do(statusOrder, nil, nil), t.do(statusLines, nil, nil), t.commit("order_status"))
		t.add(orderStatusKind, 4*byNameShare(byName), steps...)
	}
}

// deliveries is clause 2.7.4.2: 4 %. A district in which no order waits is left
// out.
func (t *tpccScript) deliveries() {
	steps := [][]Step{t.begin("delivery", t.draw.delivery)}
	of := [][]Step{t.do(deliveryDelete, nil, nil), t.do(deliveryCustomer, nil, nil), t.do(deliveryCarrier, nil, nil),
		t.do(deliveryDate, nil, nil), t.do(deliveryAmount, nil, nil), t.do(deliveryBalance, nil, nil)}
	for i := range tpccDistricts {
		next := func(d *Draws) { d.Values.Whole[district] = int64(i + 1) }
		none := func(v *Values) int {
			if v.Found {
				return 0
			}
			return len(of)
		}
		steps = append(append(steps, t.do(deliveryOldest, next, none)), of...)
	}
	t.add(deliveryKind, 4*percent, append(steps, t.commit("delivery"))...)
}

// stockLevels is clause 2.8.2.2: 4 %.
func (t *tpccScript) stockLevels() {
	t.add(stockLevelKind, 4*percent, t.begin("stock_level", t.draw.stockLevel),
		t.do(levelDistrict, nil, nil), t.do(levelStock, func(d *Draws) {
			v := d.Values
			v.Whole[firstOrder] = v.Whole[order] - 20
		}, nil), t.commit("stock_level"))
}
