package mysqld

import (
	"archive/tar"
	"fmt"

	"github.com/containerd/containerd/v2/pkg/archive"
)

const (
	// mostUnpacked is what one archive may unpack to, in bytes: the images of MySQL and
	// MariaDB have less than 1 GiB.
	mostUnpacked = 16 << 30
	// leftFree is what unpacking leaves free of the disk, in bytes.
	leftFree = 1 << 30
	// entrySize is what an entry counts at least: it takes an inode.
	entrySize = 4 << 10
)

// bounded refuses an archive whose entries together are larger than limit, before the
// entry that is too much is written. Sizes are those that the headers declare: a sparse
// file of a few bytes in the archive can be terabytes on disk.
func bounded(accept archive.Filter, limit int64) archive.Filter {
	left := limit
	return func(h *tar.Header) (bool, error) {
		ok, err := accept(h)
		if !ok || err != nil {
			return ok, err
		}
		size := max(h.Size, entrySize)
		if h.Size < 0 || size > left {
			return false, fmt.Errorf("the archive unpacks to more than %d MiB, which is the limit here (16 GiB, and 1 GiB of the disk stays free)", limit>>20)
		}
		left -= size
		return true, nil
	}
}
