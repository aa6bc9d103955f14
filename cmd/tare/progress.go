package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/tarebench/tare/internal/campaign"
	"github.com/tarebench/tare/internal/progress"
	"github.com/tarebench/tare/internal/runner"
)

// newProgress shows a run on standard error: lines kept up to date on a terminal,
// events elsewhere.
func newProgress(t *terminal, job runner.Job, asJSON bool) *progress.Progress {
	expect := []string{campaign.Summary(job.Experiment, job.Plan, campaign.Recall(job.State.Dir, job.Experiment, job.Plan))}
	if job.Experiment.NoProtocol() {
		expect = append(expect, protocolDefaults(job.Experiment.Protocol))
	}
	for _, short := range shortOfMemory(&job) {
		expect = append(expect, short.line())
	}
	return progress.New(job, progress.Options{
		Out: t.err, Live: isTerminal(t.err) && !asJSON, JSON: asJSON, Color: t.colored(t.err), Unicode: t.unicode(),
		Size: func() (int, int) { return width(t.err), height(t.err) }, PerTrial: campaign.TimePerTrial(job.Experiment, job.Plan), Expect: expect,
	})
}

// listenMetrics takes the address before anything starts; "" is nil.
func listenMetrics(address string) (net.Listener, error) {
	if address == "" {
		return nil, nil
	}
	l, err := net.Listen("tcp", address)
	if err != nil {
		return nil, usage{fmt.Errorf("serve metrics: %w", err)}
	}
	return l, nil
}

// serveMetrics serves live figures until stop is called.
func serveMetrics(l net.Listener, show *progress.Progress) (stop func()) {
	if l == nil {
		return func() {}
	}
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", show.Handler(versionString()))
	server := &http.Server{Handler: mux, ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 5 * time.Second, WriteTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute}
	done := make(chan error, 1)
	go func() { done <- server.Serve(l) }()
	return func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		_ = server.Shutdown(ctx) // a scrape that hangs ends no run
		if err := <-done; !errors.Is(err, http.ErrServerClosed) {
			show.Say(fmt.Sprintf("metrics were not served to the end: %v", err))
		}
	}
}
