package main

// This file is `tare capture`: what other programs ask of a server becomes a workload file.

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/tarebench/tare/internal/capture"
)

// captureOptions are what `tare capture` was asked for.
type captureOptions struct {
	server               liveOptions
	length               time.Duration
	out, schema, log     string
	packets              string
	port                 int // in the packet capture
	hashNames, overwrite bool
}

func captureVerb(t *terminal) *cobra.Command {
	var o captureOptions
	c := &cobra.Command{
		Use:   "capture ADDRESS --out FILE | capture [ADDRESS] --log FILE --out FILE | capture [ADDRESS] --packets FILE --out FILE",
		Short: "Write the workload of a running server, a log or a packet capture as a workload file",
		Long: "Watch a server that other programs load, for the time of --for, and write their workload as a file for\n" +
			"load.workload: the kinds of transactions with their shares, the statements, and how parameters are drawn.\n" +
			"Rates, connections, latencies, the share of the statements that is covered, and what was assumed are in the\n" +
			"comments of the file. No load is sent and nothing is changed.\n\n" +
			addressHelp + "\n\n" +
			"The server's normalised statements (digests) are read from performance_schema. They have no literals. Parameters\n" +
			"are drawn by the schema and the ranges of indexed whole numbers. Transactions of more than 9 statements are seen\n" +
			"whole if the consumer events_statements_history_long is on.\n\n" +
			"With --log: read a slow log or a general log of MySQL, MariaDB or Percona Server instead, also compressed, in\n" +
			"UTF-16, or behind the prefixes of kubectl, docker and log services; the table mysql.slow_log or mysql.general_log,\n" +
			"written by mysql --batch or as CSV; or the log of MariaDB's server_audit plugin. ADDRESS is then a server with the\n" +
			"same schema, which is asked for columns and ranges. Without one, whole numbers are drawn between the lowest and\n" +
			"the highest of the log, rounded to three digits, and other values are 1 or NULL. Literals of the log are not\n" +
			"written, except these and the means of LIMIT, of the width of ranges and of the length of IN lists:\n" +
			"a parameter has the number of its different values and their skew.\n\n" +
			"With --packets: read a packet capture (pcap or pcapng, of tcpdump -w or Wireshark; also compressed by gzip) in the\n" +
			"same way. The statements of TCP connections to --port are read, as text and prepared. What is encrypted,\n" +
			"compressed or lost is not read, and the file says how much that is.\n\n" +
			"FILE is - for standard input.",
		Example: "  tare capture --socket /run/mysqld/mysqld.sock --for 60s --out shop.yaml\n" +
			"  tare capture db.example.com --user monitor --schema shop --hash-names --out shop.yaml\n" +
			"  tare capture /run/mysqld/mysqld.sock --log /var/log/mysql/slow.log --out shop.yaml\n" +
			"  kubectl logs mysql-0 -c slow-log | tare capture --log - --schema shop --out shop.yaml\n" +
			"  tare capture db.example.com --packets mysql.pcap --out shop.yaml",
		Args: args(cobra.MaximumNArgs(1)),
		RunE: func(c *cobra.Command, a []string) error {
			return captureServer(c.Context(), t, o, a)
		},
	}
	spanFlag(c.Flags(), &o.length, "for", time.Minute, "how long to watch")
	c.Flags().StringVar(&o.out, "out", "", "workload file to write; - for standard output")
	c.Flags().StringVar(&o.schema, "schema", "", "schema of the statements (default the one that most time is spent in)")
	c.Flags().StringVar(&o.log, "log", "", "slow log, general log, one of their tables, or audit log to read instead of watching the server; - for standard input")
	c.Flags().StringVar(&o.packets, "packets", "", "packet capture (pcap or pcapng) to read instead of watching the server; - for standard input")
	c.Flags().BoolVar(&o.hashNames, "hash-names", false, "replace the names of schemas, tables and columns by hashes")
	c.Flags().BoolVar(&o.overwrite, "force", false, "overwrite FILE")
	liveFlags(c, &o.server, "")
	c.Flags().Lookup("port").Usage = "port of the server, with --packets the one in the packet capture (default that of ADDRESS, else 3306)"
	return c
}

// describeWithin bounds what is asked of the server's dictionary after the span.
const describeWithin = 5 * time.Minute

