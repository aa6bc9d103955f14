// Package wire speaks the MySQL protocol in place: commands are appended to a
// buffer that is sent as it is, and answers are walked where they were received.
//
// The handshake, authentication and TLS come from go-mysql-org/go-mysql; what is
// here begins when a connection is authenticated. CLIENT_DEPRECATE_EOF is not
// negotiated (neither does MariaDB's connector, which sysbench is built on), so a
// result set is: column count, definitions, EOF, rows, EOF.
// https://dev.mysql.com/doc/dev/mysql-server/latest/PAGE_PROTOCOL.html
package wire
