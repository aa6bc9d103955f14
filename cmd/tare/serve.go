package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/tarebench/tare/internal/serve"
)

// tokenVariable holds the token that visitors must know; not a flag, because a
// command line is read by everyone on the machine.
const tokenVariable = "TARE_SERVE_TOKEN"

func serveVerb(t *terminal) *cobra.Command {
	var address string
	c := &cobra.Command{
		Use:   "serve DIR",
		Short: "Show the runs of a directory in a browser",
		Long: "Serve the runs in the subdirectories of DIR as web pages: a list to search, the report of every run,\n" +
			"comparisons of two runs, and live progress. It only reads files.\n\n" +
			"At an address that is not loopback, visitors need a token: the link that is printed contains it, or the\n" +
			"environment variable " + tokenVariable + " sets it.",
		Example:           "  tare serve runs\n  tare serve runs --listen 0.0.0.0:7878",
		ValidArgsFunction: directories(1),
		Args:              args(cobra.ExactArgs(1)),
		RunE:              func(c *cobra.Command, a []string) error { return serveRuns(c.Context(), t, a[0], address) },
	}
	c.Flags().StringVar(&address, "listen", "127.0.0.1:7878", "address to listen on; port 0 picks a free one")
	return c
}

func serveRuns(ctx context.Context, t *terminal, dir, address string) error {
	l, err := net.Listen("tcp", address)
	if err != nil {
		return usage{fmt.Errorf("serve runs: %w", err)}
	}
	defer l.Close()
	o := serve.Options{Dir: dir, Version: versionString(), BuildReport: buildReport, Token: os.Getenv(tokenVariable)}
	link := "http://" + l.Addr().String() + "/"
	if l.Addr().(*net.TCPAddr).IP.IsLoopback() {
		o.Hosts = []string{"localhost", "127.0.0.1", "::1"}
	} else if o.Token == "" {
		o.Token = rand.Text()
		link += "?token=" + o.Token
	}
	handler, err := serve.New(o)
	if err != nil {
		return usage{err}
	}
	// Streams of live runs end with the server, not it with them.
	server := o.Limits.Server(handler)
	server.BaseContext = func(net.Listener) context.Context { return ctx }
	stop := context.AfterFunc(ctx, func() {
		end, cancel := context.WithTimeout(context.Background(), 2*time.Second)
		defer cancel()
		_ = server.Shutdown(end) // what still hangs is cut off by the end of the process
	})
	defer stop()
	fmt.Fprintf(t.err, "serving %s at %s\n", dir, link)
	if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve runs: %w", err)
	}
	return nil
}
