package benchlog

import (
	"io"
	"strings"

	"github.com/tarebench/tare/internal/loadgen"
)

func isSysbench(head string) bool {
	return strings.Contains(head, "sysbench ") || strings.Contains(head, "SQL statistics:") || strings.Contains(head, "OLTP test statistics:") ||
		strings.Contains(head, "] thds: ") || strings.Contains(head, "] threads: ")
}

// readSysbench counts events where the test sends no statements: they are whatever a script does.
func readSysbench(name string, in io.Reader) (Result, error) {
	log, err := loadgen.Import(name, in)
	if err != nil {
		return Result{}, err
	}
	r := Result{Unit: Transactions, Threads: log.Threads, Lines: log.Lines}
	if !log.SQL {
		r.Unit = Events
	}
	return r, nil
}
