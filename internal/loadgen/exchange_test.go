package loadgen

import (
	"strconv"
	"testing"

	"github.com/tarebench/tare/internal/loadgen/wire"
	"github.com/tarebench/tare/internal/record"
)

// builtInExchanges: after a load the path has the sizes of its statements, and the rate at
// which statements of these sizes are answered.
func builtInExchanges(t *testing.T, s *testServer) {
	j, e := builtInJob(s), BuiltIn("")
	if err := e.Prepare(t.Context(), j, testLog{t}); err != nil {
		t.Fatal(err)
	}
	p := NewPath(j)
	p.Facts(t.Context(), "start")
	var seen record.Trial
	if outcome, reason, err := e.Run(t.Context(), j, keep(&seen)); outcome != record.Measured || err != nil {
		t.Fatal(outcome, reason, err)
	}
	got := map[string]float64{}
	for _, f := range p.Facts(t.Context(), "end") {
		if f.Unknown != "" {
			t.Errorf("%s is unknown: %s", f.Key, f.Unknown)
		}
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
	exchangesHaveTheirSizes(t, p)
}

// exchangesHaveTheirSizes compares what is asked for with what the server counts.
func exchangesHaveTheirSizes(t *testing.T, p *Path) {
	t.Helper()
	const n = 200
	want := exchangeSizes{request: 300, response: 2000}
	before, err := p.traffic(t.Context())
	if err != nil {
		t.Fatal(err)
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
		t.Fatal(err)
	}
	request, response := (after.received-before.received)/n, (after.sent-before.sent)/n
	if request < 290 || request > 320 || response < 1960 || response > 2060 {
		t.Errorf("exchanges of %+v have %v and %v bytes", want, request, response)
	}
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
