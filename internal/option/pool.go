package option

import (
	"math"
	"slices"
)

// defaultPoolChunk is the default of innodb_buffer_pool_chunk_size in bytes.
const defaultPoolChunk = 128 << 20

// PoolSize is how many bytes InnoDB's buffer pool has at least, of the value of innodb_buffer_pool_size in bytes. MySQL
// rounds it up to a multiple of chunk size times instances, which can nearly double it: with 8 instances, 1100M become
// 2 GiB. A chunk and instances of 0 are not set; of an unknown release, which is all zeros, one instance is the least.
func PoolSize(product string, in Release, size, chunk, instances int64) int64 {
	if product == MariaDB {
		return size // one instance, and chunks that follow the size
	}
	if chunk <= 0 {
		chunk = defaultPoolChunk
	}
	many := poolInstances(in, size, instances)
	// Where one chunk each is more than the size, the server makes the chunks smaller instead (srv_buf_pool_size and
	// innodb_buffer_pool_chunk_size in the manual, 17.8.3.1).
	if chunk > size/many || size > math.MaxInt64-chunk*many {
		return size
	}
	unit := chunk * many
	return (size + unit - 1) / unit * unit
}

// poolInstances are those of the buffer pool: below 1 GiB always one (srv0start / ha_innodb.cc,
// innodb_buffer_pool_size_init); from there 8, until MySQL 8.4 made it depend on the processors, where one is the least.
func poolInstances(in Release, size, set int64) int64 {
	const mayHaveSeveral = 1 << 30
	switch {
	case size < mayHaveSeveral:
		return 1
	case set > 0:
		return min(set, 64)
	case in != Release{} && slices.Compare(in[:], []int{8, 4, 0}) < 0:
		return 8
	}
	return 1
}
