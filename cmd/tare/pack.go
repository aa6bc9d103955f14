package main

// `tare pack`: the pod that `tare fetch` makes hands out a run.

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"os"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/tarebench/tare/internal/record"
)

// packIdle is after how long without a request a pod that hands out a run ends.
const packIdle = 10 * time.Minute

// packVerb hands out a run directory over HTTP, to tare fetch.
func packVerb(t *terminal) *cobra.Command {
	var listen string
	c := &cobra.Command{
		Use: "pack DIR", Short: "Serve a run directory as a tar archive", Hidden: true,
		Args: args(cobra.ExactArgs(1)),
		RunE: func(c *cobra.Command, a []string) error {
			if listen == "" {
				return record.Pack(t.out, a[0])
			}
			l, err := net.Listen("tcp", listen)
			if err != nil {
				return usage{fmt.Errorf("serve run: %w", err)}
			}
			return servePacked(c.Context(), l, a[0])
		},
	}
	c.Flags().StringVar(&listen, "listen", "", "address to serve at (default standard output)")
	return c
}

func servePacked(ctx context.Context, l net.Listener, dir string) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	open := startIdle(packIdle, cancel)
	defer open.timer.Stop()
	server := &http.Server{ReadHeaderTimeout: 10 * time.Second, ReadTimeout: 10 * time.Second, IdleTimeout: time.Minute, Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		open.begin()
		defer open.end()
		if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) { // the run ended before it began
			w.WriteHeader(http.StatusNotFound)
			return
		}
		if err := record.Pack(w, dir); err != nil {
			panic(http.ErrAbortHandler) // the reader must not take a part for the whole
		}
	})}
	defer context.AfterFunc(ctx, func() { _ = server.Close() })() // its end is the verb's
	if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve run: %w", err)
	}
	return nil
}

// idleTime counts requests. Of a copy under way, the client knows whether it stalls; the pod's own
// deadline bounds it if the client is gone.
type idleTime struct {
	after time.Duration
	timer *time.Timer

	mu   sync.Mutex
	open int
}

// startIdle calls over when this time has passed without a request.
func startIdle(after time.Duration, over func()) *idleTime {
	return &idleTime{after: after, timer: time.AfterFunc(after, over)}
}

func (i *idleTime) begin() {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.open++
	i.timer.Stop()
}

func (i *idleTime) end() {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.open--; i.open == 0 {
		i.timer.Reset(i.after)
	}
}
