package main

import (
	"slices"
	"testing"
	"time"

	"github.com/tarebench/tare/internal/mysqld"
	"github.com/tarebench/tare/internal/mysqld/mysqldtest"
	"github.com/tarebench/tare/internal/report/live"
)

// TestSessionsOf: sessions of clients are counted by their state; the one that asks and a statement of tare's own lease are not.
func TestSessionsOf(t *testing.T) {
	for _, d := range mysqldtest.Distributions(t) {
		t.Run(d.Flavour, func(t *testing.T) {
			server := mysqldtest.Start(t, d, nil)
			db, err := mysqld.Open(server.Address)
			if err != nil {
				t.Fatal(err)
			}
			defer db.Close()
			for _, statement := range []string{"CREATE DATABASE shop", "CREATE TABLE shop.t (i INT)", "CREATE TABLE shop." + mysqld.LeaseTable + " (i INT)"} {
				if _, err := db.Exec(statement); err != nil {
					t.Fatal(err)
				}
			}
			holder, err := db.Conn(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if _, err := holder.ExecContext(t.Context(), "LOCK TABLES shop.t WRITE, shop."+mysqld.LeaseTable+" WRITE"); err != nil {
				t.Fatal(err)
			}
			ended := make(chan error, 4)
			for _, table := range []string{"t", "t", "t", mysqld.LeaseTable} {
				go func() {
					_, err := db.Exec("INSERT INTO shop." + table + " VALUES (1)")
					ended <- err
				}()
			}
			asks, err := mysqld.Open(server.Address)
			if err != nil {
				t.Fatal(err)
			}
			defer asks.Close()
			asks.SetMaxOpenConns(1)
			want := live.State{State: "Waiting for table metadata lock", Sessions: 3}
			for {
				all, unknown := sessionsOf(t.Context(), asks)
				if unknown != "" {
					t.Fatal(unknown)
				}
				waiting := 0
				for _, s := range all {
					waiting += s.Sessions
				}
				if slices.Contains(all, want) && waiting == 4 { // and the idle holder of the locks
					break
				}
				select {
				case err := <-ended:
					t.Fatalf("an insert did not wait: %v", err)
				case <-t.Context().Done():
					t.Fatalf("%v", all)
				case <-time.After(10 * time.Millisecond):
				}
			}
			if _, err := holder.ExecContext(t.Context(), "UNLOCK TABLES"); err != nil {
				t.Fatal(err)
			}
			for range cap(ended) {
				if err := <-ended; err != nil {
					t.Error(err)
				}
			}
			if err := holder.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}
