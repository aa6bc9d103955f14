package backup

// This file reads what the head of a dump says of the server that it is from, and of statements that a server of the
// other product refuses, so that a run does not find out after it has begun.

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"

	"github.com/tarebench/tare/internal/mysqld"
)

// Origin is what the beginning of a dump says of the server that it is from. Its zero value: nothing.
type Origin struct {
	// Flavour is mysqld.MySQL or mysqld.MariaDB, Version the server's, as 8.4.3.
	Flavour, Version string
	// GTID: it sets GTID_PURGED, a variable of MySQL alone.
	GTID bool
	// Collation is the first one of a table that MySQL does not have; "" without one.
	Collation string
}

var (
	dumpProgram = regexp.MustCompile(`(?m)^-- (MySQL|MariaDB) dump \S+`)
	dumpServer  = regexp.MustCompile(`(?m)^-- Server version\s+(\d+\.\d+\.\d+)(\S*)`)
	setsGTID    = regexp.MustCompile(`(?im)^\s*SET\s+@@GLOBAL\.GTID_PURGED\b`)
	// A definition, not a row: mysqldump begins the lines of a table's columns and of its end so.
	ofMariaDB = regexp.MustCompile("(?m)^(?:\\)|  `|CREATE ).*\\bCOLLATE[ =](\\w*uca1400_\\w+)")
)

// Of reads the beginning of a dump. A file that cannot be read says nothing here: [Dump] has its error.
func Of(path string) Origin {
	f, err := os.Open(path)
	if err != nil {
		return Origin{}
	}
	defer f.Close()
	text, err := unpacked(bufio.NewReader(f))
	if err != nil {
		return Origin{}
	}
	defer text.Close()
	head, _ := io.ReadAll(io.LimitReader(text, mostRead)) // what was read before an error is the head as well
	return originOf(string(head))
}

func originOf(head string) Origin {
	o := Origin{GTID: setsGTID.MatchString(head)}
	if m := ofMariaDB.FindStringSubmatch(head); m != nil {
		o.Collation = m[1]
	}
	program := dumpProgram.FindStringSubmatch(head)
	if program == nil {
		return o
	}
	o.Flavour = map[string]string{"MySQL": mysqld.MySQL, "MariaDB": mysqld.MariaDB}[program[1]]
	if m := dumpServer.FindStringSubmatch(head); m != nil { // each program dumps servers of the other product as well
		o.Version, o.Flavour = m[1], mysqld.MySQL
		if strings.Contains(m[2], "MariaDB") {
			o.Flavour = mysqld.MariaDB
		}
	}
	return o
}

// From is the server that the dump is from, in words; "" where the head does not say.
func (o Origin) From() string {
	if o.Flavour == "" {
		return ""
	}
	return strings.TrimSpace(mysqld.Product(o.Flavour) + " " + o.Version)
}

// RefusedBy says why a server of such a product refuses the dump, and what to do; "" where nothing is known to be refused.
func (o Origin) RefusedBy(flavour string) string {
	switch {
	case flavour == mysqld.MariaDB && o.GTID:
		return "it sets GTID_PURGED, which MariaDB does not have (error 1193); make the dump with mysqldump --set-gtid-purged=OFF, delete that statement from it, or restore it in MySQL with database"
	case flavour == mysqld.MySQL && o.Collation != "":
		return fmt.Sprintf("a table has the collation %s, which MySQL does not have (error 1273); restore the dump in MariaDB with database, or give its tables another collation, such as utf8mb4_0900_ai_ci", o.Collation)
	}
	return ""
}

// Other says that the dump is from another product than the server's.
func (o Origin) Other(flavour string) bool {
	return o.Flavour != "" && flavour != "" && o.Flavour != flavour
}
