package network

import (
	"context"
	"fmt"
	"io"
	"net"
	"time"
)

// How many requests and responses are exchanged, and for how long at most.
const (
	exchanges      = 1000
	exchangeWithin = 300 * time.Millisecond
)

// Exchange is how many requests of one member to another are answered in a second, one at a
// time over one connection, with these numbers of bytes: what netperf's TCP_RR measures.
// Members are numbered from 1. It opens a port at the other member for as long as it takes.
func (n *Network) Exchange(ctx context.Context, from, to, request, response int) (perSecond float64, err error) {
	var l net.Listener
	err = Inside(n.MemberNamespace(to), func() (err error) {
		l, err = net.Listen("tcp4", net.JoinHostPort(n.members[to-1], "0"))
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("exchange requests: %w", err)
	}
	defer l.Close()
	answered := make(chan struct{})
	go func() {
		defer close(answered)
		answerAll(l, request, response)
	}()
	var c net.Conn
	err = Inside(n.MemberNamespace(from), func() (err error) {
		c, err = (&net.Dialer{Timeout: patience}).DialContext(ctx, "tcp4", l.Addr().String())
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("exchange requests: %w", err) // closing the listener ends the wait in Accept
	}
	stop := context.AfterFunc(ctx, func() { c.Close() })
	perSecond, err = requestAll(c, request, response)
	stop()
	c.Close()
	<-answered // it ends with the connection
	if err != nil {
		return 0, fmt.Errorf("exchange requests: %w", err)
	}
	return perSecond, nil
}

// answerAll gives one connection its responses until it ends.
func answerAll(l net.Listener, request, response int) {
	c, err := l.Accept()
	if err != nil {
		return
	}
	defer c.Close()
	in, out := make([]byte, request), make([]byte, response)
	for {
		if _, err := io.ReadFull(c, in); err != nil {
			return
		}
		if _, err := c.Write(out); err != nil {
			return
		}
	}
}

// requestAll sends requests, each after the response to the one before, the first of them uncounted.
func requestAll(c net.Conn, request, response int) (perSecond float64, err error) {
	out, in := make([]byte, request), make([]byte, response)
	var began time.Time
	n := -1
	for n < 0 || n < exchanges && time.Since(began) < exchangeWithin {
		if _, err := c.Write(out); err != nil {
			return 0, err
		}
		if _, err := io.ReadFull(c, in); err != nil {
			return 0, err
		}
		if n++; n == 0 {
			began = time.Now()
		}
	}
	return float64(n) / time.Since(began).Seconds(), nil
}
