package record

// This file opens the files of a run directory, which can come from anywhere: what is
// no file at all must not block the reader, and what is too large must not cost memory.

import (
	"fmt"
	"io"
	"os"

	"github.com/tarebench/tare/internal/experiment"
)

// MaxFile is the size limit, in bytes, of the files that are read whole: the
// experiment, the plan and the notes of voids. 1,000 rounds of 100 trials are 10 MB.
const MaxFile = 64 << 20

// OpenFile opens a file of a run directory. Anything but a regular file is an error:
// open(2) of a FIFO waits for a writer, and a device has no end.
func OpenFile(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|nonBlocking, 0)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("open %s: this is not a regular file (%s)", path, info.Mode().Type())
	}
	if err != nil {
		f.Close() // only read from
		return nil, err
	}
	return f, nil
}

// readFile reads a file of at most MaxFile bytes.
func readFile(path string) ([]byte, error) {
	f, err := OpenFile(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, MaxFile+1))
	if err != nil {
		return nil, err
	}
	if len(b) > MaxFile {
		return nil, fmt.Errorf("read %s: longer than %d bytes", path, MaxFile)
	}
	return b, nil
}

// check refuses what no import writes: the trials' names become paths, and their
// rounds are counted with.
func (i *Import) check(dir string) error {
	seen := map[int]bool{}
	for n, t := range i.Trials {
		switch {
		case !experiment.ValidName(t.Arm):
			return fmt.Errorf("open run: %s of %s was changed: trial %d has no valid arm name: %q", ImportFile, dir, n+1, t.Arm)
		case t.Number < 1 || t.Number > len(i.Trials) || seen[t.Number]:
			return fmt.Errorf("open run: %s of %s was changed: trial %d has the number %d", ImportFile, dir, n+1, t.Number)
		case t.Round < 1 || t.Round > len(i.Trials) || t.Slot < 0 || t.Threads < 0:
			return fmt.Errorf("open run: %s of %s was changed: trial %d has round %d, slot %d, threads %d", ImportFile, dir, n+1, t.Round, t.Slot, t.Threads)
		}
		seen[t.Number] = true
	}
	return nil
}
