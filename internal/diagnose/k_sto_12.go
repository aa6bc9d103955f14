package diagnose

import (
	"strconv"

	"github.com/tarebench/tare/internal/manifest"
)

func kSTO12() Rule {
	return Rule{
		ID: "K-STO-12", Title: "Servers on one node use up the asynchronous I/O of the kernel (fs.aio-max-nr)", Severity: Note, Needs: []Need{needPod()},
		What: "With native AIO InnoDB reserves 256 requests for each I/O thread when it starts. All servers of a node share fs.aio-max-nr, which is 65536 where " +
			"nobody raised it, also in pods. A server that gets no more starts with slower simulated I/O, or not at all. MariaDB from 10.6 on uses io_uring.",
		Impact:  "io_setup() failed with EAGAIN: a server does not start, or reads and writes more slowly than the others.",
		Fix:     "Lower innodb_read_io_threads and innodb_write_io_threads, or raise fs.aio-max-nr on the nodes.",
		Sources: []string{measuredAIO, aio, "MySQL 8.4 Reference Manual, Using Asynchronous I/O on Linux: https://dev.mysql.com/doc/refman/8.4/en/innodb-linux-native-aio.html"},
		Check:   checkAIO,
	}
}

// The requests that a server reserves for each thread, and what the kernel allows all of a node (fs/aio.c, aio_max_nr).
const (
	requestsPerThread = 256
	mostRequests      = 0x10000
)

func checkAIO(c *Case) []Finding {
	if len(c.DB.Config.Missing) > 0 {
		return c.elsewhere()
	}
	own, set, known := c.requests()
	if c.DB.Product == "" || !known || own == 0 {
		return nil
	}
	all, servers := int64(0), int64(0)
	for _, db := range c.Set.Databases() {
		other := *c
		other.DB = db
		if n, _, known := other.requests(); known && db.Pod != nil {
			all, servers = all+n*max(1, db.Replicas), servers+max(1, db.Replicas)
		}
	}
	if all <= mostRequests {
		return nil
	}
	return list(hint(set, "%d servers reserve %d asynchronous requests (%d each here); a node allows %d (fs.aio-max-nr) for all of them", servers, all, own, int64(mostRequests)).
		fix("fewer innodb_read_io_threads and innodb_write_io_threads, or a higher fs.aio-max-nr on the nodes"))
}

// requests are the asynchronous requests that one server reserves; at is where a thread count is set, or would be.
// known is false where an option or the release is not.
func (c *Case) requests() (n int64, at manifest.Spot, known bool) {
	if !c.DB.Version.Known() || c.DB.Product == manifest.MariaDB && c.DB.Version.AtLeast(10, 6, 0) {
		return 0, at, false
	}
	if native, set := c.DB.Option("innodb_use_native_aio"); set && !manifest.IsOn(native.Value) {
		return 0, at, true
	}
	threads := int64(0)
	for _, name := range []string{"innodb_read_io_threads", "innodb_write_io_threads"} {
		o, set := c.DB.Option(name)
		if !set && len(c.DB.Config.Missing) > 0 {
			return 0, at, false
		}
		value := int64(4) // the default of every release but MySQL 8.4 and later, where the read threads depend on the CPUs
		if set {
			parsed, err := strconv.ParseInt(o.Value, 10, 64)
			if err != nil {
				return 0, at, false
			}
			value, at = parsed, o.Spot
		}
		threads += value
	}
	if at.Line == 0 {
		at = c.configPlace()
	}
	if c.DB.Product == manifest.MySQL {
		return requestsPerThread*(threads+1) + 1, at, true
	}
	return requestsPerThread * threads, at, true
}
