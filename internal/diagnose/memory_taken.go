package diagnose

// This file is what the first line of a database says of its memory: the estimate of M-BP-02, also where it fits.

import (
	"github.com/tarebench/tare/internal/manifest"
	"github.com/tarebench/tare/internal/memory"
)

// MemoryTaken is what a server takes, in bytes: with a full buffer pool and no client, with all connections at work, and
// of which limit (0 where none is known).
type MemoryTaken struct {
	Full        int64 `json:"fullBytes"`
	Most        int64 `json:"mostBytes"`
	Connections int64 `json:"connections"`
	KeyBuffer   int64 `json:"keyBufferBytes"` // of MyISAM, besides
	Limit       int64 `json:"limitBytes,omitempty"`
}

// memoryTaken is the estimate for the server. It does not hold where the release is not known, and where something that
// was not read may set options. Of a running server the memory is there to be read.
func (c *Case) memoryTaken() (taken *MemoryTaken, says []Phrase) {
	limit, limited := c.DB.MemoryLimit()
	ofLimit := Phrase{}
	if limited && c.DB.Pod == nil {
		ofLimit = phrase("; memory limit %s", manifest.Size(limit))
	}
	_, _, pool := c.DB.BufferPool()
	s, partial := c.memoryOf()
	switch {
	case c.DB.Object.Kind == "server" || !pool:
		return nil, []Phrase{ofLimit}
	case partial || c.DB.Product == "" || !c.DB.Version.Known():
		return nil, []Phrase{ofLimit, term("; memory that the server takes unknown")}
	}
	e := memory.Of(s)
	taken = &MemoryTaken{e.Full(), e.Most(), s.Connections, s.KeyBuffer, limit}
	says = []Phrase{phrase("; memory about %s with a full buffer pool, up to %s with all %d connections at work", mebibytes(taken.Full), mebibytes(taken.Most), s.Connections)}
	if s.KeyBuffer >= taken.Full/8 || s.KeyBuffer >= 32<<20 && c.written("key_buffer_size") {
		says = append(says, phrase("; MyISAM tables would take up to key_buffer_size=%s besides", manifest.MySize(s.KeyBuffer)))
	}
	return taken, append(says, ofLimit)
}
