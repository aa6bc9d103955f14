package record

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// TestCreateStreamRefuses: an earlier attempt is removed, and nothing else.
func TestCreateStreamRefuses(t *testing.T) {
	top := t.TempDir()
	t.Chdir(top)
	user := filepath.Join(top, "user")
	if err := os.MkdirAll(user, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(top, TrialsDir), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(user, filepath.Join(top, TrialsDir, "001-linked")); err != nil {
		t.Fatal(err)
	}
	paths := []string{"", ".", "..", "user", user, "trials", "trials/..", "trials/001-a/..", "trials/../user", "trials/001-linked"}
	if os.Geteuid() == 0 {
		foreign := filepath.Join(top, TrialsDir, "002-foreign")
		if err := errors.Join(os.Mkdir(foreign, 0o755), os.Chown(foreign, 65534, -1)); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, foreign)
	}
	for _, dir := range paths {
		if s, err := CreateStream(dir, Header{}); err == nil {
			t.Errorf("CreateStream(%q) was not refused: %v", dir, s.Abort())
		}
	}
	if _, err := os.Stat(user); err != nil {
		t.Errorf("a refused stream removed something: %v", err)
	}
}
