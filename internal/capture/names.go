package capture

// This file replaces names by hashes.

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/tarebench/tare/internal/workload/file"
)

// hasher gives every name the same replacement wherever it appears. Its key is random and
// kept nowhere: otherwise everyone could try which names have these hashes.
type hasher struct{ key []byte }

func newHasher() *hasher {
	key := make([]byte, 32)
	_, _ = rand.Read(key) // it never fails (crypto/rand)
	return &hasher{key}
}

func (h *hasher) of(id string) string {
	sum := hmac.New(sha256.New, h.key)
	sum.Write([]byte(id))
	return "n" + hex.EncodeToString(sum.Sum(nil))[:10]
}

// apply replaces every quoted name of the file's statements, and the names of values.
// Functions that a digest quotes keep their names.
func (h *hasher) apply(w *file.Workload) {
	for i := range w.Transactions {
		t := &w.Transactions[i]
		renamed := map[string]string{}
		for j := range t.Values {
			v := &t.Values[j]
			renamed[v.Name] = h.of(v.Name)
			v.Name = renamed[v.Name]
			h.value(&v.Value, renamed)
		}
		for j := range t.Statements {
			t.Statements[j].SQL = h.sql(t.Statements[j].SQL)
			for k := range t.Statements[j].Params {
				h.value(&t.Statements[j].Params[k], renamed)
			}
		}
	}
}

func (h *hasher) value(v *file.Value, renamed map[string]string) {
	if v.Query != nil {
		v.Query.SQL = h.sql(v.Query.SQL)
	}
	if v.From != nil {
		v.From.Name = renamed[v.From.Name]
	}
}

// sql replaces the names between backquotes.
func (h *hasher) sql(text string) string {
	var b strings.Builder
	for i := 0; i < len(text); {
		if strings.HasPrefix(text[i:], hintBegin) { // it names tables and indexes
			if end := strings.Index(text[i:], "*/"); end >= 0 {
				i += end + 2
				continue
			}
			break
		}
		if text[i] != '`' {
			b.WriteByte(text[i])
			i++
			continue
		}
		id, n, ok := quoted(text[i:])
		if !ok {
			break
		}
		i += n
		if strings.HasPrefix(strings.TrimLeft(text[i:], " "), "(") && isFunction(b.String()) {
			b.WriteString("`" + id + "`")
			continue
		}
		b.WriteString("`" + h.of(id) + "`")
	}
	return b.String()
}

// isFunction says that a quoted name before a parenthesis is that of a function, from the
// text before it: after INTO it is a table with its columns.
func isFunction(before string) bool {
	words := strings.Fields(before)
	if len(words) == 0 {
		return false
	}
	switch strings.ToUpper(words[len(words)-1]) {
	case "INTO", "INSERT", "REPLACE", "IGNORE", "AS", "WITH", "RECURSIVE":
		return false
	}
	return true
}
