package process_test

import (
	"testing"

	"github.com/tarebench/tare/internal/mysqld/mysqldtest"
	"github.com/tarebench/tare/internal/target"
	"github.com/tarebench/tare/internal/target/process"
	"github.com/tarebench/tare/internal/target/targettest"
)

func noSettings(any) error { return nil }

func TestProcess(t *testing.T) {
	t.Parallel()
	for _, d := range mysqldtest.Distributions(t) {
		t.Run(d.Flavour, func(t *testing.T) {
			targettest.Run(t, func(t *testing.T) (target.Target, func() target.Request) {
				p, err := process.New(noSettings, process.Env{Distribution: d})
				if err != nil {
					t.Fatal(err)
				}
				return p, targettest.Requests(t, d)
			})
		})
	}
}
