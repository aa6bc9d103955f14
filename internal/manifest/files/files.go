// Package files reads the manifests and option files that a command line names: files, directories, standard
// input, and Kustomizations, which it builds.
package files

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/tarebench/tare/internal/manifest"
)

// StandardInput is the name of what was read from standard input, which "-" stands for.
const StandardInput = "stdin"

// endings are those of the files that are read of a directory.
var endings = []string{".yaml", ".yml", ".json", ".cnf"}

// windowsOptions is what the option file of a server is called on Windows.
const windowsOptions = "my.ini"

// Read reads the files, and those of directories that look like manifests. What cannot be read hides nothing
// of the rest.
func Read(in io.Reader, names []string) (sources []manifest.Source, broken []error) {
	read := func(name string) {
		text, err := Limited(in, name)
		if err != nil {
			broken = append(broken, err)
			return
		}
		if name == "-" {
			name = StandardInput
		}
		sources = append(sources, manifest.Source{Name: name, Text: text})
	}
	for _, name := range names {
		info, err := os.Stat(name)
		if name == "-" || err != nil || !info.IsDir() {
			read(name)
			continue
		}
		err = filepath.WalkDir(name, func(path string, d fs.DirEntry, err error) error {
			if err == nil && d.Type().IsRegular() && (slices.Contains(endings, filepath.Ext(path)) || d.Name() == windowsOptions) {
				read(path)
			}
			return err
		})
		if err != nil {
			broken = append(broken, err)
		}
	}
	return sources, broken
}

// Limited is a file's text, or that of in for "-", and a byte more than [manifest.MaxSize] of one that is larger.
func Limited(in io.Reader, name string) ([]byte, error) {
	if name != "-" {
		f, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		in = f
	}
	return io.ReadAll(io.LimitReader(in, manifest.MaxSize+1))
}
