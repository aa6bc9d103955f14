//go:build !race

// The tables of TPC-C on real servers. Not under the race detector, which would watch millions of
// rows being made by the workers that make all tables. The Makefile runs it in "filled".
package fill_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tarebench/tare/internal/loadgen/fill"
	"github.com/tarebench/tare/internal/loadgen/wire"
	"github.com/tarebench/tare/internal/mysqld/mysqldtest"
	"github.com/tarebench/tare/internal/workload"
)

func orders(t *testing.T, scale int) *workload.Program {
	t.Helper()
	o := workload.Defaults()
	o.Scale = scale
	p, err := workload.Build("tpcc", o)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// violations spoil the data in one way each; the first is for the numbers of rows,
// the others for conditions 1 to 12.
var violations = []string{
	"DELETE FROM item WHERE i_id = 77",
	"UPDATE warehouse SET w_ytd = w_ytd + 0.01",
	"UPDATE district SET d_next_o_id = d_next_o_id + 1 WHERE d_id = 4",
	"DELETE FROM new_order WHERE no_d_id = 5 AND no_o_id = 2500",
	"DELETE FROM order_line WHERE ol_d_id = 6 AND ol_o_id = 17 AND ol_number = 1",
	"UPDATE orders SET o_carrier_id = NULL WHERE o_d_id = 7 AND o_id = 9",
	"UPDATE orders SET o_ol_cnt = o_ol_cnt + 1 WHERE o_d_id = 8 AND o_id = 9",
	"UPDATE order_line SET ol_delivery_d = NULL WHERE ol_d_id = 9 AND ol_o_id = 10 AND ol_number = 2",
	"UPDATE history SET h_amount = 11 WHERE h_id = 3",
	"UPDATE history SET h_d_id = 2 WHERE h_id = 4",
	"UPDATE customer SET c_balance = c_balance + 1 WHERE c_d_id = 3 AND c_id = 5",
	"UPDATE customer SET c_delivery_cnt = 1 WHERE c_d_id = 3 AND c_id = 6",
	"UPDATE customer SET c_ytd_payment = c_ytd_payment - 1 WHERE c_d_id = 3 AND c_id = 7",
}

// TestTPCC: the data are the same however they are made, they are consistent, and
// every condition finds what violates it.
func TestTPCC(t *testing.T) {
	onServers(t, tpcc)
}

func tpcc(t *testing.T, s *mysqldtest.Server) {
	p := orders(t, 1)
	var names []string
	for _, table := range p.Tables(7) {
		names = append(names, table.Name)
	}
	var want []string
	var dialer *wire.Dialer
	var session *wire.Session
	for _, c := range []struct {
		name    string
		workers int
		local   bool
		cut     bool
	}{{"one worker", 1, true, false}, {"by INSERT, interrupted", 3, false, true}} {
		dialer, session = fresh(t, s, "c", c.local)
		j := fill.Job{Tables: p.Tables(7), Dial: dialer.Dial, Workers: c.workers, Verify: true}
		if c.cut {
			interrupt(t, j, 250000)
		}
		if err := fill.Run(t.Context(), j); err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		got := checksums(t, session, names...)
		if want == nil {
			want = got
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
	if err := fill.Check(t.Context(), dialer.Dial, p.Conditions); err != nil {
		t.Fatal(err)
	}
	findsViolations(t, session, p)
	sparesOthers(t, s, p)
}

// findsViolations spoils the data in a transaction, checks them in it and rolls it
// back.
func findsViolations(t *testing.T, session *wire.Session, p *workload.Program) {
	t.Helper()
	for i, spoil := range violations {
		for _, sql := range []string{"BEGIN", spoil} {
			if err := session.Exec(t.Context(), sql); err != nil {
				t.Fatalf("%s: %v", sql, err)
			}
		}
		err := fill.CheckIn(t.Context(), session, p.Conditions[i:i+1])
		name := fmt.Sprintf("consistency condition %d (TPC-C clause 3.3.2.%d)", i, i)
		if i == 0 {
			name = "numbers of rows"
		}
		if !errors.Is(err, fill.ErrInconsistent) || !strings.Contains(err.Error(), name) || !strings.Contains(err.Error(), "does not hold in 1 places") && i != 9 {
			t.Errorf("%s: %v", spoil, err)
		}
		if err := session.Exec(t.Context(), "ROLLBACK"); err != nil {
			t.Fatal(err)
		}
	}
}

// sparesOthers: a table of that name which somebody else made is not dropped.
func sparesOthers(t *testing.T, s *mysqldtest.Server, p *workload.Program) {
	t.Helper()
	dialer, session := fresh(t, s, "others", true)
	if err := session.Exec(t.Context(), "CREATE TABLE customer (id INT PRIMARY KEY, name TEXT)"); err != nil {
		t.Fatal(err)
	}
	if err := fill.Drop(t.Context(), dialer.Dial, p.Tables(0)); err == nil || !strings.Contains(err.Error(), "customer") {
		t.Errorf("drop: %v", err)
	}
	if rows, err := session.Query(t.Context(), "SHOW TABLES"); err != nil || len(rows) != 1 {
		t.Errorf("tables %v, %v", rows, err)
	}
	dialer, session = fresh(t, s, "c", true)
	if err := fill.Run(t.Context(), fill.Job{Tables: p.Tables(7)[5:], Dial: dialer.Dial}); err != nil {
		t.Fatal(err)
	}
	if err := fill.Drop(t.Context(), dialer.Dial, p.Tables(0)); err != nil {
		t.Error(err)
	}
	if rows, err := session.Query(t.Context(), "SHOW TABLES"); err != nil || len(rows) != 0 {
		t.Errorf("tables %v, %v", rows, err)
	}
}
