package loadgen

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/tarebench/tare/internal/loadgen/wire"
	"github.com/tarebench/tare/internal/mysqld/mysqldtest"
	"github.com/tarebench/tare/internal/record"
)

// builtInExchanges: after a load the path has the sizes of its statements, and the rate at
// which statements of these sizes are answered.
func builtInExchanges(t *testing.T, s *testServer) {
	j, e := builtInJob(s), BuiltIn("")
	if err := e.Prepare(t.Context(), j, testLog{t}); err != nil {
		t.Fatal(err)
	}
	mysqldtest.Attempts(t, 5, func() error { return exchangesOnce(t, e, j) })
}

// exchangesOnce returns an error where a machine that stood still let the window, or the time of a
// property of the path, pass.
func exchangesOnce(t *testing.T, e Engine, j Job) error {
	t.Helper()
	p := NewPath(j)
	p.Facts(t.Context(), "start")
	if err := starved(t)(e.Run(t.Context(), j, keep(&record.Trial{}))); err != nil {
		return err
	}
	facts := p.Facts(t.Context(), "end")
	if err := unanswered(t, facts); err != nil {
		return err
	}
	got := map[string]float64{}
	for _, f := range facts {
		got[f.Key], _ = strconv.ParseFloat(f.Value, 64)
	}
	if r := got["client.request_bytes"]; r < 10 || r > 200 {
		t.Errorf("a statement of oltp_read_write has %v bytes", r)
	}
	if r := got["client.response_bytes"]; r < 10 || r > 3000 {
		t.Errorf("a response of oltp_read_write has %v bytes", r)
	}
	for _, key := range []string{"client.request_response_per_s", "client.upload_bytes_per_s", "client.streams_bytes_per_s", "client.streams_upload_bytes_per_s"} {
		if got[key] <= 0 {
			t.Errorf("%s is %v", key, got[key])
		}
	}
	if _, tcp := got["client.path_mtu"]; tcp != (j.Server.Socket == "") || tcp && (got["client.path_mtu"] < 1280 || got["client.segment_bytes"] < 1000) {
		t.Errorf("path MTU %v, segments %v over socket %q", got["client.path_mtu"], got["client.segment_bytes"], j.Server.Socket)
	}
	return exchangesHaveTheirSizes(t, p)
}

// unanswered returns an error where a property had no answer in time, for which a busy machine is
// enough. Others that wait for the same are unknown with it.
func unanswered(t *testing.T, facts []record.Fact) error {
	t.Helper()
	for _, f := range facts {
		if f.Unknown == "" {
			continue
		}
		for _, late := range []string{"no answer within", os.ErrDeadlineExceeded.Error(), context.DeadlineExceeded.Error()} {
			if strings.Contains(f.Unknown, late) {
				return fmt.Errorf("%s is unknown: %s", f.Key, f.Unknown)
			}
		}
		t.Errorf("%s is unknown: %s", f.Key, f.Unknown)
	}
	return nil
}

// exchangesHaveTheirSizes compares what is asked for with what the server counts. It returns an
// error where the counters could not be read, which has a time limit.
func exchangesHaveTheirSizes(t *testing.T, p *Path) error {
	t.Helper()
	const n = 200
	want := exchangeSizes{request: 300, response: 2000}
	before, err := p.traffic(t.Context())
	if err != nil {
		return err
	}
	_, err = onSession(t.Context(), p.job, func(s *wire.Session) (float64, error) {
		for range n {
			if err := s.Exec(t.Context(), exchange(want)); err != nil {
				return 0, err
			}
		}
		return 0, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	after, err := p.traffic(t.Context())
	if err != nil {
		return err
	}
	request, response := (after.received-before.received)/n, (after.sent-before.sent)/n
	if request < 290 || request > 320 || response < 1960 || response > 2060 {
		t.Errorf("exchanges of %+v have %v and %v bytes", want, request, response)
	}
	return nil
}

// TestExchangeOfNothing: a response can be smaller than any that there is.
func TestExchangeOfNothing(t *testing.T) {
	if got := exchange(exchangeSizes{}); got != "SELECT REPEAT('x',1) AS x" {
		t.Error(got)
	}
	if got := exchange(exchangeSizes{request: 40, response: 100}); len(got) != 35 {
		t.Errorf("%q has %d bytes and the packet's header and command 5", got, len(got))
	}
}