func captureServer(ctx context.Context, t *terminal, o captureOptions, addresses []string) error {
	if err := o.resolve(addresses); err != nil {
		return err
	}
	if o.log != "" || o.packets != "" {
		return captureFile(ctx, t, o)
	}
	db, _, err := o.server.open()
	if err != nil {
		return usage{fmt.Errorf("capture: %w", err)}
	}
	defer db.Close()
	seen, err := capture.Watch(ctx, capture.Server{DB: db, Schema: o.schema}, o.length)
	if err != nil {
		return unreadable(withServerHint(fmt.Errorf("capture %s: %w", o.server.address, err)))
	}
	after, cancel := context.WithTimeout(context.WithoutCancel(ctx), describeWithin) // also where Ctrl-C ended the span
	defer cancel()
	d, err := capture.Describe(after, seen, capture.Dictionary{DB: db}, capture.Options{Name: o.name(), HashNames: o.hashNames})
	if err != nil {
		return unreadable(fmt.Errorf("capture %s: %w", o.server.address, err))
	}
	return o.write(t, seen, d)
}

// unreadable is an error that a grant or another schema corrects: wrong input, as a wrong password is.
func unreadable(err error) error {
	if errors.Is(err, capture.ErrUnreadable) {
		return usage{err}
	}
	return err
}

// resolve says what is wrong with the options before anything is done.
func (o *captureOptions) resolve(addresses []string) error {
	if o.packets != "" { // the address has a port of its own
		o.port, o.server.port = o.server.port, 0
	}
	switch {
	case o.log != "" && o.packets != "":
		return usage{errors.New("capture: --log and --packets exclude each other")}
	case len(addresses) == 0 && !o.server.given() && o.log == "" && o.packets == "":
		return usage{errors.New("capture: no server given; write tare capture ADDRESS, --host HOST, --socket PATH, --log FILE, or --packets FILE")}
	case o.server.port > 0 && o.server.host == "" && len(addresses) == 0:
		return usage{errors.New("capture: --port is that of --host, or of the server in a packet capture; add --host HOST, or --packets FILE")}
	case o.out == "":
		return usage{errors.New("capture: no file to write; add --out FILE, or --out - for standard output")}
	case o.length < 2*time.Second:
		return usage{fmt.Errorf("--for %s: use at least 2s", o.length)}
	}
	if _, err := os.Lstat(o.out); err == nil && !o.overwrite && o.out != "-" {
		return hinted{usage{fmt.Errorf("capture: %s exists", o.out)}, "overwrite it with --force, or name another file"}
	}
	if err := writable("--out", o.out); err != nil {
		return err
	}
	if len(addresses) > 0 || o.server.given() {
		return o.serverNamed(addresses)
	}
	return nil
}

// serverNamed takes the server, and the schema where its address has one.
func (o *captureOptions) serverNamed(addresses []string) error {
	if err := o.server.name("capture", addresses); err != nil {
		return err
	}
	a, err := o.server.server()
	if err != nil {
		return usage{fmt.Errorf("capture: %w", err)}
	}
	o.schema = cmp.Or(o.schema, a.Schema)
	return nil
}

// name is that of the workload: the file's without its ending.
func (o captureOptions) name() string {
	if o.out == "-" {
		return "captured"
	}
	return experimentName(o.out)
}

// write writes the file and says what is in it.
func (o captureOptions) write(t *terminal, seen *capture.Seen, d *capture.Described) error {
	text := d.File.Marshal()
	if o.out == "-" {
		_, err := t.out.Write(text)
		return err
	}
	if err := os.WriteFile(o.out, text, 0o644); err != nil {
		return fmt.Errorf("capture: %w", err)
	}
	of := "transaction"
	if d.Apart {
		of = "statement"
	}
	fmt.Fprintf(t.out, "%s: %s, %s; %s\n", o.out, kinds(len(d.Kinds), of), d.Load(), d.Coverage())
	for _, k := range d.Kinds {
		fmt.Fprintf(t.out, "  %s\n", k)
	}
	if hint := d.Replay(); hint != "" {
		fmt.Fprintf(t.out, "%s\n", hint)
	}
	for _, n := range slices.Concat(seen.Notes, d.Notes) {
		fmt.Fprintf(t.err, "%s\n", n)
	}
	return nil
}

func kinds(n int, of string) string {
	if n == 1 {
		return "1 kind of " + of
	}
	return fmt.Sprintf("%d kinds of %ss", n, of)
}
