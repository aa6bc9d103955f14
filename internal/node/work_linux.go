package node

// What a neighbour does to the machine besides burning CPU: to its memory, its
// disk and its network.

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"golang.org/x/sys/unix"
)

// threads is how many may run at one time, one that hears the end included.
func (w Work) threads() int {
	return int((w.CPU+999)/1000) + w.Bandwidth + w.Disk + 2*w.Network + 1
}

// begin starts all threads; they end with ctx. One that cannot go on says so to
// fail.
func (w Work) begin(ctx context.Context, f *Follower, fail func(error)) error {
	runtime.GOMAXPROCS(w.threads())
	burn(ctx, f, w.CPU)
	for _, kind := range []struct {
		n     int
		start func(context.Context, *Follower, int, func(error)) error
	}{{w.Bandwidth, stream}, {w.Disk, w.write}, {w.Network, talk}} {
		for i := range kind.n {
			if err := kind.start(ctx, f, i, fail); err != nil {
				return err
			}
		}
	}
	return nil
}

// stream copies memory to and fro: what it takes from the server is bandwidth and
// cache, beside the CPU it runs on.
func stream(ctx context.Context, f *Follower, _ int, _ func(error)) error {
	area, err := hold(2 * streamSize)
	if err != nil {
		return err
	}
	go func() {
		runtime.LockOSThread()
		p, from, to := pace{of: f}, area[:streamSize], area[streamSize:]
		for at := Bytes(0); p.on(ctx); at += streamStep { // in steps, so that it ends with its turn
			if at == streamSize {
				from, to, at = to, from, 0
			}
			copy(from[at:at+streamStep], to[at:])
		}
	}()
	return nil
}

// streamStep takes about a millisecond.
const streamStep Bytes = 4 << 20

// The size of a writing thread's file, and of a write: a page of InnoDB's.
const (
	fileSize  = 64 << 20
	writeSize = 16 << 10
)

// memoryPause is between two writes to a file system in memory. Nothing else makes the thread
// wait there, and it would use a CPU, where it is to use a disk.
const memoryPause = time.Millisecond

// write writes pages at random places of a file, past the page cache and each to
// the disk before the next. The file has no name any more when the work begins, so
// it goes with the process.
func (w Work) write(ctx context.Context, f *Follower, i int, fail func(error)) error {
	name := filepath.Join(w.Dir, fmt.Sprintf("neighbour-%d.io", i))
	flags := os.O_RDWR | os.O_CREATE | os.O_EXCL | unix.O_DSYNC
	file, err := os.OpenFile(name, flags|unix.O_DIRECT, 0o600)
	if errors.Is(err, unix.EINVAL) { // a file system without direct I/O
		file, err = os.OpenFile(name, flags&^os.O_EXCL, 0o600)
	}
	if err != nil {
		return fmt.Errorf("make the neighbour's file: %w", err)
	}
	if err := os.Remove(name); err != nil {
		return errors.Join(err, file.Close())
	}
	page, err := hold(writeSize) // aligned, as direct I/O wants it
	if err == nil {
		err = unix.Fallocate(int(file.Fd()), 0, 0, fileSize)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("reserve the neighbour's file: %w", err), file.Close())
	}
	system, err := FileSystem(w.Dir)
	if err != nil {
		return errors.Join(err, file.Close())
	}
	go func() {
		defer file.Close()
		for p := (pace{of: f}); p.on(ctx); {
			if system == "tmpfs" {
				time.Sleep(memoryPause)
			}
			if _, err := file.WriteAt(page, writeSize*rand.Int64N(fileSize/writeSize)); err != nil {
				fail(fmt.Errorf("write the neighbour's file: %w", err))
				return
			}
		}
	}()
	return nil
}

// talk sends through a connection over loopback as fast as the other end reads:
// the kernel's network stack is busy with it on two CPUs.
func talk(ctx context.Context, f *Follower, _ int, _ func(error)) error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("listen for the neighbour's traffic: %w", err)
	}
	defer listener.Close()
	client, err := net.DialTimeout("tcp", listener.Addr().String(), time.Minute)
	if err != nil {
		return fmt.Errorf("connect the neighbour's traffic: %w", err)
	}
	server, err := listener.Accept()
	if err != nil {
		return errors.Join(fmt.Errorf("connect the neighbour's traffic: %w", err), client.Close())
	}
	context.AfterFunc(ctx, func() { client.Close(); server.Close() })
	go func() {
		p := pace{of: f}
		for block := make([]byte, 64<<10); p.on(ctx); {
			_, _ = client.Write(block) // it fails when the end has come
		}
	}()
	go func() {
		for block := make([]byte, 64<<10); ctx.Err() == nil; {
			_, _ = server.Read(block)
		}
	}()
	return nil
}
