package main

// This file checks what --fix would write. It asks more than the judge of package diagnose does, from the
// text that comes out: comments and line ends that are lost, files that another YAML reader refuses.

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/tarebench/tare/internal/diagnose"
	"github.com/tarebench/tare/internal/manifest"
)

// fixing is a set, what cannot be read of it, and what lint says of it.
type fixing struct {
	set      *manifest.Set
	problems []manifest.Problem
	rules    []diagnose.Rule
	before   diagnose.Result
}

// check returns what is wrong with the files that --fix writes, as FILE: REASON, and how many those are.
func (x fixing) check() (wrong []string, fixed int) {
	edits := x.before.Edits()
	if len(edits) == 0 {
		return nil, 0
	}
	after, err := x.set.Edited(edits)
	if err != nil {
		return []string{fmt.Sprintf("%s: %v", edits[0].At.File, err)}, 0
	}
	for i, f := range x.set.Files {
		if bytes.Equal(f.Text, after[i].Text) {
			continue
		}
		fixed++
		if why := damage(f.Text, after[i]); why != "" {
			wrong = append(wrong, f.Name+": "+why)
		}
	}
	return append(wrong, x.again(after)...), fixed
}

// again lints what was written.
func (x fixing) again(after []manifest.Source) (wrong []string) {
	set, problems := manifest.Read(after, os.ReadFile)
	if len(problems) > len(x.problems) {
		return []string{fmt.Sprintf("%v, which --fix has written", problems[len(problems)-1])}
	}
	result := diagnose.Settle(set, diagnose.Facts{}, x.rules, diagnose.Lint(set, diagnose.Facts{}, x.rules))
	for _, f := range result.Findings {
		if len(f.Edits) > 0 {
			wrong = append(wrong, fmt.Sprintf("%s: a second run changes it again [%s]", f.Where.File, f.Rule))
		}
	}
	left := map[string]int{}
	for _, f := range x.before.Findings {
		if f.Found() {
			left[f.Subject+f.Rule]++
		}
		if len(f.Edits) > 0 {
			left[f.Subject+f.Rule]--
		}
	}
	for _, f := range result.Findings {
		if key := f.Subject + f.Rule; f.Found() {
			if left[key]--; left[key] < 0 {
				wrong = append(wrong, fmt.Sprintf("%s: %s is there after --fix: %s", f.Where.File, f.Rule, f.Says))
			}
		}
	}
	return wrong
}

var comment = regexp.MustCompile(`(?m)(^|[ \t])#.*$`)

// damage is what a changed file has lost, "" for nothing.
func damage(before []byte, after manifest.Source) string {
	rest := after.Text
	for _, text := range comment.FindAll(before, -1) {
		at := bytes.Index(rest, text)
		if at < 0 {
			return fmt.Sprintf("the comment %q is lost", strings.TrimSpace(string(text)))
		}
		rest = rest[at+len(text):]
	}
	if lone(before) == 0 && lone(after.Text) > 0 {
		return "a line end is not \\r\\n as the others are"
	}
	if strings.HasSuffix(after.Name, ".cnf") {
		return ""
	}
	was, _ := documents(before)
	if is, err := documents(after.Text); err != nil || is != was {
		return fmt.Sprintf("%d documents of %d can be read: %v", is, was, err)
	}
	return ""
}

// lone is how many line ends have no carriage return before them.
func lone(text []byte) int {
	return bytes.Count(text, []byte("\n")) - bytes.Count(text, []byte("\r\n"))
}

// documents is how many documents of a file the YAML library reads by itself.
func documents(text []byte) (n int, err error) {
	d := yaml.NewDecoder(bytes.NewReader(text))
	for {
		var v any
		if err := d.Decode(&v); errors.Is(err, io.EOF) {
			return n, nil
		} else if err != nil {
			return n, err
		}
		n++
	}
}
