package mysqld

import "strconv"

// AIORequests is how many requests of the kernel's asynchronous I/O a server reserves when it
// starts. All servers of a machine share fs.aio-max-nr (proc_sys_fs(5)); one that gets none
// does not start ("io_setup() failed with EAGAIN").
//
// MySQL reserves 256 for each read thread and each write thread and for the thread of the insert
// buffer, and one more to see whether it works (storage/innobase/os/os0file.cc, AIO::start). MariaDB
// reserves none where it uses io_uring, as Debian's does.
func AIORequests(config map[string]string, flavour, version string, cpus int) int64 {
	const each = 256
	opts := normalise(config)
	if v := opts["innodb_use_native_aio"]; flavour == MariaDB || v == "0" || v == "OFF" || v == "off" {
		return 0
	}
	readers := int64(4)
	if v := parseVersion(version); !v.known() || !v.less(release{8, 4, 0}) {
		readers = max(readers, int64(cpus/2)) // since 8.4 (manual, 17.14, innodb_read_io_threads)
	}
	readers = threadsOr(opts["innodb_read_io_threads"], readers)
	return each*(readers+threadsOr(opts["innodb_write_io_threads"], 4)+1) + 1
}

func threadsOr(s string, otherwise int64) int64 {
	if n, err := strconv.ParseInt(s, 10, 32); err == nil && n > 0 {
		return min(n, 64)
	}
	return otherwise
}
