package runner

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestRemoveCachesRefuses feeds the notes of states elsewhere with everything that
// tare does not write there. An empty one once removed ./data of the current
// directory.
func TestRemoveCachesRefuses(t *testing.T) {
	top := t.TempDir()
	here, user := filepath.Join(top, "here"), filepath.Join(top, "user")
	precious := []string{filepath.Join(here, "data", "x"), filepath.Join(user, "data", "x"), filepath.Join(here, "tare-state", "data", "x")}
	for _, file := range precious {
		fileAt(t, file)
	}
	t.Chdir(here)
	linked := filepath.Join(top, "disk", "tare-state")
	if err := os.MkdirAll(filepath.Dir(linked), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(user, linked); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, file, content, want string }{
		{"empty", noteOf(linked), "", ErrNote.Error()},
		{"empty, with a name that fits", noteOf(""), "", ErrNote.Error()},
		{"cut off", noteOf(linked), linked[:len(linked)-3], ErrNote.Error()},
		{"relative", noteOf("tare-state"), "tare-state", ErrNote.Error()},
		{"dots", noteOf(user + "/../here/tare-state"), user + "/../here/tare-state", ErrNote.Error()},
		{"not tare's", noteOf(user), user, ErrNote.Error()},
		{"a link", noteOf(linked), linked, "symbolic link"},
	} {
		s := State{Dir: filepath.Join(t.TempDir(), "state")}
		fileAt(t, filepath.Join(s.Dir, "data", "prepared"))
		note := filepath.Join(s.Dir, "elsewhere", c.file)
		fileAt(t, note)
		if err := os.WriteFile(note, []byte(c.content), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := s.RemoveCaches(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: RemoveCaches: %v, want %q", c.name, err, c.want)
		}
		if _, err := os.Stat(filepath.Join(s.Dir, "data")); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: the state's own data were kept because of a note: %v", c.name, err)
		}
	}
	for _, file := range precious {
		if _, err := os.Stat(file); err != nil {
			t.Errorf("a directory that is not tare's was removed: %v", err)
		}
	}
}

// TestRemoveCachesForeign: data of another user's stay, here and elsewhere.
func TestRemoveCachesForeign(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can give files away")
	}
	s := State{Dir: filepath.Join(t.TempDir(), "state")}
	there, err := s.At(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{s.Dir, there.Dir} {
		fileAt(t, filepath.Join(dir, "data", "x"))
		if err := os.Chown(filepath.Join(dir, "data"), 65534, -1); err != nil {
			t.Fatal(err)
		}
	}
	removed, err := s.RemoveCaches()
	if len(removed) > 0 {
		t.Errorf("said to be removed: %v", removed)
	}
	for _, dir := range []string{s.Dir, there.Dir} {
		if _, gone := os.Stat(filepath.Join(dir, "data", "x")); gone != nil || err == nil {
			t.Errorf("another user's data: %v, removal: %v", gone, err)
		}
	}
}

func fileAt(t *testing.T, path string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestStateOfAnotherUser: on a disk for everyone, another user can have made the state
// directory before. It is refused, with everything that lies in it, and no note leads to it.
func TestStateOfAnotherUser(t *testing.T) {
	cases := map[string]func(t *testing.T, dir string) error{
		"symbolic link": func(t *testing.T, dir string) error { return os.Symlink(t.TempDir(), dir) },
		"other users can write": func(_ *testing.T, dir string) error {
			return errors.Join(os.Mkdir(dir, 0o755), os.Chmod(dir, 0o777))
		},
	}
	if os.Geteuid() == 0 {
		cases["belongs to user 65534"] = func(_ *testing.T, dir string) error {
			return errors.Join(os.Mkdir(dir, 0o755), os.Chown(dir, 65534, -1))
		}
	}
	for want, set := range cases {
		t.Run(want, func(t *testing.T) {
			s, disk := State{Dir: filepath.Join(t.TempDir(), "state"), RunDir: "/run/tare"}, t.TempDir()
			dir := filepath.Join(disk, elsewhereDir)
			if err := set(t, dir); err != nil {
				t.Fatal(err)
			}
			if _, err := s.At(disk); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("the state is used: %v, want %q", err, want)
			}
			if all, err := s.All(); err != nil || len(all) != 1 {
				t.Errorf("a state that was refused was noted: %v, %v", all, err)
			}
			// It was tare's when the note was written.
			note := filepath.Join(s.Dir, "elsewhere", noteOf(dir))
			fileAt(t, note)
			if err := os.WriteFile(note, []byte(dir), 0o644); err != nil {
				t.Fatal(err)
			}
			if all, err := s.All(); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), note) || len(all) != 1 {
				t.Errorf("the state is followed: %v, %v, want %q", all, err, want)
			}
		})
	}
}

// TestStateNamedLikeAPattern: brackets in a path are no pattern.
func TestStateNamedLikeAPattern(t *testing.T) {
	s := State{Dir: filepath.Join(t.TempDir(), "state[8.4]"), RunDir: "/run/tare"}
	there, err := s.At(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if all, err := s.All(); err != nil || len(all) != 2 || all[1] != there {
		t.Errorf("%v, %v", all, err)
	}
}

// TestStateBehindALink: runc refuses a root file system below a symbolic link, so the state has none in its path,
// whether its directory is there or not.
func TestStateBehindALink(t *testing.T) {
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	disk, link := filepath.Join(top, "disk"), filepath.Join(top, "link")
	if err := os.Mkdir(disk, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(disk, link); err != nil {
		t.Fatal(err)
	}
	for dir, want := range map[string]string{
		link: disk, filepath.Join(link, "a", "b"): filepath.Join(disk, "a", "b"), filepath.Join(disk, "new"): filepath.Join(disk, "new"),
	} {
		if s, err := DefaultState(dir); err != nil || s.Dir != want {
			t.Errorf("%s: %s, %v", dir, s.Dir, err)
		}
	}
}

// TestRemoveCachesSays: what was removed is named with its size.
func TestRemoveCachesSays(t *testing.T) {
	s := State{Dir: filepath.Join(t.TempDir(), "state")}
	fileAt(t, filepath.Join(s.Dir, "data", "x"))
	if err := os.WriteFile(filepath.Join(s.Dir, "data", "big"), make([]byte, 3<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	x, err := os.Stat(filepath.Join(s.Dir, "data", "x"))
	if err != nil {
		t.Fatal(err)
	}
	want := []Cache{{filepath.Join(s.Dir, "data"), 3<<20 + x.Size()}}
	if got, err := s.RemoveCaches(); err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, %v, want %v", got, err, want)
	}
	if got, err := s.RemoveCaches(); err != nil || len(got) > 0 {
		t.Errorf("again: %v, %v", got, err)
	}
}
