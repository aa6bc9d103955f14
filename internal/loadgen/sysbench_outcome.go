package loadgen

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/tarebench/tare/internal/record"
)

// mysqlError finds the server's or the client library's error number in a
// message of sysbench's MySQL driver (drv_mysql.c).
var mysqlError = regexp.MustCompile(`(?:returned error|MySQL error:|error|errno =) (\d{4})\b`)

// lostErrors mean that the server, which had answered before the load began, no
// longer does, or refuses for want of means. That is what the arm did under
// load, not a mistake of ours: the arm starved.
func lostErrors() []int {
	return []int{
		1037, 1038, 1041, // out of memory
		1040,             // too many connections
		1053,             // server shutdown in progress
		1077, 1079, 1080, // normal, forced shutdown
		1135,                   // cannot create a thread
		1158, 1159, 1160, 1161, // network packets: read, write, interrupted
		1927, 3169, // connection was killed: MariaDB, MySQL
		2002, 2003, // cannot connect: socket, host
		2006, 2013, 2055, // server gone away, connection lost
		2011, 2012, // TCP connection, server handshake
		2026, // TLS connection broken
		4031, // disconnected because of inactivity
	}
}

// gaveUp are sysbench's words for having waited too long (sysbench.c).
func gaveUp() []string {
	return []string{
		"Worker threads failed to initialize within",
		"The event queue is full",
		"The --max-time limit has expired, forcing shutdown",
	}
}

// outcome says how the run ended. The order is from the special to the general.
func (o *observed) outcome() (record.Outcome, string, error) {
	reason := o.log.reason()
	switch {
	case o.overdue:
		return record.Starved, record.SysbenchOverdue.Say(fmt.Sprintf("%.0f", patience.Seconds())), nil
	case len(o.log.fatal) > 0 && o.log.starved():
		return record.Starved, record.SysbenchGaveUp.Say(reason), nil
	case len(o.log.fatal) > 0:
		err := errors.New(record.RunSysbench.Say(reason))
		return record.Failed, err.Error(), err
	case o.exit != nil:
		err := record.RunSysbench.Error(o.exit, o.exit.Error()+o.last.why())
		return record.Failed, err.Error(), err
	case o.window == nil:
		err := errors.New(record.RunSysbench.Say("it ended without statistics of the window" + o.last.why()))
		return record.Failed, err.Error(), err
	case o.window.Counts.Transactions == 0:
		return record.Starved, record.NothingCommitted.Say(fmt.Sprintf("%.0f", o.window.Seconds)), nil
	}
	return record.Measured, "", nil
}

// starved reports whether one of the messages that sysbench ended with is about
// a server that no longer answers.
func (l *sysbenchLog) starved() bool {
	return slices.ContainsFunc(l.fatal, func(message string) bool {
		if m := mysqlError.FindStringSubmatch(message); m != nil {
			number, _ := strconv.Atoi(m[1])
			return slices.Contains(lostErrors(), number)
		}
		return slices.ContainsFunc(gaveUp(), func(words string) bool { return strings.HasPrefix(message, words) })
	})
}

// reason is what sysbench gave up with: its first message, and the first error
// number where that message has none ("mysql_stmt_prepare() failed").
func (l *sysbenchLog) reason() string {
	if len(l.fatal) == 0 {
		return ""
	}
	first := l.fatal[0]
	if mysqlError.MatchString(first) {
		return first
	}
	for _, message := range l.fatal[1:] {
		if mysqlError.MatchString(message) {
			return strings.TrimSuffix(first, ", aborting...") + ": " + message
		}
	}
	return first
}
