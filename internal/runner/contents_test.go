package runner

import (
	"os"
	"path/filepath"
	"testing"
)

// original is a directory of data whose files are known.
func original(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range map[string]string{"ibdata1": "aaaa", "sbtest/t1.ibd": "bbbb", "empty": ""} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o640); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestSumOfCopy: the checksum is that of what the trial really has, whoever changed it.
func TestSumOfCopy(t *testing.T) {
	write := func(dir, name, content string) error {
		return os.WriteFile(filepath.Join(dir, name), []byte(content), 0o640)
	}
	for name, c := range map[string]struct {
		before, after func(from, to string) error // the copy is made
		same          bool
	}{
		"nothing":      {same: true},
		"a byte":       {after: func(_, to string) error { return write(to, "ibdata1", "aaab") }},
		"longer":       {after: func(_, to string) error { return write(to, "ibdata1", "aaaaa") }},
		"shorter":      {after: func(_, to string) error { return write(to, "sbtest/t1.ibd", "bbb") }},
		"one more":     {after: func(_, to string) error { return write(to, "new", "") }},
		"one less":     {after: func(_, to string) error { return os.Remove(filepath.Join(to, "empty")) }},
		"the original": {before: func(from, _ string) error { return write(from, "ibdata1", "bbbb") }},
		"original's name": {before: func(from, _ string) error {
			return os.Rename(filepath.Join(from, "empty"), filepath.Join(from, "void"))
		}},
	} {
		t.Run(name, func(t *testing.T) {
			from, to, c1 := original(t), filepath.Join(t.TempDir(), "copy"), newContents()
			want, err := checksum(from, c1.sum)
			if err != nil {
				t.Fatal(err)
			}
			if c.before != nil {
				if err := c.before(from, to); err != nil {
					t.Fatal(err)
				}
			}
			if _, err := cloneTree(from, to); err != nil {
				t.Fatal(err)
			}
			if c.after != nil {
				if err := c.after(from, to); err != nil {
					t.Fatal(err)
				}
			}
			got, err := c1.sumOfCopy(from, to, nil)
			if err != nil {
				t.Fatal(err)
			}
			if real := sum(t, to); got != real {
				t.Errorf("checksum %s, the copy's is %s", got, real)
			}
			if (got == want) != c.same {
				t.Errorf("the checksum is that of the original: %v", got == want)
			}
		})
	}
}

// TestContentsAreHashedOnce: a file is read again only when it was written to, and then
// it is.
func TestContentsAreHashedOnce(t *testing.T) {
	dir := original(t)
	path, c := filepath.Join(dir, "ibdata1"), newContents()
	var first string
	var s seenFile
	for known := false; !known; s, known = c.seen[path] { // a file this new is not remembered yet
		var err error
		if first, err = c.sum(path); err != nil {
			t.Fatal(err)
		}
	}
	s.sum = "remembered"
	c.seen[path] = s
	if got, err := c.sum(path); err != nil || got != "remembered" {
		t.Errorf("a file that nobody wrote to was read again: %s, %v", got, err)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("zzzz"), 0o640); err != nil { // as many bytes
		t.Fatal(err)
	}
	if err := os.Chtimes(path, info.ModTime(), info.ModTime()); err != nil { // and the old time
		t.Fatal(err)
	}
	if got, err := c.sum(path); err != nil || got == first || got == "remembered" {
		t.Errorf("a changed file has the hash %s, %v", got, err)
	}
}

// TestPreparedDataAreVerified: data that were changed in the cache are refused.
func TestPreparedDataAreVerified(t *testing.T) {
	dir := original(t)
	want := sum(t, dir)
	if err := newContents().verify(dir, want); err != nil {
		t.Error(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "ibdata1"), []byte("aaab"), 0o640); err != nil {
		t.Fatal(err)
	}
	if err := newContents().verify(dir, want); err == nil {
		t.Error("changed data are used")
	}
}
