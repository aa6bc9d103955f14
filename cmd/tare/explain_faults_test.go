package main

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"fmt"
	"os"
	"sync"
	"testing"

	"github.com/tarebench/tare/internal/mysqld"
	"github.com/tarebench/tare/internal/mysqld/mysqldtest"
)

// liveReport is what of `explain --live --format json` these tests read.
type liveReport struct {
	Budget []struct {
		Name         string
		Milliseconds *float64 `json:"ms"`
	}
	Causes []struct{ Rule, State, Evidence string }
}

// namesCauses puts two faults with an enormous effect into the server of TestLintLive while
// other connections load it: a row that all of them change, and a quota of a twentieth of a CPU.
// `make live-faults` has the others.
func namesCauses(t *testing.T, server *mysqldtest.Server, quota func(int64)) {
	t.Helper()
	setUp, err := mysqld.Open(server.Address)
	if err != nil {
		t.Fatal(err)
	}
	defer setUp.Close()
	for _, q := range []string{"CREATE DATABASE faults", "CREATE TABLE faults.t (id INT PRIMARY KEY, n INT)", "INSERT INTO faults.t VALUES (1, 0)"} {
		if _, err := setUp.Exec(q); err != nil {
			t.Fatal(err)
		}
	}
	stop := loadedBy(t, server, 4, func(db *sql.DB) error {
		tx, err := db.Begin()
		if err != nil {
			return err
		}
		for _, q := range []string{"UPDATE faults.t SET n = n + 1 WHERE id = 1", "DO SLEEP(0.05)"} {
			if _, err := tx.Exec(q); err != nil {
				return err
			}
		}
		return tx.Commit()
	})
	// A reading that takes longer than its limit is none, and waits for the row need two.
	mysqldtest.Attempts(t, 3, func() error { return waitsForTheRow(explained(t, server)) })
	stop()
	quota(5_000)
	stop = loadedBy(t, server, 2, func(db *sql.DB) error {
		_, err := db.Exec("DO BENCHMARK(50000, SHA2('a', 256))")
		return err
	})
	mysqldtest.Attempts(t, 3, func() error {
		for _, c := range explained(t, server).Causes {
			if c.Rule == "C-CPU-01" && c.State != "present" {
				return fmt.Errorf("a quota of a twentieth of a CPU and two busy connections: %+v", c)
			}
		}
		return nil
	})
	quota(50_000)
	stop()
}

// waitsForTheRow: three of four connections wait for the row at any time.
func waitsForTheRow(r liveReport) error {
	spent := map[string]float64{}
	for _, p := range r.Budget {
		if p.Milliseconds != nil {
			spent[p.Name] = *p.Milliseconds
		}
	}
	if whole, locks := spent["a transaction"], spent["row locks"]; !(locks > 0.3*whole) || whole == 0 {
		return fmt.Errorf("row locks are %.1f ms of a transaction of %.1f ms: %v", locks, whole, r.Budget)
	}
	return nil
}

// loadedBy runs a transaction over and over on so many connections, until the returned
// function is called. Each has had one when it returns.
func loadedBy(t *testing.T, server *mysqldtest.Server, connections int, transaction func(*sql.DB) error) (stop func()) {
	t.Helper()
	db, err := mysqld.Open(server.Address)
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(connections)
	end := make(chan struct{})
	var began, all sync.WaitGroup
	for range connections {
		began.Add(1)
		all.Go(func() {
			first := sync.OnceFunc(began.Done)
			defer first()
			for {
				if err := transaction(db); err != nil {
					t.Error(err)
					return
				}
				first()
				select {
				case <-end:
					return
				default:
				}
			}
		})
	}
	began.Wait()
	return func() { close(end); all.Wait(); db.Close() }
}

// explained watches the server for three seconds.
func explained(t *testing.T, server *mysqldtest.Server) (r liveReport) {
	t.Helper()
	var out, conversation bytes.Buffer
	code := run([]string{"explain", "--live", server.Address.Socket, "--user", server.Address.User, "--for", "3s", "--json"}, &terminal{in: os.Stdin, out: &out, err: &conversation})
	if code != exitDone && code != exitGate {
		t.Fatalf("exit code %d\n%s%s", code, out.String(), conversation.String())
	}
	if err := json.Unmarshal(out.Bytes(), &r); err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	return r
}
