package target

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/tarebench/tare/internal/mysqld"
)

// AccountsFile, in the run directory, makes the account of a client that comes
// over the network. It is the target's to remove.
const AccountsFile = "accounts.sql"

// clientUser is that account. root is there for localhost alone.
const clientUser = "tare"

// Listen makes the server of these options listen on every address, and gives the
// client an account with a password of this start's own: an address, unlike a
// socket's directory, can be guessed. The options file is to be written after it.
// It returns the account with the host that the client is to use.
func (r Request) Listen(o *mysqld.Options, host string, port int) (mysqld.Address, error) {
	if _, ok := r.Config["init_file"]; ok {
		return mysqld.Address{}, errors.New("set option init_file: a client that comes over the network needs it for its account; leave it out, or write client: socket")
	}
	var secret [16]byte
	if _, err := rand.Read(secret[:]); err != nil {
		return mysqld.Address{}, fmt.Errorf("make password: %w", err)
	}
	a := mysqld.Address{Host: host, Port: port, User: clientUser, Password: hex.EncodeToString(secret[:])}
	o.Port, o.Bind, o.InitFile = port, "0.0.0.0", filepath.Join(filepath.Dir(o.Socket), AccountsFile)
	// Each on a line of its own (init_file). MariaDB has no account options in
	// CREATE USER IF NOT EXISTS that change one that is there.
	text := fmt.Sprintf("CREATE USER IF NOT EXISTS '%[1]s'@'%%';\nALTER USER '%[1]s'@'%%' IDENTIFIED BY '%[2]s';\nGRANT ALL PRIVILEGES ON *.* TO '%[1]s'@'%%';\n", clientUser, a.Password)
	if err := r.writePrivate(AccountsFile, text); err != nil {
		return mysqld.Address{}, fmt.Errorf("write the client's account: %w", err)
	}
	return a, nil
}
