package manifest

// This file computes the buffer pool that operators set where the user does not.

import "github.com/tarebench/tare/internal/option"

const mib = 1 << 20

// BufferPool is the size the server will have in bytes and where that comes
// from; ok is false where the files do not tell, and from says why.
func (d *Database) BufferPool() (size int64, from Text, ok bool) {
	if o, set := d.Option("innodb_buffer_pool_size"); set {
		if size, ok = d.Size(o); !ok {
			return 0, said("innodb_buffer_pool_size=%s cannot be read", o.Value), false
		}
		return d.rounded(size), said("set in %s", o.From), true
	}
	if why, hidden := d.Hidden(); hidden {
		return 0, why, false
	}
	if dedicated, set := d.Option("innodb_dedicated_server"); set && IsOn(dedicated.Value) && d.Product != MariaDB {
		return 0, said("innodb_dedicated_server computes it from the memory of the machine"), false
	}
	if d.tuned != nil {
		limit, limited := d.MemoryLimit()
		if size, from = d.tuned(limit, limited); size > 0 {
			return size, from, true
		}
	}
	s := d.Setting("innodb_buffer_pool_size")
	if size, ok = option.Bytes(s.Value); s.State != Unknown && ok {
		return size, s.From, true
	}
	return 0, s.From, false
}

// rounded is what the server makes of a size of its buffer pool that is written. Where options were not read, chunks and
// instances may be among them, and the size is the least.
func (d *Database) rounded(size int64) int64 {
	if _, hidden := d.Hidden(); hidden {
		return size
	}
	product := option.MySQL
	if d.Product == MariaDB {
		product = option.MariaDB
	}
	return option.PoolSize(product, option.Release{d.Version.Major, d.Version.Minor, d.Version.Patch}, size,
		d.written("innodb_buffer_pool_chunk_size"), d.written("innodb_buffer_pool_instances"))
}

// written is the number of an option, and 0 where none is written.
func (d *Database) written(name string) int64 {
	o, _ := d.Option(name)
	n, _ := option.Bytes(o.Value)
	return n
}

// pools are the rules of operators, by the name that a descriptor gives them.
func pools() map[string]func(limit int64, limited bool) (int64, Text) {
	return map[string]func(int64, bool) (int64, Text){
		"percona-xtradb-cluster": pxcPool, "percona-server": psPool, "kubeblocks": kubeblocksPool,
	}
}

// pxcPool is 75 % of the limit, 50 % where that would leave less than a
// gigabyte (percona-xtradb-cluster-operator, pkg/pxc/app/config/autotune.go).
func pxcPool(limit int64, limited bool) (int64, Text) {
	if !limited {
		return 0, Text{}
	}
	pool := limit / 100 * 75
	if limit-pool < 1e9 {
		pool = limit / 100 * 50
	}
	return upToChunks(pool), said("computed by the operator from the limit")
}

// psPool is half of the limit (percona-server-mysql-operator, pkg/mysql/config.go).
func psPool(limit int64, limited bool) (int64, Text) {
	if !limited {
		return 0, Text{}
	}
	return upToChunks(limit / 2), said("computed by the operator: half of the limit")
}

func upToChunks(pool int64) int64 {
	if pool <= 1024*mib {
		return (pool + 128*mib - 1) / (128 * mib) * (128 * mib)
	}
	chunk := (pool/8 + mib - 1) / mib * mib
	return 8 * chunk
}

// kubeblocksPool follows the addon's template, of which only the lower bound is
// certain without the CPU: a pool is always set, never the server's default.
func kubeblocksPool(limit int64, limited bool) (int64, Text) {
	if !limited || limit < 2048*mib {
		return 0, Text{}
	}
	m := limit / mib
	reserved := min(m/2, 2048) + max(64, m/64) + m/64 + 285
	return max((m-reserved)*75/100, 128) * mib, said("about, by the addon's template")
}
