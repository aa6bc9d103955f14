package network

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/procfs"
	"golang.org/x/sys/unix"
)

// Stream says what to send from one namespace to another.
type Stream struct {
	UDP         bool          // datagrams of UDPPayload bytes, as fast as the sender can; else TCP
	Connections int           // at the same time
	For         time.Duration // of sending
}

// UDPPayload is small enough for every network path that tare builds.
const UDPPayload = 1200

// Streamed is what arrived.
type Streamed struct {
	BytesPerSecond float64 // received, of payload
	Lost           float64 // share of the datagrams that were sent; 0 for TCP
	Retransmitted  uint64  // TCP segments that were sent again
	PathMTU        int     // as the sender's kernel knows it; 0 for UDP
	SoftirqNS      float64 // of the whole machine, for each byte received; 0 where nothing was
}

// Stream sends from one namespace to an address in another, as iperf3 does, with sockets
// that are closed afterwards.
func (n *Network) Stream(ctx context.Context, from, to, address string, s Stream) (Streamed, error) {
	before, err := softirqNS()
	if err != nil {
		return Streamed{}, fmt.Errorf("measure transfer: %w", err)
	}
	send := connections
	if s.UDP {
		send = datagrams
	}
	out, err := send(ctx, from, to, address, s)
	if err != nil {
		return Streamed{}, fmt.Errorf("measure transfer: %w", err)
	}
	after, err := softirqNS()
	if err != nil {
		return Streamed{}, fmt.Errorf("measure transfer: %w", err)
	}
	if out.BytesPerSecond > 0 {
		out.SoftirqNS = (after - before) / (out.BytesPerSecond * s.For.Seconds())
	}
	return out, nil
}

// connections sends over TCP. What counts is what the receiver has read by the end.
func connections(ctx context.Context, from, to, address string, s Stream) (out Streamed, err error) {
	var l net.Listener
	if err = Inside(to, func() (err error) {
		l, err = net.Listen("tcp4", net.JoinHostPort(address, "0"))
		return err
	}); err != nil {
		return out, err
	}
	var received atomic.Int64
	var readers sync.WaitGroup
	accepted := make(chan net.Conn, s.Connections)
	go acceptAll(l, accepted, &received, &readers)
	conns := make([]*net.TCPConn, 0, s.Connections)
	defer func() {
		for _, c := range conns {
			_ = c.SetLinger(0) // the kernel would send what is left for minutes where the network loses it
			_ = c.Close()
		}
		l.Close()
		for c := range accepted { // the sender's end may never arrive
			_ = c.Close()
		}
		readers.Wait() // they end with the connections
	}()
	for range s.Connections {
		var c net.Conn
		if err = Inside(from, func() (err error) {
			c, err = (&net.Dialer{Timeout: patience}).DialContext(ctx, "tcp4", l.Addr().String())
			return err
		}); err != nil {
			return out, err
		}
		conns = append(conns, c.(*net.TCPConn))
	}
	began := time.Now()
	if err = writeAll(ctx, conns, began.Add(s.For)); err != nil {
		return out, err
	}
	out.BytesPerSecond = float64(received.Load()) / time.Since(began).Seconds()
	for _, c := range conns {
		info, err := tcpInfo(c)
		if err != nil {
			return out, err
		}
		out.Retransmitted, out.PathMTU = out.Retransmitted+uint64(info.Total_retrans), int(info.Pmtu)
	}
	return out, nil
}

// acceptAll accepts connections until there are as many as the capacity of accepted, or the
// listener is closed, and counts what arrives until they are closed.
func acceptAll(l net.Listener, accepted chan<- net.Conn, received *atomic.Int64, readers *sync.WaitGroup) {
	defer close(accepted)
	for range cap(accepted) {
		c, err := l.Accept()
		if err != nil {
			return
		}
		accepted <- c
		readers.Go(func() {
			buf := make([]byte, 256<<10)
			for {
				n, err := c.Read(buf)
				received.Add(int64(n))
				if err != nil {
					return
				}
			}
		})
	}
}

// writeAll sends over all connections until the end.
func writeAll(ctx context.Context, conns []*net.TCPConn, end time.Time) error {
	errs := make([]error, len(conns))
	var all sync.WaitGroup
	for i, c := range conns {
		if err := c.SetWriteDeadline(end); err != nil {
			return err
		}
		all.Go(func() {
			buf := make([]byte, 256<<10)
			for errs[i] == nil && ctx.Err() == nil {
				_, errs[i] = c.Write(buf)
			}
			if errors.Is(errs[i], os.ErrDeadlineExceeded) {
				errs[i] = nil
			}
		})
	}
	all.Wait()
	return errors.Join(append(errs, ctx.Err())...)
}

func tcpInfo(c *net.TCPConn) (info *unix.TCPInfo, err error) {
	raw, err := c.SyscallConn()
	if err != nil {
		return nil, err
	}
	var inner error
	err = raw.Control(func(fd uintptr) { info, inner = unix.GetsockoptTCPInfo(int(fd), unix.IPPROTO_TCP, unix.TCP_INFO) })
	return info, errors.Join(err, inner)
}

// datagrams sends over one UDP socket.
func datagrams(ctx context.Context, from, to, address string, s Stream) (out Streamed, err error) {
	var in, c net.Conn
	var l *net.UDPConn
	if err = Inside(to, func() (err error) {
		l, err = net.ListenUDP("udp4", &net.UDPAddr{IP: net.ParseIP(address)})
		return err
	}); err != nil {
		return out, err
	}
	in = l
	defer in.Close()
	if err = Inside(from, func() (err error) {
		c, err = (&net.Dialer{Timeout: patience}).DialContext(ctx, "udp4", l.LocalAddr().String())
		return err
	}); err != nil {
		return out, err
	}
	defer c.Close()
	var received atomic.Int64
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = io.CopyBuffer(counting{&received}, struct{ io.Reader }{l}, make([]byte, 64<<10))
	}()
	began := time.Now()
	sent := 0
	for payload := make([]byte, UDPPayload); time.Since(began) < s.For && ctx.Err() == nil; {
		if _, err := c.Write(payload); err == nil { // a full queue refuses one: it is not sent
			sent++
		}
	}
	arrived := received.Load()
	out.BytesPerSecond = float64(arrived) / time.Since(began).Seconds()
	if err := l.SetReadDeadline(time.Now().Add(udpTail)); err != nil {
		return out, err
	}
	<-done
	if sent == 0 {
		return out, errors.Join(errors.New("no datagram could be sent"), ctx.Err())
	}
	out.Lost = 1 - float64(received.Load()/UDPPayload)/float64(sent)
	return out, ctx.Err()
}

// udpTail is how long datagrams may be under way after the last one was sent: the queue of
// a link, its delay and what a busy machine adds.
const udpTail = 100 * time.Millisecond

type counting struct{ to *atomic.Int64 }

func (c counting) Write(p []byte) (int, error) {
	c.to.Add(int64(len(p)))
	return len(p), nil
}

// softirqNS is the CPU time of the machine in softirqs, in ns.
func softirqNS() (float64, error) {
	fs, err := procfs.NewDefaultFS()
	if err != nil {
		return 0, fmt.Errorf("read CPU times: %w", err)
	}
	stat, err := fs.Stat()
	if err != nil {
		return 0, fmt.Errorf("read CPU times: %w", err)
	}
	return stat.CPUTotal.SoftIRQ * 1e9, nil
}
