package runner

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// This file says what a trial really starts from. The prepared data and the server's
// program are hashed once a run, and again when anything has written to them; a trial's
// copy shares its blocks with them, or is compared with them byte by byte.

// tick is more than the resolution of change times, which is that of the kernel's timer,
// 10 ms at most: of two writes within one, the second would not be seen.
const tick = 20 * time.Millisecond

// contents are the hashes of files, each computed once and again only after the file
// was written to.
type contents struct {
	mu   sync.Mutex
	seen map[string]seenFile
}

type seenFile struct {
	identity identity
	sum      string
}

func newContents() *contents { return &contents{seen: map[string]seenFile{}} }

// sum is the SHA-256 of a file, in hexadecimal.
func (c *contents) sum(path string) (string, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	began := time.Now()
	now, err := identityOf(path)
	if err != nil {
		return "", err
	}
	if s, ok := c.seen[path]; ok && s.identity == now {
		return s.sum, nil
	}
	h := sha256.New()
	if err := hashFile(h, path); err != nil {
		return "", err
	}
	s := hex.EncodeToString(h.Sum(nil))
	if began.Sub(now.changed()) > tick {
		c.seen[path] = seenFile{now, s}
	}
	return s, nil
}

// sumOfCopy is the checksum of the directory copy, of which every file should be that of
// the directory original. A file that shares all its blocks with the original, or is
// equal to it byte by byte, has the original's hash; any other is hashed.
func (c *contents) sumOfCopy(original, copy string, shared map[string]bool) (string, error) {
	return checksum(copy, func(path string) (string, error) {
		name, err := filepath.Rel(copy, path)
		if err != nil {
			return "", err
		}
		from := filepath.Join(original, name)
		sum, err := c.sum(from)
		if errors.Is(err, fs.ErrNotExist) {
			return hashOf(path)
		}
		if err != nil {
			return "", err
		}
		same := shared[name]
		if !same {
			if same, err = equalFiles(from, path); err != nil {
				return "", err
			}
		}
		if same {
			return sum, nil
		}
		return hashOf(path)
	})
}

func hashOf(path string) (string, error) {
	h := sha256.New()
	err := hashFile(h, path)
	return hex.EncodeToString(h.Sum(nil)), err
}

// compareStep is how much of two files is compared at once.
const compareStep = 1 << 20

// equalFiles compares two files byte by byte. It costs a tenth of hashing them: what was
// just copied is in memory.
func equalFiles(a, b string) (bool, error) {
	f, err := os.Open(a)
	if err != nil {
		return false, err
	}
	defer f.Close()
	g, err := os.Open(b)
	if err != nil {
		return false, err
	}
	defer g.Close()
	x, y := make([]byte, compareStep), make([]byte, compareStep)
	for {
		n, err := io.ReadFull(f, x)
		m, err2 := io.ReadFull(g, y)
		ended, ended2 := isEnd(err), isEnd(err2)
		switch {
		case err != nil && !ended:
			return false, err
		case err2 != nil && !ended2:
			return false, err2
		case !bytes.Equal(x[:n], y[:m]):
			return false, nil
		case ended || ended2:
			return ended == ended2, nil
		}
	}
}

func isEnd(err error) bool { return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) }

// checksum is over the names of all files below a directory and their hashes, which sum
// gives.
func checksum(dir string, sum func(path string) (string, error)) (string, error) {
	h := sha256.New()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error { // in lexical order
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		s, err := sum(path)
		if err != nil {
			return err
		}
		fmt.Fprintf(h, "%s\x00%s\n", name, s)
		return nil
	})
	if err != nil {
		return "", fmt.Errorf("checksum data: %w", err)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
