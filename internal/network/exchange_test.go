package network

import (
	"errors"
	"io"
	"net"
	"os"
	"testing"
	"time"
)

// TestExchangeIsTCPRR holds the exchange against what netperf calls TCP_RR (Care and Feeding of
// Netperf, "TCP_RR"): one connection, one transaction outstanding, requests of the size that was
// asked for, and a transaction that counts when the whole response is there.
func TestExchangeIsTCPRR(t *testing.T) {
	const request, response = 300, 4000
	const quiet = 20 * time.Millisecond // for which nothing more may come: what comes later is not seen
	client, server := net.Pipe()
	answered := make(chan int, 1)
	go func() {
		defer server.Close()
		n, in, out := 0, make([]byte, request), make([]byte, response)
		silent := func(when string) {
			_ = server.SetReadDeadline(time.Now().Add(quiet)) // a pipe has deadlines
			if k, err := server.Read(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) {
				t.Errorf("%d bytes come %s (error %v)", k, when, err)
			}
			_ = server.SetReadDeadline(time.Time{})
		}
		for ; ; n++ {
			if _, err := io.ReadFull(server, in); err != nil {
				break
			}
			silent("after a request, before its response")
			if _, err := server.Write(out[:response-1]); err != nil {
				break
			}
			silent("before the last byte of a response")
			if _, err := server.Write(out[response-1:]); err != nil {
				break
			}
		}
		answered <- n
	}()
	rate, err := requestAll(client, request, response)
	client.Close()
	n := <-answered
	if err != nil {
		t.Fatal(err)
	}
	// The first is not counted; each of the others took the two waits at least.
	if limit := 1 / (2 * quiet).Seconds(); rate <= 0 || rate > limit || n < 2 {
		t.Errorf("%v transactions a second of %d, at most %v are possible", rate, n, limit)
	}
}
