// Package wire implements the MySQL client protocol without copying: commands are
// appended to the send buffer, and answers are parsed in the receive buffer.
//
// The handshake, authentication and TLS come from go-mysql-org/go-mysql; what is
// here begins when a connection is authenticated. CLIENT_DEPRECATE_EOF is not
// negotiated (neither does MariaDB's connector, which sysbench is built on), so a
// result set is: column count, definitions, EOF, rows, EOF.
// https://dev.mysql.com/doc/dev/mysql-server/latest/PAGE_PROTOCOL.html
package wire
