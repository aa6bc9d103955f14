package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestActionsArePinned: a tag of an action can be moved to other code, a commit cannot.
func TestActionsArePinned(t *testing.T) {
	files, err := filepath.Glob("../../.github/workflows/*.yml")
	if err != nil || len(files) == 0 {
		t.Fatalf("workflows: %v, %v", files, err)
	}
	uses := regexp.MustCompile(`(?m)^\s*-?\s*uses:\s*(\S+)`)
	pinned := regexp.MustCompile(`^([A-Za-z0-9_./-]+@[0-9a-f]{40}|\./.*)$`)
	for _, file := range append(files, "../../action.yml") {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range uses.FindAllSubmatch(b, -1) {
			if !pinned.Match(m[1]) {
				t.Errorf("%s: %s is not pinned by a commit", file, m[1])
			}
		}
	}
}

// licences are those that may be linked into a program under Apache-2.0, by words
// that only their texts have.
var licences = []struct{ name, words string }{
	{"Apache-2.0", "Apache License"},
	{"MIT", "Permission is hereby granted, free of charge"},
	{"BSD", "Redistribution and use in source and binary forms"},
	{"ISC", "Permission to use, copy, modify, and/or distribute this software"},
	{"ISC", "Permission to use, copy, modify, and distribute this software"},
	{"MPL-2.0", "Mozilla Public License"},
}

// TestLicences: everything that is linked into tare has a licence that allows it.
func TestLicences(t *testing.T) {
	list := exec.Command("go", "list", "-deps", "-json=Module", "./cmd/tare")
	list.Dir = "../.."
	out, err := list.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	seen := map[string]bool{}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p struct {
			Module *struct {
				Path, Dir string
				Main      bool
			}
		}
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		if p.Module == nil || p.Module.Main || seen[p.Module.Path] {
			continue
		}
		seen[p.Module.Path] = true
		if licenceOf(t, p.Module.Dir) == "" {
			t.Errorf("%s: no licence that is known to be allowed, in %s", p.Module.Path, p.Module.Dir)
		}
	}
	if len(seen) < 10 {
		t.Errorf("only %d modules found", len(seen))
	}
}

func licenceOf(t *testing.T, dir string) string {
	t.Helper()
	for _, pattern := range []string{"LICEN[SC]E*", "COPYING*", "License*", "license*"} {
		files, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			b, err := os.ReadFile(file)
			if err != nil {
				continue // a directory of licences
			}
			text := strings.Join(strings.Fields(string(b)), " ")
			for _, l := range licences {
				if strings.Contains(text, l.words) && !strings.Contains(text, "GNU GENERAL PUBLIC LICENSE") {
					return l.name
				}
			}
		}
	}
	return ""
}
