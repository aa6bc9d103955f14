package main

// An experiment file that tare writes by a template, alone or with a file beside it.

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"text/template"

	"github.com/tarebench/tare/internal/experiment"
)

// rendered is an experiment file by its template.
func rendered(form string, of any) ([]byte, error) {
	var b bytes.Buffer
	t, err := template.New("experiment").Parse(form)
	if err == nil {
		err = t.Execute(&b, of)
	}
	if err != nil {
		return nil, fmt.Errorf("write experiment: %w", err)
	}
	return b.Bytes(), nil
}

// withFile is an experiment and the file beside it that it names.
type withFile struct {
	experiment, beside string
	objects            []byte
}

// write writes both, once the experiment is known to be one and neither is in the way. The file beside it is its
// owner's alone: it can hold passwords.
func (f withFile) write(form string, of any, force bool) error {
	text, err := rendered(form, of)
	if err != nil {
		return fmt.Errorf("init: %w", err)
	}
	if _, err := experiment.ParseIn(filepath.Dir(f.experiment), f.experiment, text); err != nil {
		return err
	}
	if _, err := os.Lstat(f.experiment); err == nil && !force {
		return exists(f.experiment)
	}
	if err := writeFile(f.beside, f.objects, 0o600, force); err != nil {
		return err
	}
	return writeSpec(f.experiment, text, force)
}

// writeSpec writes an experiment file, over one that exists with force only.
func writeSpec(file string, text []byte, force bool) error {
	return writeFile(file, text, 0o644, force)
}

func exists(file string) error {
	return hinted{usage{fmt.Errorf("init: %s exists", file)}, "overwrite it with --force, or name another file: tare init FILE"}
}

func writeFile(file string, text []byte, mode os.FileMode, force bool) error {
	flags := os.O_WRONLY | os.O_CREATE | os.O_EXCL
	if force {
		flags = os.O_WRONLY | os.O_CREATE | os.O_TRUNC
	}
	f, err := os.OpenFile(file, flags, mode)
	if errors.Is(err, os.ErrExist) {
		return exists(file)
	}
	if err != nil {
		return usage{fmt.Errorf("init: %w", err)}
	}
	if mode&0o077 == 0 { // one that was there may be open to others
		err = f.Chmod(mode)
	}
	if err == nil {
		_, err = f.Write(text)
	}
	if err := errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("init: %w", err)
	}
	return nil
}
