package logtext

// This file gives the plain text of a file, by its first bytes: gzip, bzip2 and zstd are
// unpacked, and UTF-16, as PowerShell writes it, becomes UTF-8.

import (
	"bufio"
	"bytes"
	"compress/bzip2"
	"compress/gzip"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"
	"golang.org/x/text/encoding/unicode"
)

// Errors of files that have to be unpacked first.
var (
	ErrXZ  = errors.New("it is compressed by xz; unpack it with xz -d")
	ErrZip = errors.New("it is a ZIP archive; unpack it, and name one file")
	ErrTar = errors.New("it is a tar archive; unpack it, and name one file")
)

// headLength is enough for every signature: that of tar is at byte 257.
const headLength = 512

// Decode unpacks a text and turns it into UTF-8 without a byte order mark. The error of a
// damaged archive comes with the reading of it.
func Decode(r io.Reader) (io.Reader, error) {
	b := bufio.NewReaderSize(r, 64<<10)
	unpacked, err := unpack(b, head(b))
	if err != nil {
		return nil, err
	}
	if b = unpacked; bytes.HasPrefix(tarMagic(head(b)), []byte("ustar")) {
		return nil, ErrTar
	}
	return plain(b, head(b)), nil
}

// head are the first bytes; an error of reading comes again with the next reading.
func head(b *bufio.Reader) []byte {
	h, _ := b.Peek(headLength)
	return h
}

func tarMagic(h []byte) []byte { return h[min(len(h), 257):] }

func unpack(b *bufio.Reader, h []byte) (*bufio.Reader, error) {
	switch {
	case bytes.HasPrefix(h, []byte{0x1f, 0x8b}):
		z, err := gzip.NewReader(b)
		if err != nil {
			return nil, fmt.Errorf("unpack gzip: %w", err)
		}
		return bufio.NewReader(z), nil
	case bytes.HasPrefix(h, []byte("BZh")) && len(h) > 9 && bytes.Equal(h[4:10], []byte("1AY&SY")):
		return bufio.NewReader(bzip2.NewReader(b)), nil
	case bytes.HasPrefix(h, []byte{0x28, 0xb5, 0x2f, 0xfd}):
		z, err := zstd.NewReader(b, zstd.WithDecoderConcurrency(1)) // without goroutines that would have to be closed
		if err != nil {
			return nil, fmt.Errorf("unpack zstd: %w", err)
		}
		return bufio.NewReader(z), nil
	case bytes.HasPrefix(h, []byte("\xfd7zXZ\x00")):
		return nil, ErrXZ
	case bytes.HasPrefix(h, []byte("PK\x03\x04")):
		return nil, ErrZip
	}
	return b, nil
}

// plain decodes UTF-16. Without a byte order mark it is known by the zero bytes of its first
// characters, which are ASCII in every log that is read here.
func plain(b *bufio.Reader, h []byte) io.Reader {
	switch {
	case bytes.HasPrefix(h, []byte{0xff, 0xfe}), bytes.HasPrefix(h, []byte{0xfe, 0xff}):
		return unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewDecoder().Reader(b)
	case bytes.HasPrefix(h, []byte("\xef\xbb\xbf")):
		_, _ = b.Discard(3) // they are in the buffer
	case len(h) >= 4 && h[0] != 0 && h[1] == 0 && h[2] != 0 && h[3] == 0:
		return unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM).NewDecoder().Reader(b)
	case len(h) >= 4 && h[0] == 0 && h[1] != 0 && h[2] == 0 && h[3] != 0:
		return unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM).NewDecoder().Reader(b)
	}
	return b
}
