package backup

import (
	"os"
	"path/filepath"
)

// Existing is the directory, or the nearest of those above it that is there: it will be made.
func Existing(dir string) string {
	for dir != filepath.Dir(dir) {
		if info, err := os.Stat(dir); err == nil && info.IsDir() {
			break
		}
		dir = filepath.Dir(dir)
	}
	return dir
}
