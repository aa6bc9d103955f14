package main

// Which running server a verb asks, and who logs in: the same in every verb that meets one.

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tarebench/tare/internal/mysqld"
)

// liveOptions say which server, and who asks.
type liveOptions struct {
	// address is what names the server, as it was written: ADDRESS, --live or --socket, or --host.
	address      string
	host, socket string
	port         int

	user, passwordFile, tls, ca string
	pid                         int
}

// addressHelp says in a verb's help how a server is named.
const addressHelp = "ADDRESS is the path of a socket, HOST, HOST:PORT, or mysql://USER@HOST:PORT; --socket PATH and --host HOST\n" +
	"name a server too. The password is read from --password-file or MYSQL_PWD."

// defaultPort is MySQL's.
const defaultPort = 3306

// liveFlags say how to log in to a running server, and which process it is. when says with what they mean something,
// in a verb that also does other things.
func liveFlags(c *cobra.Command, o *liveOptions, when string) {
	f := c.Flags()
	f.StringVar(&o.host, "host", "", when+"host of the server, instead of ADDRESS")
	portFlag(f, &o.port, "port", 0, when+"port of the server (default 3306)")
	f.StringVar(&o.socket, "socket", "", when+"Unix socket of the server, instead of ADDRESS")
	f.StringVar(&o.user, "user", "root", when+"user to log in as")
	f.StringVar(&o.passwordFile, "password-file", "", when+"file with the password")
	f.StringVar(&o.tls, "tls", "", when+"TLS mode: verify-identity, verify-ca, required or off (default verify-identity, and off for a server on this machine)")
	f.StringVar(&o.ca, "ca", "", when+"file with the trusted CA certificates")
	countFlag(f, &o.pid, "pid", 0, when+"process of the server (default the one that listens on the socket or on an address of this machine)")
}

// liveAddress is the value of --live. A flag behind --live would be its value, and what follows that flag one argument too many.
type liveAddress string

var _ pflag.Value = (*liveAddress)(nil)

// Set takes an address.
func (a *liveAddress) Set(text string) error {
	if strings.HasPrefix(text, "-") {
		return errors.New("write the server's address directly after --live, and other flags before or after both")
	}
	*a = liveAddress(text)
	return nil
}

// String is the address.
func (a *liveAddress) String() string { return string(*a) }

// Type is that of other flags of text.
func (a *liveAddress) Type() string { return "string" }

// given tells whether a flag names a server.
func (o *liveOptions) given() bool { return o.address != "" || o.host != "" || o.socket != "" }

// name takes the address from the arguments or the flags, of which one must have it.
func (o *liveOptions) name(verb string, arguments []string) error {
	o.address = strings.Join(append(arguments, o.address), "") // a verb with --live takes no argument beside it
	names := 0
	for _, name := range []string{o.address, o.host, o.socket} {
		if name != "" {
			names++
		}
	}
	switch {
	case names > 1:
		return usage{fmt.Errorf("%s: ADDRESS, --host and --socket exclude each other", verb)}
	case names == 0:
		return hinted{usage{fmt.Errorf("%s: no server given", verb)}, "write ADDRESS, --host HOST or --socket PATH"}
	}
	o.address = cmp.Or(o.address, o.host, o.socket)
	return nil
}

// login are the flags of a command that logs in to the server again, with their values.
func (o liveOptions) login() (words []string) {
	for _, f := range []struct{ name, value, usual string }{
		{"user", o.user, "root"}, {"password-file", o.passwordFile, ""}, {"tls", o.tls, ""}, {"ca", o.ca, ""},
	} {
		if f.value != f.usual {
			words = append(words, "--"+f.name, f.value)
		}
	}
	if o.port > 0 {
		words = append(words, "--port", strconv.Itoa(o.port))
	}
	if o.pid > 0 {
		words = append(words, "--pid", strconv.Itoa(o.pid))
	}
	return words
}

// server is where to connect; the password comes from a file or from MYSQL_PWD,
// never from the command line. What the address has is in the place of the flags.
func (o liveOptions) server() (mysqld.Address, error) {
	u, err := serverAddress(o.address)
	if err != nil {
		return mysqld.Address{}, fmt.Errorf("%s: %w", shown(o.address), err)
	}
	query := u.Query()
	a := mysqld.Address{
		User: cmp.Or(u.User.Username(), o.user), Password: os.Getenv("MYSQL_PWD"), CA: cmp.Or(query.Get("ca"), o.ca),
		Schema: strings.Trim(u.Path, "/"),
	}
	if file := cmp.Or(query.Get("password-file"), o.passwordFile); file != "" {
		if a.Password, err = mysqld.ReadPassword(file); err != nil {
			return a, err
		}
	}
	if a.Socket = query.Get("socket"); a.Socket != "" {
		return a.WithTLS("")
	}
	a.Host, a.Port = u.Hostname(), cmp.Or(o.port, defaultPort)
	if u.Port() != "" {
		if o.port > 0 && strconv.Itoa(o.port) != u.Port() {
			return a, errors.New("the address has a port; leave --port out")
		}
		if a.Port, err = strconv.Atoi(u.Port()); err != nil {
			return a, fmt.Errorf("%s: write the port as a number", shown(o.address))
		}
	}
	return a.WithTLS(cmp.Or(query.Get("tls"), o.tls))
}
