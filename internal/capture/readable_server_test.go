package capture_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/tarebench/tare/internal/capture"
	"github.com/tarebench/tare/internal/mysqld"
	"github.com/tarebench/tare/internal/mysqld/mysqldtest"
)

// TestUnreadableSchema: an account without SELECT on the schema sees no columns, with which the file would have 1 and
// NULL in the place of all values. That is said before the span, with the grant; with the grant it captures.
func TestUnreadableSchema(t *testing.T) {
	for _, flavour := range []string{mysqld.MySQL, mysqld.MariaDB} {
		t.Run(flavour, func(t *testing.T) {
			s := mysqldtest.Start(t, mysqldtest.Flavour(t, flavour), map[string]string{"performance_schema": "ON"})
			admin := open(t, s.Address)
			execute(t, admin, "CREATE DATABASE app", "CREATE TABLE app.t (id INT PRIMARY KEY)", "CREATE USER monitor@'localhost' IDENTIFIED BY 'x1'",
				"GRANT PROCESS ON *.* TO monitor@'localhost'", "GRANT SELECT ON performance_schema.* TO monitor@'localhost'")
			a := s.Address
			a.User, a.Password = "monitor", "x1"
			for schema, want := range map[string]string{
				"app": "cannot read the columns of app: GRANT SELECT ON `app`.* TO `monitor`@`localhost`",
				"":    "cannot read the columns of any schema: GRANT SELECT ON the schema of the statements TO `monitor`@`localhost`",
			} {
				monitor := open(t, a)
				monitor.SetMaxOpenConns(1)
				_, err := capture.Watch(t.Context(), capture.Server{DB: monitor, Schema: schema}, time.Hour) // it does not wait
				if !errors.Is(err, capture.ErrUnreadable) || !strings.Contains(err.Error(), want) {
					t.Errorf("schema %q: %v, want %s", schema, err, want)
				}
			}
			_, err := capture.Describe(t.Context(), &capture.Seen{Schema: "app", Statements: []capture.Statement{{Text: "SELECT `id` FROM `t` WHERE `id` = ?"}}},
				capture.Dictionary{DB: open(t, a)}, capture.Options{Name: "app"})
			if !errors.Is(err, capture.ErrUnreadable) {
				t.Errorf("a log beside a server: %v", err)
			}
			execute(t, admin, "GRANT SELECT ON app.* TO monitor@'localhost'")
			if err := capture.Readable(t.Context(), open(t, a), "app"); err != nil {
				t.Error(err)
			}
		})
	}
}
