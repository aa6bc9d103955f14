package targettest

import (
	"fmt"
	"net"
	"testing"

	"github.com/tarebench/tare/internal/mysqld"
	"github.com/tarebench/tare/internal/target"
)

// ClientFrom asks the server a question by the account of its load client, from
// where that is, and returns the address that it comes from.
func ClientFrom(t *testing.T, s target.Server) string {
	t.Helper()
	client := target.ClientOf(s)
	a := client.Address
	if a.Password == "" || a.Socket != "" || client.Inside == nil {
		t.Fatalf("the client has socket %q and a password of %d letters", a.Socket, len(a.Password))
	}
	from, who := "", ""
	err := client.Inside(func() error {
		c, err := net.Dial("tcp", net.JoinHostPort(a.Host, fmt.Sprint(a.Port)))
		if err != nil {
			return err
		}
		defer c.Close()
		from = c.LocalAddr().(*net.TCPAddr).IP.String()
		db, err := mysqld.Open(a)
		if err != nil {
			return err
		}
		defer db.Close()
		return db.QueryRow("SELECT CURRENT_USER()").Scan(&who)
	})
	if err != nil || who != "tare@%" {
		t.Errorf("the client is %q, error %v", who, err)
	}
	return from
}
