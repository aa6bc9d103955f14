package backup

// This file reads a logical dump: the statements that mysqldump, mariadb-dump and similar
// programs write, one after another, whatever the size of the file.

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"

	"github.com/klauspost/compress/zstd"

	"github.com/tarebench/tare/internal/mysqld"
)

// Estimates of the data directory of a dump: the rows with their indexes, pages and undo
// take about twice the text, and the system tables and the redo log are beside it. Text of
// SQL is compressed to a fifth to a tenth.
const (
	perByte       = 2
	perCompressed = 16
	besideRows    = 400 << 20
)

// Dump looks at a dump, of which it reads the beginning at most.
func Dump(path string) (Size, error) {
	info, err := os.Stat(path)
	if err != nil {
		return Size{}, fmt.Errorf("read dump: %w", err)
	}
	if !info.Mode().IsRegular() {
		return Size{}, fmt.Errorf("%s is not a file; a data directory is given with directory", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return Size{}, fmt.Errorf("read dump: %w", err)
	}
	defer f.Close()
	factor, text := int64(perByte), bufio.NewReader(f)
	if packing(text) != plain {
		factor = perCompressed
	}
	if info.Size() == 0 {
		return Size{}, fmt.Errorf("the dump %s is empty (0 bytes)", path)
	}
	if makesNothing(text) {
		return Size{}, fmt.Errorf("the dump %s makes no table: it has no CREATE TABLE, INSERT, REPLACE or LOAD DATA", path)
	}
	return Size{Files: 1, Bytes: factor*info.Size() + besideRows, Estimated: true,
		Identity: fmt.Sprintf("%d-%d", info.Size(), info.ModTime().UnixNano())}, nil
}

// mostRead is how much of a dump is read to find a table in it.
const mostRead = 1 << 20

// makes is in every dump that makes a table or a row.
var makes = regexp.MustCompile(`(?i)\b(table|insert|replace|load\s+data)\b`)

// makesNothing says that a dump is known to make no table and no row: one that is longer, or that cannot be read, may.
func makesNothing(r *bufio.Reader) bool {
	text, err := unpacked(r)
	if err != nil {
		return false
	}
	defer text.Close()
	all, err := io.ReadAll(io.LimitReader(text, mostRead))
	return err == nil && len(all) < mostRead && !makes.Match(all)
}

type packed uint8

const (
	plain packed = iota
	gz
	zst
)

// packing tells by the first bytes (RFC 1952, RFC 8878).
func packing(r *bufio.Reader) packed {
	head, _ := r.Peek(4)
	switch {
	case bytes.HasPrefix(head, []byte{0x1f, 0x8b}):
		return gz
	case bytes.Equal(head, []byte{0x28, 0xb5, 0x2f, 0xfd}):
		return zst
	}
	return plain
}

// Load executes the statements of a dump in one session. The error has the line of the
// statement, without its text, which has rows.
func Load(ctx context.Context, db *sql.DB, path, schema string) error {
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("load dump: %w", err)
	}
	defer f.Close()
	text, err := unpacked(bufio.NewReaderSize(f, 1<<20))
	if err != nil {
		return fmt.Errorf("load dump %s: %w", path, err)
	}
	defer text.Close()
	session, err := db.Conn(ctx)
	if err != nil {
		return fmt.Errorf("load dump: %w", err)
	}
	defer session.Close()
	if _, err := session.ExecContext(ctx, "USE "+mysqld.QuoteName(schema)); err != nil {
		return fmt.Errorf("load dump: %w", err)
	}
	s := newSplitter(text)
	for {
		statement, line, err := s.next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("load dump: %s:%d: %w", path, line, err)
		}
		if _, err := session.ExecContext(ctx, statement); err != nil {
			return fmt.Errorf("load dump: %s:%d: %w", path, line, err)
		}
	}
}

// unpacked is the text of a dump that may be compressed.
func unpacked(r *bufio.Reader) (io.ReadCloser, error) {
	switch packing(r) {
	case gz:
		return gzip.NewReader(r)
	case zst:
		// One frame can ask for a window of gigabytes.
		z, err := zstd.NewReader(r, zstd.WithDecoderMaxMemory(1<<30))
		if err != nil {
			return nil, err
		}
		return z.IOReadCloser(), nil
	}
	return io.NopCloser(r), nil
}
