package runner

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"strconv"
	"time"

	"github.com/tarebench/tare/internal/keys"
	"github.com/tarebench/tare/internal/record"
)

// The sentinel is a short fixed piece of work before each trial, a third of a
// second in all: a processor that got slower, a disk that someone else fills, a
// kernel that is busy show in it, and no arm can, because none runs yet. Medians,
// because a single hiccup says nothing of the two minutes that follow.
const (
	sentinelBlock = 4 << 20 // bytes hashed, about 10 ms
	sentinelTurns = 9
	sentinelTrips = 201
)

// sentinel does the work and says how long it took. What could not be done is
// unknown, with the reason: a trial does not fail for it.
func sentinel(dir string) []record.Fact {
	return []record.Fact{
		sentinelFact("cpu_ns", "SHA-256 of 4 MiB", hashing),
		sentinelFact("fsync_ns", "4 KiB written and synced in "+dir, func() (time.Duration, error) { return syncing(dir) }),
		sentinelFact("loopback_ns", "one byte there and back over TCP", echoing),
	}
}

func sentinelFact(name, source string, work func() (time.Duration, error)) record.Fact {
	f := record.Fact{Key: keys.SentinelPrefix + name, Source: source}
	median, err := work()
	if err != nil {
		f.Unknown = err.Error()
		return f
	}
	f.Value = strconv.FormatInt(median.Nanoseconds(), 10)
	return f
}

// timed is the median of several turns.
func timed(turns int, turn func() error) (time.Duration, error) {
	all := make([]time.Duration, turns)
	for i := range all {
		began := time.Now()
		if err := turn(); err != nil {
			return 0, err
		}
		all[i] = time.Since(began)
	}
	slices.Sort(all)
	return all[turns/2], nil
}

func hashing() (time.Duration, error) {
	block := make([]byte, sentinelBlock)
	return timed(sentinelTurns, func() error {
		sum := sha256.Sum256(block)
		block[0] = sum[0] // so that no compiler can leave it out
		return nil
	})
}

func syncing(dir string) (_ time.Duration, err error) {
	f, err := os.CreateTemp(dir, "sentinel-")
	if err != nil {
		return 0, fmt.Errorf("time fsync: %w", err)
	}
	// Removed at once: a tare that is killed here leaves nothing.
	if err := os.Remove(f.Name()); err != nil {
		return 0, errors.Join(fmt.Errorf("time fsync: %w", err), f.Close())
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	page := make([]byte, 4096)
	return timed(sentinelTurns, func() error {
		if _, err := f.WriteAt(page, 0); err != nil {
			return fmt.Errorf("time fsync: %w", err)
		}
		return f.Sync()
	})
}

// loopbackWithin bounds what takes milliseconds.
const loopbackWithin = time.Minute

func echoing() (time.Duration, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, fmt.Errorf("time loopback: %w", err)
	}
	defer l.Close()
	go func() {
		if c, err := l.Accept(); err == nil {
			_, _ = io.Copy(c, c) // ends when the other side closes
			c.Close()
		}
	}()
	c, err := net.DialTimeout("tcp", l.Addr().String(), loopbackWithin)
	if err != nil {
		return 0, fmt.Errorf("time loopback: %w", err)
	}
	defer c.Close()
	if err := c.SetDeadline(time.Now().Add(loopbackWithin)); err != nil {
		return 0, fmt.Errorf("time loopback: %w", err)
	}
	one := make([]byte, 1)
	return timed(sentinelTrips, func() error {
		if _, err := c.Write(one); err != nil {
			return fmt.Errorf("time loopback: %w", err)
		}
		_, err := io.ReadFull(c, one)
		return err
	})
}
